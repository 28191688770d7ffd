import * as Currency from "../../src/shared/Currency.ts"
import * as Decimal from "../../src/shared/Decimal.ts"
import { describe, expect, it } from "vitest"
import { Seeded } from "@millrace/testing/model"

const scaleMost = 30

/** The reference: a number as an integer of 10^-30. */
const unitsOf = (text: string): bigint => {
  const [whole = "", fraction = ""] = text.replace("-", "").split(".")
  const units = BigInt((whole === "" ? "0" : whole) + fraction.padEnd(scaleMost, "0"))
  return text.startsWith("-") ? -units : units
}

const digits = (random: Seeded, most: number): string =>
  random.list(1, most, () => (random.once(3) ? "0" : String(random.below(10)))).join("")

const anyText = (random: Seeded): string => {
  const sign = random.pick(["", "-", "+"])
  const whole = digits(random, random.once(4) ? 25 : 5)
  return random.once(3) ? `${sign}${whole}` : `${sign}${whole}.${digits(random, random.once(4) ? 20 : 4)}`
}

const canonical = (random: Seeded): Decimal.Decimal => Decimal.make(anyText(random))

const rounds = 5_000

describe("Decimal", () => {
  it("reads every spelling of a number as one text", () => {
    const random = new Seeded(1)
    for (let i = 0; i < rounds; i++) {
      const text = anyText(random)
      const value = Decimal.make(text)
      expect(unitsOf(value)).toBe(unitsOf(text.replace("+", "")))
      expect(value).toMatch(/^(0|-?(0\.\d*[1-9]|[1-9]\d*(\.\d*[1-9])?))$/)
      expect(Decimal.parse(value)).toBe(value)
      expect(Decimal.is(value)).toBe(true)
    }
  })

  it("moves the point as an exponent says", () => {
    const random = new Seeded(2)
    for (let i = 0; i < rounds; i++) {
      const mantissa = `${random.pick(["", "-"])}${random.below(1_000)}.${random.below(1_000)}`
      const shift = random.below(17) - 8
      const value = Decimal.make(
        `${mantissa}${random.pick(["e", "E"])}${shift >= 0 ? random.pick(["", "+"]) : ""}${shift}`
      )
      const [left, right] = shift >= 0 ? [unitsOf(value), unitsOf(mantissa)] : [unitsOf(mantissa), unitsOf(value)]
      expect(left).toBe(right * 10n ** BigInt(Math.abs(shift)))
    }
  })

  it.each([
    "",
    " ",
    ".",
    "-",
    "+",
    "1,000",
    "1 000",
    "1.2.3",
    "$1",
    "NaN",
    "Infinity",
    "0x10",
    "1e",
    "e5",
    ".e5",
    "1e401",
    "--1",
    "1_0",
    "٣",
    "1\n",
    " 1"
  ])("refuses %j", (text) => {
    expect(Decimal.parse(text)).toBeUndefined()
  })

  it("adds, subtracts and sums exactly", () => {
    const random = new Seeded(3)
    for (let i = 0; i < rounds; i++) {
      const values = random.list(0, 8, () => canonical(random))
      expect(unitsOf(Decimal.sum(values))).toBe(values.reduce((sum, value) => sum + unitsOf(value), 0n))
      const [a, b] = [canonical(random), canonical(random)]
      expect(unitsOf(Decimal.add(a, b))).toBe(unitsOf(a) + unitsOf(b))
      expect(unitsOf(Decimal.subtract(a, b))).toBe(unitsOf(a) - unitsOf(b))
    }
  })

  it("adds values on both sides of what a double holds", () => {
    const edges = [
      "99999999999",
      "999999999999",
      "950670683604",
      "-99999999999.9999",
      "0.0001",
      "-0.00001",
      "9007199254740993"
    ]
    for (const a of edges) {
      for (const b of edges) {
        const [x, y] = [Decimal.make(a), Decimal.make(b)]
        expect(Decimal.sum([x, y, x, Decimal.negate(y)])).toBe(Decimal.add(x, x))
        expect(Decimal.sum([x, y])).toBe(Decimal.add(x, y))
      }
    }
  })

  it("keeps a sum exact where doubles would lose it", () => {
    const values = Array.from({ length: 10_000 }, () => Decimal.make("999999999.9999"))
    expect(Decimal.sum(values)).toBe("9999999999999")
    expect(Decimal.sum([...values, Decimal.make("0.00000000000000000001")])).toBe("9999999999999.00000000000000000001")
  })

  it("orders like numbers, and knows signs", () => {
    const random = new Seeded(4)
    for (let i = 0; i < rounds; i++) {
      const [a, b] = [canonical(random), random.once(5) ? Decimal.make("0") : canonical(random)]
      const difference = unitsOf(a) - unitsOf(b)
      expect(Decimal.compare(a, b)).toBe(difference < 0n ? -1 : difference > 0n ? 1 : 0)
      expect(Decimal.sign(a)).toBe(unitsOf(a) < 0n ? -1 : unitsOf(a) > 0n ? 1 : 0)
      expect(unitsOf(Decimal.negate(a))).toBe(-unitsOf(a))
      expect(Decimal.isNegative(Decimal.abs(a))).toBe(false)
      expect(Decimal.wholeDigits(a)).toBe(a.replace("-", "").split(".")[0]!.length)
    }
  })

  it("rounds halves to even, or away from zero", () => {
    const random = new Seeded(5)
    for (let i = 0; i < rounds; i++) {
      const value = random.once(3) ? Decimal.make(`${random.below(100) - 50}.${random.below(10)}5`) : canonical(random)
      const to = random.below(5)
      const unit = 10n ** BigInt(scaleMost - to)
      const units = unitsOf(Decimal.abs(value))
      const [whole, rest] = [units / unit, (units % unit) * 2n]
      const sign = Decimal.isNegative(value) ? -1n : 1n
      const even = rest > unit || (rest === unit && whole % 2n === 1n) ? whole + 1n : whole
      const away = rest >= unit ? whole + 1n : whole
      expect(unitsOf(Decimal.roundHalfEven(value, to))).toBe(sign * even * unit)
      expect(unitsOf(Decimal.roundHalfAway(value, to))).toBe(sign * away * unit)
      expect(Decimal.is(Decimal.roundHalfEven(value, to))).toBe(true)
    }
  })

  it("never makes a negative zero", () => {
    expect(["-0", "-0.00", "-.0", "-0e5"].map((text) => Decimal.parse(text))).toEqual(["0", "0", "0", "0"])
    expect(Decimal.roundHalfEven(Decimal.make("-0.004"), 2)).toBe("0")
    expect(Decimal.negate(Decimal.zero)).toBe("0")
  })
})

describe("Currency", () => {
  it.each([
    ["USD", 2, "10.12"],
    ["JPY", 0, "10"],
    ["KWD", 3, "10.123"],
    ["CLF", 4, "10.1235"],
    ["x:BTC", 8, "10.12349999"]
  ])("rounds amounts of %s to %i digits", (code, digitsOf, rounded) => {
    const currency = Currency.make(code)
    expect(Currency.minorDigits(currency)).toBe(digitsOf)
    expect(Currency.toMinorUnit(Decimal.make("10.123499990"), currency)).toBe(rounded)
  })

  it("takes official codes in either case, and nothing that is no currency", () => {
    expect(Currency.parse("chf")).toBe("CHF")
    expect(["", "US", "USDX", "ZZZ", "x:", "x:a b", " USD", "$"].map((text) => Currency.parse(text))).toEqual(
      Array.from({ length: 8 }, () => undefined)
    )
  })
})
