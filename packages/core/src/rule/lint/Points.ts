/** Values that stand for all that a field can hold, as far as the tests of it tell them apart. */
import type { Test } from "../../filter/FilterPlan.ts"
import type { FieldType } from "../../record/DataType.ts"
import type { FieldValue } from "../../record/FieldValue.ts"
import * as CalendarDate from "../../shared/CalendarDate.ts"
import * as Decimal from "../../shared/Decimal.ts"

/** What a test reads a value as. */
export type Reading = "text" | "number" | "day" | "truth"

/** `undefined` for tests that conditions do not make. */
export const readingOf = (test: Test): Reading | undefined => {
  switch (test.tag) {
    case "text":
    case "pattern":
      return "text"
    case "number":
    case "digits":
      return "number"
    case "day":
    case "truth":
      return test.tag
    default:
      return undefined
  }
}

/** What values of the type are read as. */
export const readingOfType = (type: FieldType | undefined): Reading =>
  type === "num" ? "number" : type === "date" || type === "ts" ? "day" : type === "bool" ? "truth" : "text"

/** Whether the days of the test change with the date of the run. */
export const isMoving = (test: Test): boolean =>
  test.tag === "day" &&
  test.ranges.some(({ low, high }) => typeof low?.value === "object" || typeof high?.value === "object")

/** Whether the truth of the test changes at known values only. */
export const isDecidable = (test: Test): boolean => {
  switch (test.tag) {
    case "number":
    case "truth":
      return true
    case "text":
      return test.how === "equals" && test.trimmed
    case "day":
      return !isMoving(test)
    default:
      return false
  }
}

const half = (a: Decimal.Decimal, b: Decimal.Decimal): Decimal.Decimal => {
  const digits = Math.max(Decimal.scale(a), Decimal.scale(b))
  return Decimal.fromUnits((Decimal.toUnits(a, digits) + Decimal.toUnits(b, digits)) * 5n, digits + 1)
}

/** Every end, and a number on either side of it. */
const numberPoints = (tests: ReadonlyArray<Test>): ReadonlyArray<string> => {
  const ends = new Set<Decimal.Decimal>()
  for (const test of tests)
    if (test.tag === "number")
      for (const { low, high } of test.ranges) for (const end of [low, high]) if (end !== undefined) ends.add(end.value)
  const sorted = [...ends].toSorted(Decimal.compare)
  if (sorted.length === 0) return [Decimal.zero]
  const one = Decimal.make("1")
  return [
    Decimal.subtract(sorted[0]!, one),
    ...sorted.flatMap((end, index) => (index === 0 ? [end] : [half(sorted[index - 1]!, end), end])),
    Decimal.add(sorted.at(-1)!, one)
  ]
}

/** Every end, and the days beside it. */
const dayPoints = (tests: ReadonlyArray<Test>): ReadonlyArray<string> => {
  const points = new Set<string>()
  for (const test of tests)
    if (test.tag === "day")
      for (const { low, high } of test.ranges)
        for (const end of [low, high])
          if (typeof end?.value === "string")
            for (const shift of [-1, 0, 1]) {
              const day = CalendarDate.addDays(CalendarDate.make(end.value), shift)
              if (CalendarDate.is(day)) points.add(day)
            }
  return points.size === 0 ? ["2000-01-01"] : [...points].toSorted()
}

/** A text that is no number, no day, no truth value and none of those. */
const otherText = (texts: ReadonlySet<string>): string => {
  let other = "\u{10FFFD}"
  while (texts.has(other)) other += "\u{10FFFD}"
  return other
}

const textPoints = (tests: ReadonlyArray<Test>): ReadonlyArray<string> => {
  const texts = new Set<string>()
  for (const test of tests)
    if (test.tag === "text" && isDecidable(test)) for (const text of test.values) texts.add(text)
  return [...texts, otherText(texts)]
}

/** A text that cannot be read as anything but text. */
export const stray = otherText(new Set())

/**
 * Nothing comes first, then at least one value that can be read so, in the order of the numbers or days; `stray` is
 * not among them. Ends of ranges and texts that are compared with are points themselves.
 */
export const pointsOf = (tests: ReadonlyArray<Test>, reading: Reading): ReadonlyArray<FieldValue> => {
  switch (reading) {
    case "number":
      return [null, ...numberPoints(tests)]
    case "day":
      return [null, ...dayPoints(tests)]
    case "truth":
      return [null, true, false]
    case "text":
      return [null, ...textPoints(tests)]
  }
}
