import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { CalendarDate, Currency, Decimal, RateTable } from "@millrace/core"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { makeRateFile } from "../../src/rates/RateFile.ts"
import { readRates } from "../../src/rates/RateText.ts"

const day = CalendarDate.make("2026-03-02")
const [eur, usd, jpy] = [Currency.make("EUR"), Currency.make("USD"), Currency.make("JPY")]

const csv = "Date,USD,JPY,CYP,\n2026-03-02,1.25,160.5,N/A,\n2026-02-27,1.2,160,,\n"

describe("rates in text", () => {
  it("are read from the history of the European Central Bank, in which some currencies have no rate", () => {
    const table = Result.getOrThrow(readRates(csv, "v"))
    expect(RateTable.convert(table, Decimal.make("10"), eur, usd, day)).toEqual({
      amount: "12.5",
      rate: "1.25",
      on: day
    })
    expect(RateTable.convert(table, Decimal.make("-10"), usd, jpy, day)?.amount).toBe("-1284")
    expect(RateTable.rateOn(table, Currency.make("CYP"), eur, day)).toBeUndefined()
  })

  it("are read from JSON with a base of its own", () => {
    const text = JSON.stringify({ base: "USD", days: { [day]: { EUR: "0.8", JPY: 150 } } })
    const table = Result.getOrThrow(readRates(`\uFEFF${text}`, "v"))
    expect(RateTable.rateOn(table, eur, jpy, day)?.rate).toBe("187.5")
  })

  it.each([
    ["what is neither", "rates", "must be JSON"],
    ["broken JSON", "{", "is not JSON"],
    ["a key that nobody knows", '{"base":"EUR","days":{},"rate":1}', "rate is not a known key"],
    ["a base that is no currency", '{"base":"EURO","days":{}}', "base must be"],
    ["a day that is none", '{"base":"EUR","days":{"2026-02-30":{}}}', "days.2026-02-30 is not a date"],
    ["a currency that is none", `{"base":"EUR","days":{"${day}":{"DOLLAR":1}}}`, '"DOLLAR" is no currency'],
    ["a rate of nothing", `Date,USD\n${day},0\n`, 'line 2: "0" of USD is no rate'],
    ["a line without a day", "Date,USD\n,1\n", 'line 2: "" is not a date']
  ])("are refused: %s", (_, text, fault) => {
    expect(Result.getOrThrow(Result.flip(readRates(text, "v")))).toContain(fault)
  })
})

it.effect(
  "a file of rates is read again when it was replaced, and its last good content stays when it was spoilt",
  () =>
    Effect.gen(function* () {
      const folder = yield* Effect.promise(() => mkdtemp(join(tmpdir(), "rates-")))
      yield* Effect.addFinalizer(() => Effect.promise(() => rm(folder, { recursive: true })))
      const path = join(folder, "rates.csv")
      let minute = 0
      const write = (text: string) =>
        Effect.promise(async () => {
          await writeFile(path, text)
          // Files of one instant and size would look the same.
          await utimes(path, minute, ++minute)
        })
      const file = yield* makeRateFile(path)
      expect(yield* file.read).toBe(RateTable.noRates)
      yield* write(csv)
      const first = yield* file.read
      expect(RateTable.rateOn(first, eur, usd, day)?.rate).toBe("1.25")
      expect(yield* file.read).toBe(first)
      yield* write(csv.replace("1.25", "1.26"))
      const second = yield* file.read
      expect(RateTable.rateOn(second, eur, usd, day)?.rate).toBe("1.26")
      expect(second.version).not.toBe(first.version)
      yield* write("Date,USD\nnonsense,1\n")
      expect(yield* file.read).toBe(second)
    })
)
