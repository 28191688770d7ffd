import type { IndexEntry } from "../../../src/record/LedgerRecord.ts"
import * as CalendarDate from "../../../src/shared/CalendarDate.ts"
import type { Fields } from "../../../src/record/FieldValue.ts"
import type { Observation } from "../../../src/record/Observation.ts"
import { delta, full, held, idsOf, matched, read as readAny, type Held, type Read } from "./Rows.ts"
import { defaultMatchConfig } from "../../../src/identity/match/Matching.ts"
import { describe, expect, it } from "vitest"

const receipt: Fields = {
  merchantName: "Blue Heron",
  date: "2026-03-14",
  totalAmount: "12.5",
  currency: "EUR",
  reference: "371"
}

const contentOf = (change: Fields) => {
  const fields = Object.fromEntries(Object.entries({ ...receipt, ...change }).filter(([, value]) => value !== null))
  const { date } = fields
  return {
    date: typeof date === "string" ? CalendarDate.make(date) : null,
    hash: JSON.stringify(Object.entries(fields).toSorted()),
    fields
  }
}

const seen = (providerId: string, change: Fields = {}): Observation => ({
  providerId,
  pendingProviderId: "",
  pending: false,
  ...contentOf(change)
})

const kept = (id: string, providerId: string, change: Fields = {}, entry: Partial<IndexEntry> = {}): Held => {
  const { date, fields, hash } = contentOf(change)
  return held(id, {}, { providerId, date, hash, ...entry }, { fields })
}

const read = (asked: Read) => readAny({ dataType: "receipts", coverage: delta, ...asked })

const outcome = (asked: Read) => {
  const result = read(asked)
  return {
    changed: matched(result),
    confirmed: result.confirmed.map(({ entry, observation }) => [observation.providerId, entry?.id]),
    suggested: result.suggestions.map(({ recordId }) => recordId)
  }
}

const nothing = { changed: [], confirmed: [], suggested: [] }

describe("readings of documents", () => {
  it("are the same record under the same id, whatever they say now", () => {
    const all = { merchantName: "Red Crane", date: "2026-04-01", totalAmount: "99", reference: "1" }
    expect(outcome({ held: [kept("a", "f1")], observations: [seen("f1", all)] })).toEqual({
      ...nothing,
      changed: [["f1", "a"]]
    })
    expect(outcome({ held: [kept("a", "f1")], observations: [seen("f1")] })).toEqual(nothing)
  })

  it("are one document where seller, day, total and number agree: the record stays as its own file tells it", () => {
    const copy = seen("f2", { merchantName: " BLUE  HERON", description: "scanned again" })
    expect(outcome({ held: [kept("a", "f1")], observations: [copy] })).toEqual({ ...nothing, confirmed: [["f2", "a"]] })
    expect(outcome({ held: [kept("a", "f1")], observations: [copy, seen("f1")] })).toEqual({
      ...nothing,
      confirmed: [["f2", "a"]]
    })
  })

  it("are other documents where one of these differs", () => {
    for (const change of [
      { merchantName: "Heron" },
      { date: "2026-03-15" },
      { totalAmount: "12.51" },
      { currency: "USD" },
      { reference: "372" }
    ]) {
      expect(outcome({ held: [kept("a", "f1")], observations: [seen("f2", change)] })).toEqual({
        ...nothing,
        changed: [["f2", undefined]]
      })
    }
  })

  it("ask a person where the number is not known: two equal purchases are two", () => {
    const suggested = { ...nothing, changed: [["f2", undefined]], suggested: ["a"] }
    const unnumbered = { reference: null }
    expect(outcome({ held: [kept("a", "f1", unnumbered)], observations: [seen("f2", unnumbered)] })).toEqual(suggested)
    expect(outcome({ held: [kept("a", "f1")], observations: [seen("f2", unnumbered)] })).toEqual(suggested)
    expect(outcome({ observations: [seen("f1", unnumbered), seen("f2", unnumbered)] }).changed).toHaveLength(2)
  })

  it("say nothing about each other where seller, day or total is not known", () => {
    for (const key of ["merchantName", "date", "totalAmount", "currency"]) {
      const change = { [key]: null }
      expect(outcome({ held: [kept("a", "f1", change)], observations: [seen("f2", change)] })).toEqual({
        ...nothing,
        changed: [["f2", undefined]]
      })
    }
  })

  it("are one new record where one read shows the document twice, in whatever order", () => {
    const [a, b] = [seen("f1"), seen("f2", { description: "again" })]
    const [one, other] = [read({ observations: [a, b] }), read({ observations: [b, a] })]
    expect(matched(one)).toHaveLength(1)
    expect(matched(other)).toEqual(matched(one))
    expect([one.unchanged, other.unchanged]).toEqual([1, 1])
  })

  it("stay copies of the record that they were known as, and take its place once its own file is gone", () => {
    const asked = {
      held: [kept("a", "f1")],
      aliases: new Map([["f2", "a"]]),
      observations: [seen("f2", { totalAmount: "13" })]
    }
    expect(outcome(asked)).toEqual(nothing)
    expect(outcome({ ...asked, removed: new Set(["f1"]) }).changed).toEqual([["f2", "a"]])
    expect(outcome({ ...asked, coverage: full }).changed).toEqual([["f2", "a"]])
    expect(outcome({ ...asked, coverage: full, observations: [...asked.observations, seen("f1")] })).toEqual(nothing)
  })

  it("bring a removed record back, and not one that a person deleted", () => {
    const copy = seen("f2")
    expect(outcome({ held: [kept("a", "f1", {}, { state: "removed" })], observations: [copy] }).changed).toEqual([
      ["f2", "a"]
    ])
    const deleted = read({ held: [kept("a", "f1", {}, { state: "deleted" })], observations: [copy] })
    expect([matched(deleted), deleted.absorbed.map(({ entry }) => entry?.id)]).toEqual([[], ["a"]])
  })

  it("are not joined again after a person has parted them, nor when only ids count", () => {
    const asked = { held: [kept("a", "f1")], observations: [seen("f2")] }
    expect(outcome({ ...asked, isForbidden: () => true })).toEqual({ ...nothing, changed: [["f2", undefined]] })
    expect(outcome({ ...asked, byIdOnly: true })).toEqual({ ...nothing, changed: [["f2", undefined]] })
  })

  it("are gone when the source says so, and missed when a complete read lacks them", () => {
    const records = [kept("a", "f1"), kept("b", "f2", { reference: "9" })]
    const told = read({ held: records, observations: [], removed: new Set(["f1"]) })
    expect([idsOf(told.gone), told.missed]).toEqual([["a"], []])
    const complete = read({ held: records, observations: [seen("f1")], coverage: full })
    expect([complete.gone, complete.missed.map(({ entry }) => entry.id)]).toEqual([[], ["b"]])
  })

  it("are known by the fields that somebody asks for, by any one name of them", () => {
    const config = { ...defaultMatchConfig, keyFields: ["merchantName", "amount", "date"] }
    const other = seen("f2", { reference: "9" })
    expect(outcome({ config, held: [kept("a", "f1")], observations: [other] }).confirmed).toEqual([["f2", "a"]])
    const dearer = seen("f2", { totalAmount: "13" })
    expect(outcome({ config, held: [kept("a", "f1")], observations: [dearer] })).toEqual({
      ...nothing,
      changed: [["f2", undefined]]
    })
    // Without the day, a document of any day may be meant.
    const byNumber = { ...defaultMatchConfig, keyFields: ["merchantName", "reference"] }
    const later = seen("f2", { date: "2026-09-01", totalAmount: "13" })
    expect(outcome({ config: byNumber, held: [kept("a", "f1")], observations: [later] }).confirmed).toEqual([
      ["f2", "a"]
    ])
    const supplier = { merchantName: null, reference: null, supplierName: "Heron Supplies", invoiceNumber: "1" }
    const invoice = kept("a", "f1", supplier)
    const again = seen("f2", { ...supplier, date: "2026-09-01", totalAmount: "13" })
    expect(
      outcome({ config: byNumber, dataType: "invoices", held: [invoice], observations: [again] }).confirmed
    ).toEqual([["f2", "a"]])
    const title = { title: "Lease", date: "2026-01-01" }
    const lease = { config: { ...defaultMatchConfig, keyFields: ["title"] }, dataType: "documents" } as const
    expect(
      outcome({
        ...lease,
        held: [kept("a", "f1", title)],
        observations: [seen("f2", { ...title, date: "2026-02-01" })]
      }).confirmed
    ).toEqual([["f2", "a"]])
  })

  it("of invoices are known by supplier and number, those of documents by their ids alone", () => {
    const invoice = { merchantName: null, reference: null, supplierName: "Heron Supplies", invoiceNumber: "2026-1" }
    const asked = { held: [kept("a", "f1", invoice)], observations: [seen("f2", invoice)] }
    expect(outcome({ ...asked, dataType: "invoices" })).toEqual({ ...nothing, confirmed: [["f2", "a"]] })
    expect(outcome({ ...asked, dataType: "documents" })).toEqual({ ...nothing, changed: [["f2", undefined]] })
  })
})
