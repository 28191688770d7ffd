import { describe, expect, it } from "@effect/vitest"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import * as Currency from "../../src/shared/Currency.ts"
import * as Decimal from "../../src/shared/Decimal.ts"
import { convert, noRates, rateOn, rateTable } from "../../src/shared/RateTable.ts"

const [eur, usd, jpy, gbp] = [Currency.make("EUR"), Currency.make("USD"), Currency.make("JPY"), Currency.make("GBP")]
const friday = CalendarDate.make("2026-02-27")
const table = rateTable("v", eur, [
  {
    date: friday,
    quotes: new Map([
      [usd, Decimal.make("1.1111")],
      [gbp, Decimal.make("0.85")]
    ])
  },
  {
    date: CalendarDate.make("2026-03-02"),
    quotes: new Map([
      [usd, Decimal.make("1.25")],
      [jpy, Decimal.make("160.05")],
      [gbp, Decimal.zero]
    ])
  }
])
const on = (amount: string, from: Currency.Currency, to: Currency.Currency, day: string) =>
  convert(table, Decimal.make(amount), from, to, CalendarDate.make(day))

describe("conversion by dated rates", () => {
  it("takes the rates of the day, or the last ones of the week before", () => {
    expect(on("100", eur, usd, "2026-03-02")).toEqual({ amount: "125", rate: "1.25", on: "2026-03-02" })
    expect(on("100", eur, usd, "2026-03-01")).toEqual({ amount: "111.11", rate: "1.1111", on: friday })
    expect(on("100", eur, usd, "2026-03-09")?.on).toBe("2026-03-02")
  })

  it("guesses nothing: not later than a week, not before the first day, not without quotes of both", () => {
    for (const day of ["2026-03-10", "2026-02-26"]) expect(on("100", eur, usd, day)).toBeUndefined()
    expect(on("100", eur, Currency.make("SEK"), "2026-03-02")).toBeUndefined()
    expect(convert(noRates, Decimal.make("1"), eur, usd, friday)).toBeUndefined()
    // The quote of nothing says nothing: the one before counts.
    expect(on("100", eur, gbp, "2026-03-02")).toEqual({ amount: "85", rate: "0.85", on: friday })
  })

  it("crosses by the base with quotes of one day, and rounds once, half away from zero, to the smallest unit", () => {
    expect(on("1", usd, jpy, "2026-03-02")?.amount).toBe("128")
    expect(on("-1.007", usd, jpy, "2026-03-02")?.amount).toBe("-129")
    expect(on("0.0625", eur, usd, "2026-03-02")?.amount).toBe("0.08")
    expect(on("100", usd, eur, "2026-03-01")).toEqual({ amount: "90", rate: "0.90000900009", on: friday })
  })

  it("leaves amounts of the same currency as they are, whatever is known", () => {
    expect(convert(noRates, Decimal.make("12.34"), usd, usd, friday)?.amount).toBe("12.34")
    expect(rateOn(noRates, jpy, jpy, friday)?.rate).toBe("1")
  })
})
