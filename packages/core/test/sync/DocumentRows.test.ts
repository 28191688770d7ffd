import { documentOf, documentRows } from "../../src/sync/DocumentRows.ts"
import { carryItems, itemsText } from "../../src/record/Items.ts"
import type { Fields } from "../../src/record/FieldValue.ts"
import type { LedgerRecord } from "../../src/record/LedgerRecord.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { Ids } from "../../src/shared/Ids.ts"
import * as Timestamp from "../../src/shared/Timestamp.ts"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"

const accountId = Effect.runSync(Effect.flatMap(Ids, (ids) => ids.next("account")).pipe(Effect.provide(Ids.layer)))
const at = Timestamp.make("2026-03-14T09:30:00.000Z")
const tea = { itemName: "Tea", itemAmount: "2.5" }
const cake = { itemName: "Cake", itemAmount: "4" }

const receipt = (fields: Fields, change: Partial<LedgerRecord> = {}): LedgerRecord => ({
  id: "rcpt_1",
  accountId,
  dataType: "receipts",
  providerId: "f1",
  date: CalendarDate.make("2026-03-14"),
  pending: false,
  state: "live",
  hash: "h",
  fields,
  changeNo: 1,
  publicChangeNo: 1,
  version: 1,
  annotated: false,
  createdAt: at,
  updatedAt: at,
  ...change
})

const listing = (...items: ReadonlyArray<Fields>): Fields => ({ merchantName: "Heron", items: itemsText([], items) })
const whole = { dataType: "receipts" } as const
const itemized = {
  ...whole,
  extractionConfig: { extractionFields: [{ key: "vat", name: "VAT", type: "number" as const }], itemizePerRow: true }
}

const shownOf = (rows: ReturnType<typeof documentRows>) =>
  rows.filter(({ shown }) => shown).map(({ record, rowId }) => [rowId, record.fields])

describe("rows of a document", () => {
  it("are one for each item, with the fields of the document", () => {
    expect(shownOf(documentRows(itemized, receipt(listing(tea, cake))))).toEqual([
      ["rcpt_1:1", { merchantName: "Heron", ...tea }],
      ["rcpt_1:2", { merchantName: "Heron", ...cake }]
    ])
  })

  it("are the document alone where the feed asks for that, or where it lists nothing", () => {
    expect(shownOf(documentRows(whole, receipt(listing(tea))))).toEqual([["rcpt_1", { merchantName: "Heron" }]])
    expect(shownOf(documentRows(itemized, receipt({ merchantName: "Heron" })))).toEqual([
      ["rcpt_1", { merchantName: "Heron" }]
    ])
  })

  it("name all rows that the document could have had, as parts of it that are removed", () => {
    const fields = carryItems(listing(tea, cake), listing(cake))
    for (const [feed, hidden] of [
      [itemized, ["rcpt_1", "rcpt_1:1"]],
      [whole, ["rcpt_1:2", "rcpt_1:1"]]
    ] as const) {
      const rows = documentRows(feed, receipt(fields)).filter(({ shown }) => !shown)
      expect(rows.map(({ rowId }) => rowId)).toEqual(hidden)
      expect(rows.every(({ record }) => record.state === "removed" && record.mergedInto === "rcpt_1")).toBe(true)
    }
  })

  it("go with their document", () => {
    const rows = documentRows(itemized, receipt(listing(tea), { state: "removed" }))
    expect(rows.map(({ record, shown }) => [record.state, shown, record.mergedInto])).toEqual([
      ["removed", false, "rcpt_1"],
      ["removed", true, undefined]
    ])
    expect(rows.map(({ rowId }) => documentOf(rowId))).toEqual(["rcpt_1", "rcpt_1"])
  })
})
