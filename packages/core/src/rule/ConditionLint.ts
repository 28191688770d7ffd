/** Conditions that cannot do what they look like (enrichments E6). Only what is certain is reported. */
import type { FieldCatalog } from "../record/FieldCatalog.ts"
import type { FieldValue } from "../record/FieldValue.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import * as Decimal from "../shared/Decimal.ts"
import { Cells } from "../filter/Cells.ts"
import { predicate } from "../filter/Closures.ts"
import { partsOf, type EmptyNode, type FilterPlan, type Test, type TestNode } from "../filter/FilterPlan.ts"

export type Constant = "never" | "always"

type Leaf = TestNode | EmptyNode

const leavesOf = (plan: FilterPlan): ReadonlyArray<Leaf> =>
  plan.tag === "test" || plan.tag === "empty" ? [plan] : partsOf(plan).flatMap(leavesOf)

const testsOf = (leaves: ReadonlyArray<Leaf>): ReadonlyArray<Test> =>
  leaves.flatMap((leaf) => (leaf.tag === "test" ? [leaf.test] : []))

/** Tests whose truth changes at known values only. */
const isDecidable = (test: Test): boolean => {
  switch (test.tag) {
    case "number":
    case "truth":
      return true
    case "text":
      return test.how === "equals"
    case "day":
      return test.ranges.every((range) => typeof range.low?.value !== "object" && typeof range.high?.value !== "object")
    default:
      return false
  }
}

const half = (a: Decimal.Decimal, b: Decimal.Decimal): Decimal.Decimal => {
  const digits = Math.max(Decimal.scale(a), Decimal.scale(b))
  return Decimal.fromUnits((Decimal.toUnits(a, digits) + Decimal.toUnits(b, digits)) * 5n, digits + 1)
}

const numberPoints = (tests: ReadonlyArray<Test>): ReadonlyArray<string> => {
  const ends = new Set<Decimal.Decimal>()
  for (const test of tests)
    if (test.tag === "number")
      for (const { low, high } of test.ranges) for (const end of [low, high]) if (end !== undefined) ends.add(end.value)
  const sorted = [...ends].toSorted(Decimal.compare)
  if (sorted.length === 0) return []
  const one = Decimal.make("1")
  return [
    Decimal.subtract(sorted[0]!, one),
    ...sorted.flatMap((end, index) => (index === 0 ? [end] : [half(sorted[index - 1]!, end), end])),
    Decimal.add(sorted.at(-1)!, one)
  ]
}

const dayPoints = (tests: ReadonlyArray<Test>): ReadonlyArray<string> => {
  const points = new Set<string>()
  for (const test of tests)
    if (test.tag === "day")
      for (const { low, high } of test.ranges)
        for (const end of [low, high])
          if (typeof end?.value === "string") {
            const day = CalendarDate.make(end.value)
            for (const shift of [-1, 0, 1]) points.add(CalendarDate.addDays(day, shift))
          }
  return [...points]
}

/** One value of every kind that the tests tell apart. */
const pointsOf = (leaves: ReadonlyArray<Leaf>, catalog: FieldCatalog): ReadonlyArray<FieldValue> => {
  const tests = testsOf(leaves)
  const points: Array<FieldValue> = [null, ...numberPoints(tests), ...dayPoints(tests)]
  for (const test of tests) if (test.tag === "text") points.push(...test.values)
  if (tests.some((test) => test.tag === "truth")) points.push(true, false)
  // Some other text: also what an undeclared field may hold instead of a number or a date.
  const type = catalog.get(leaves[0]!.field)
  if (type === undefined || type === "str" || points.length === 1) points.push("\u{10FFFD}")
  return points
}

const constantOf = (plan: FilterPlan, leaves: ReadonlyArray<Leaf>, catalog: FieldCatalog): Constant | undefined => {
  if (!testsOf(leaves).every(isDecidable)) return undefined
  const cells = new Cells()
  const holds = predicate(plan, cells.reading)
  const { field } = leaves[0]!
  let seen: boolean | undefined
  for (const point of pointsOf(leaves, catalog)) {
    cells.load({ [field]: point }, CalendarDate.make("2000-01-01"))
    const result = holds(cells)
    if (seen !== undefined && seen !== result) return undefined
    seen = result
  }
  return seen === true ? "always" : seen === false ? "never" : undefined
}

/** Whether the condition gives the same answer for every record; `undefined` when that is not certain. */
export const constant = (plan: FilterPlan, catalog: FieldCatalog): Constant | undefined => {
  const leaves = leavesOf(plan)
  const fields = new Set(leaves.map(({ field }) => field))
  if (fields.size === 1) return constantOf(plan, leaves, catalog)
  if (plan.tag !== "and" && plan.tag !== "or") return undefined
  const decisive: Constant = plan.tag === "and" ? "never" : "always"
  const results = plan.parts.map((part) => constant(part, catalog))
  if (results.includes(decisive)) return decisive
  if (results.every((result) => result !== undefined)) return plan.tag === "and" ? "always" : "never"
  // Parts about one field may contradict each other, whatever the parts about other fields say.
  for (const field of fields) {
    const parts = plan.parts.filter((part) => leavesOf(part).every((leaf) => leaf.field === field))
    if (parts.length < 2) continue
    const together: FilterPlan = { tag: plan.tag, parts }
    if (constantOf(together, leavesOf(together), catalog) === decisive) return decisive
  }
  return undefined
}

/** Whether the answer can change from one day to the next while the record stays as it is. */
export const isTimeDependent = (plan: FilterPlan): boolean =>
  testsOf(leavesOf(plan)).some(
    (test) =>
      test.tag === "day" &&
      test.ranges.some((range) => typeof range.low?.value === "object" || typeof range.high?.value === "object")
  )
