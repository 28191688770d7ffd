import { toPublic } from "../../src/bank/PublicRecord.ts"
import { fieldsOf } from "../../src/record/DataType.ts"
import type { FieldSpecs } from "../../src/record/DataType.ts"
import { describe, expect, it } from "vitest"

const owner = { accountId: "acct_1", bank: "Northern Bank" }
const of = (fields: Record<string, string>) => toPublic("transactions", { id: "txn_1", fields }, owner)

const text = fieldsOf.transactions["description"]!

describe("PublicRecord", () => {
  it("has the fields of its type that are known, in the order of the type, whatever the records before it had", () => {
    for (const round of [1, 2]) {
      expect(Object.entries(of({ type: "CARD", date: "2026-03-14", unknown: "x" })), `round ${round}`).toEqual([
        ["id", "txn_1"],
        ["date", "2026-03-14"],
        ["type", "CARD"],
        ["accountId", "acct_1"],
        ["bank", "Northern Bank"],
        ["pendingTransactionId", null]
      ])
      expect(Object.keys(of({ pendingTransactionId: "txn_0", bank: "Own" }))).toEqual([
        "id",
        "pendingTransactionId",
        "accountId",
        "bank"
      ])
      expect(of({ bank: "Own" })["bank"]).toBe("Own")
    }
  })

  it("has all fields of a feed that declares more than a number has bits", () => {
    const specs: FieldSpecs = Object.fromEntries(Array.from({ length: 70 }, (_, n) => [`field${n}`, text]))
    for (const known of [
      [0, 31, 32, 69],
      [1, 33, 64],
      [31, 63]
    ]) {
      const fields = Object.fromEntries(known.map((n) => [`field${n}`, `value ${n}`]))
      expect(Object.entries(toPublic("invoices", { id: "doc_1", fields }, {}, specs))).toEqual(Object.entries(fields))
    }
  })
})
