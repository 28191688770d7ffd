import type { Range } from "../../src/filter/FilterPlan.ts"
import { numberTest } from "../../src/filter/NumberTest.ts"
import * as Decimal from "../../src/shared/Decimal.ts"
import { Seeded } from "@millrace/testing/model"
import { expect, it } from "vitest"

const random = new Seeded(20_268)
const digits = (most: number): string => random.list(1, most, () => String(random.below(10))).join("")
const number = (): string => {
  const whole = digits(random.pick([1, 2, 3, 7, 12, 20]))
  const fraction = random.once(3) ? "" : `.${digits(random.pick([1, 2, 4, 5, 15]))}`
  return `${random.once(2) ? "-" : ""}${whole}${fraction}`
}
const junk = [
  "",
  "-",
  ".",
  "-.",
  "+1",
  "1.",
  ".5",
  "1e3",
  "0x10",
  "NaN",
  "Infinity",
  "1,5",
  " 12 ",
  "١",
  "--1",
  "1-",
  "1.2.3"
]

it("compares exactly as decimals do, whatever the number of digits", () => {
  for (let n = 0; n < 30_000; n++) {
    const low = { value: Decimal.make(number()), open: random.once(2) }
    const high = { value: Decimal.make(number()), open: random.once(2) }
    const ranges: ReadonlyArray<Range<Decimal.Decimal>> = random.pick([
      [{ low }],
      [{ high }],
      [{ low, high }, { high: low }]
    ])
    const text = random.once(6) ? random.pick(junk) : random.once(4) ? low.value : number()
    const value = Decimal.parse(text.trim())
    const within = (range: Range<Decimal.Decimal>): boolean => {
      const above = range.low === undefined ? 1 : Decimal.compare(value!, range.low.value)
      const below = range.high === undefined ? -1 : Decimal.compare(value!, range.high.value)
      return (above > 0 || (above === 0 && !range.low!.open)) && (below < 0 || (below === 0 && !range.high!.open))
    }
    const expected = value === undefined ? -1 : ranges.some(within) ? 1 : 0
    const found = numberTest(ranges)(text)
    if (found !== expected) expect({ text, ranges, found }).toEqual({ text, ranges, found: expected })
  }
})

it("reads into whole units only what is a plain decimal that they hold exactly", () => {
  expect(Decimal.safeUnits("-12.5")).toBe(-125_000)
  expect(Decimal.safeUnits("0.0001")).toBe(1)
  for (const text of [...junk, "0.00001", "123456789.123", "9999999999999"])
    expect([text, Decimal.safeUnits(text)]).toEqual([text, Number.NaN])
})
