import { NodeDigest } from "@millrace/adapters"
import type { ObservedRecord } from "../../src/provider/Provider.ts"
import type { SyncDataType } from "../../src/record/DataType.ts"
import type { Fields } from "../../src/record/FieldValue.ts"
import { Digest } from "../../src/shared/Digest.ts"
import { cleanText } from "../../src/text/CleanText.ts"
import { ingest } from "../../src/sync/Ingest.ts"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"

const digest = Effect.runSync(Digest.pipe(Effect.provide(NodeDigest.layer)))

const good: Fields = {
  date: "2026-03-14",
  description: "Coop Zurich",
  originalDescription: "COOP-4412 ZURICH",
  amount: "-12.50",
  currency: "chf"
}

const observed = (fields: Fields, change: Partial<ObservedRecord> = {}): ObservedRecord => ({
  providerAccountId: "a",
  providerId: " p1 ",
  pending: false,
  fields,
  ...change
})

const read = (fields: Fields, change: Partial<ObservedRecord> = {}, dataType: SyncDataType = "transactions") => {
  const result = ingest(dataType, observed(fields, change), digest)
  return "observation" in result ? result.observation : expect.fail(result.quarantined.reason)
}

const reasonOf = (fields: Fields, change: Partial<ObservedRecord> = {}) => {
  const result = ingest("transactions", observed(fields, change), digest)
  return "quarantined" in result ? result.quarantined.reason : expect.fail("it was taken in")
}

const texts = ({ fields }: { readonly fields: Fields }) => [fields["description"], fields["originalDescription"]]

describe("ingest", () => {
  it("fills in what has a right answer", () => {
    const row = read(good)
    expect(row).toMatchObject({ providerId: "p1", pendingProviderId: "", pending: false, date: "2026-03-14" })
    expect(row.fields).toEqual({
      date: "2026-03-14",
      description: "Coop Zurich",
      originalDescription: "COOP-4412 ZURICH",
      amount: "-12.5",
      creditAmount: "0",
      debitAmount: "12.5",
      currency: "CHF",
      category: "UNCATEGORIZED",
      type: "OTHER",
      reference: "",
      pending: false
    })
  })

  it.each([
    ["currency", { currency: "ZZZ" }, 'currency: "ZZZ" is not a currency'],
    ["amount", { amount: "1,50" }, "amount: cannot be read as num"],
    ["amount", { amount: true }, "amount: cannot be read as num"],
    ["amount", { amount: "12345678901234" }, "amount: cannot be read as num"],
    ["amount", { amount: null }, "amount: is missing"],
    ["date", { date: "2026-02-30" }, "date: cannot be read as date"],
    ["date", { date: null }, "date: is missing"],
    ["merchantName", { merchantName: true }, "merchantName: cannot be read as str"],
    ["authorizedDate", { authorizedDate: "yesterday" }, "authorizedDate: cannot be read as date"]
  ] as const)("sets aside a record with a bad %s: %j", (_, change, reason) => {
    expect(reasonOf({ ...good, ...change })).toBe(reason)
  })

  it("keeps money that comes without a text", () => {
    const { description: _, originalDescription: _o, ...rest } = good
    expect(texts(read(rest))).toEqual(["", ""])
    expect(texts(read({ ...rest, description: "", originalDescription: "" }))).toEqual(["", ""])
    expect(texts(read({ ...rest, description: "Coop" }))).toEqual(["Coop", "Coop"])
    expect(texts(read({ ...rest, originalDescription: "COOP" }))).toEqual(["COOP", "COOP"])
  })

  it("names the record that it sets aside, without what could break a log", () => {
    const result = ingest("transactions", observed({}, { providerId: "\u0000x\n" }), digest)
    expect(result).toMatchObject({ quarantined: { providerId: "x" } })
  })

  it("takes the day and the text of a pending row from where they are told", () => {
    const { date: _, description: _d, ...rest } = good
    const row = read({ ...rest, authorizedDate: "2026-03-13" }, { pending: true })
    expect([row.date, row.fields["date"], row.fields["description"]]).toEqual([
      "2026-03-13",
      "2026-03-13",
      "COOP-4412 ZURICH"
    ])
    expect(reasonOf({ ...rest, authorizedDate: "2026-03-13" })).toBe("date: is missing")
  })

  it("tells pending in one way only", () => {
    const row = read({ ...good, pending: true }, { pending: false })
    expect([row.pending, row.fields["pending"]]).toEqual([false, false])
  })

  it("rounds money to the unit of its currency, and rates not", () => {
    expect(read({ ...good, amount: "0.125" }).fields["amount"]).toBe("0.12")
    expect(read({ ...good, amount: "0.135", currency: "JPY" }).fields["amount"]).toBe("0")
    const holding = read({ quantity: "0.123456789", currency: "USD", currentValue: "1.005" }, {}, "holdings")
    expect(holding.fields).toMatchObject({ quantity: "0.123456789", currentValue: "1" })
  })

  it("hashes equal contents alike, whatever their order, and others differently", () => {
    const { date, ...rest } = good
    expect(read({ ...rest, date: date!, unknown: "ignored" }).hash).toBe(read(good).hash)
    expect(read({ ...good, amount: "-12.5" }).hash).toBe(read(good).hash)
    expect(read({ ...good, merchantName: "" }).hash).toBe(read(good).hash)
    const others = [
      { amount: "12.5" },
      { date: "2026-03-15" },
      { description: "coop zurich" },
      { merchantName: "Coop" }
    ]
    const hashes = others.map((change) => read({ ...good, ...change }).hash)
    expect(new Set([read(good).hash, read(good, { pending: true }).hash, ...hashes]).size).toBe(6)
  })

  it("keeps text clean, whole and short enough to store", () => {
    expect(cleanText("  a\u0000b\u0007\tc\r\n")).toBe("ab\tc")
    expect(cleanText("\ud800x").isWellFormed()).toBe(true)
    expect(cleanText("😀".repeat(3_000)).length).toBeLessThanOrEqual(2_000)
    expect(cleanText("😀".repeat(3_000)).isWellFormed()).toBe(true)
    expect(
      read({ ...good, description: "x\u0000y" }, { providerId: "a\u0000b", pendingProviderId: "\u0001" })
    ).toMatchObject({
      providerId: "ab",
      pendingProviderId: ""
    })
  })
})
