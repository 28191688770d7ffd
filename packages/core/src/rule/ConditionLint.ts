/** Conditions that cannot do what they look like (enrichments E6). Only what is certain is reported. */
import type { FieldCatalog } from "../record/FieldCatalog.ts"
import type { FieldValue } from "../record/FieldValue.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import * as Decimal from "../shared/Decimal.ts"
import { Cells } from "../filter/Cells.ts"
import { compile, type Condition } from "./Condition.ts"
import type { LeafTest } from "./LeafTest.ts"

export type Constant = "never" | "always"

type Leaf = Extract<Condition, { readonly tag: "leaf" }>

const leavesOf = (condition: Condition): ReadonlyArray<Leaf> =>
  condition.tag === "leaf" ? [condition] : condition.parts.flatMap(leavesOf)

/** Tests whose truth changes at known values only. */
const isDecidable = (test: LeafTest): boolean => {
  switch (test.tag) {
    case "empty":
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

const numberPoints = (tests: ReadonlyArray<LeafTest>): ReadonlyArray<string> => {
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

const dayPoints = (tests: ReadonlyArray<LeafTest>): ReadonlyArray<string> => {
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
  const tests = leaves.map(({ test }) => test)
  const points: Array<FieldValue> = [null, ...numberPoints(tests), ...dayPoints(tests)]
  for (const test of tests) if (test.tag === "text") points.push(...test.values)
  if (tests.some((test) => test.tag === "truth")) points.push(true, false)
  // Some other text: also what an undeclared field may hold instead of a number or a date.
  const type = catalog.get(leaves[0]!.field)
  if (type === undefined || type === "str" || points.length === 1) points.push("\u{10FFFD}")
  return points
}

const constantOf = (condition: Condition, leaves: ReadonlyArray<Leaf>, catalog: FieldCatalog): Constant | undefined => {
  if (!leaves.every(({ test }) => isDecidable(test))) return undefined
  const cells = new Cells()
  const holds = compile(condition, cells)
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
export const constant = (condition: Condition, catalog: FieldCatalog): Constant | undefined => {
  const leaves = leavesOf(condition)
  const fields = new Set(leaves.map(({ field }) => field))
  if (fields.size === 1 || condition.tag === "leaf") return constantOf(condition, leaves, catalog)
  const decisive: Constant = condition.all ? "never" : "always"
  const results = condition.parts.map((part) => constant(part, catalog))
  if (results.includes(decisive)) return decisive
  if (results.every((result) => result !== undefined)) return condition.all ? "always" : "never"
  // Parts about one field may contradict each other, whatever the parts about other fields say.
  for (const field of fields) {
    const parts = condition.parts.filter((part) => leavesOf(part).every((leaf) => leaf.field === field))
    if (parts.length < 2) continue
    const together: Condition = { tag: "group", all: condition.all, parts }
    if (constantOf(together, leavesOf(together), catalog) === decisive) return decisive
  }
  return undefined
}

/** Whether the answer can change from one day to the next while the record stays as it is. */
export const isTimeDependent = (test: LeafTest): boolean =>
  test.tag === "passed" ||
  (test.tag === "day" &&
    test.ranges.some((range) => typeof range.low?.value === "object" || typeof range.high?.value === "object"))
