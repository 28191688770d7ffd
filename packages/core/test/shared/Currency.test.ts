import * as Currency from "../../src/shared/Currency.ts"
import * as Decimal from "../../src/shared/Decimal.ts"
import { describe, expect, it } from "vitest"

describe("Currency", () => {
  it("takes the currencies of old statements, with the smallest unit that they had", () => {
    for (const [code, digits] of [
      ["DEM", 2],
      ["FRF", 2],
      ["LTL", 2],
      ["EEK", 2],
      ["ITL", 0],
      ["ESP", 0],
      ["BEF", 0],
      ["PTE", 0],
      ["GRD", 0],
      ["TRL", 0],
      ["CHF", 2],
      ["JPY", 0]
    ] as const) {
      expect([code, Currency.parse(code.toLowerCase()), Currency.minorDigits(Currency.make(code))]).toEqual([
        code,
        code,
        digits
      ])
    }
    expect(Currency.toMinorUnit(Decimal.make("12.345"), Currency.make("DEM"))).toBe("12.34")
    expect(Currency.toMinorUnit(Decimal.make("1500.5"), Currency.make("ITL"))).toBe("1500")
  })

  it("takes no code that never was a currency", () => {
    for (const code of ["XXL", "XXX", "XTS", "EU", "EURO", "x:", ""]) expect(Currency.parse(code)).toBeUndefined()
  })
})
