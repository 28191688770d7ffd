import { NodeDigest } from "@millrace/adapters"
import * as Currency from "../../src/shared/Currency.ts"
import { Digest } from "../../src/shared/Digest.ts"
import { readingKey, type ReadingOptions } from "../../src/upload/Reading.ts"
import type { CsvOptions } from "../../src/feed/CsvOptions.ts"
import type { StatementFormat } from "../../src/upload/Statement.ts"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"

const keyOf = Effect.map(
  Digest,
  (digest) =>
    (format: StatementFormat, csv: CsvOptions | undefined, currency = "CHF") =>
      readingKey(format, { baseCurrency: Currency.make(currency), csv } satisfies ReadingOptions, digest)
)

it.effect("is another for other options, and the same for the same in any order", () =>
  Effect.gen(function* () {
    const key = yield* keyOf
    const keys = [
      key("csv", undefined),
      key("csv", undefined, "EUR"),
      key("csv", { dateFormat: "DD/MM/YYYY" }),
      key("csv", { dateFormat: "MM/DD/YYYY" }),
      key("csv", { dateFormat: "MM/DD/YYYY", negate: true }),
      key("csv", { columns: { amount: "Betrag", date: "Datum" } })
    ]
    expect(new Set(keys).size).toBe(keys.length)
    expect(key("csv", { negate: true, dateFormat: "MM/DD/YYYY" })).toBe(keys[4])
    expect(key("csv", { columns: { date: "Datum", amount: "Betrag" } })).toBe(keys[5])
    expect(key("csv", {})).toBe(keys[0])
    expect(key("ofx", { dateFormat: "DD/MM/YYYY" })).toBe(key("ofx", undefined))
    expect(key("camt", { encoding: "utf-8" })).toBe(key("camt", undefined))
    expect(key("mt940", { dateFormat: "DD/MM/YYYY" })).toBe(key("mt940", undefined))
    expect(key("mt940", { encoding: "windows-1250" })).not.toBe(key("mt940", undefined))
    expect(key("qif", { delimiter: ";" })).toBe(key("qif", undefined))
    expect(key("qif", { dateFormat: "DD/MM/YYYY" })).not.toBe(key("qif", undefined))
  }).pipe(Effect.provide(NodeDigest.layer))
)
