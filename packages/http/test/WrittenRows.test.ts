/** Answers that are made of what storage wrote are those that are made of the records, to the byte. */
import { packFields } from "../../adapters/src/storage/postgres/record/RecordFields.ts"
import { pageOf } from "../../adapters/src/storage/postgres/WrittenPage.ts"
import { CalendarDate } from "@millrace/core"
import { PublicRows } from "@millrace/core/kernel"
import {
  type Fields,
  type FieldSpecs,
  type FieldValue,
  fieldsOf,
  type ShownRecord,
  shownPage
} from "@millrace/core/record"
import { Seeded } from "../../testing/src/model/Seeded.ts"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { describe, expect, it } from "vitest"
import { Holding, Order, Trade, Transaction } from "../src/api/DataRecords.ts"
import { FreshMany, many } from "../src/api/Envelope.ts"
import { encoder } from "../src/answer/Encoder.ts"
import { listAnswer } from "../src/answer/WrittenRows.ts"

const amounts = ["-12.5", "12.5", "0", "1234567890123456789.0123456789", null]
const texts = ["", "Blue Heron", 'a "b" \\ c', "line\nbreak\u0001", "\u2028é €", "🏦", "\ud800", "/", null]
const lists = [
  ["transactions", Transaction],
  ["trades", Trade],
  ["holdings", Holding],
  ["orders", Order]
] as const
type Listed = (typeof lists)[number][0]

const recordOf = (random: Seeded, dataType: Listed, id: string): ShownRecord & { readonly pending: boolean } => {
  const specs: FieldSpecs = fieldsOf[dataType]
  const keys = [...Object.keys(specs), "ticker", "pending"].filter((key) => key !== "id")
  const valueOf = (key: string): FieldValue => {
    const type = specs[key]?.type
    return type === "bool" ? random.once(2) : random.pick(type === "num" ? amounts : texts)
  }
  const own = [...new Set(keys)].filter(() => !random.once(3)).toSorted(() => (random.once(4) ? 1 : -1))
  const fields: Fields = Object.fromEntries(own.map((key) => [key, valueOf(key)]))
  return { id, date: random.once(9) ? null : CalendarDate.make("2026-03-14"), pending: random.once(2), fields }
}

const written = (records: ReadonlyArray<ReturnType<typeof recordOf>>) => {
  const rows = records.map(({ fields, ...beside }) => {
    const { date, id, pending } = beside
    return `{"id":"${id}","date":${JSON.stringify(date)},"pending":${pending},"fields":${packFields(fields, beside)}}`
  })
  return pageOf(new TextEncoder().encode(`[${rows.join(", \n ")}]`))
}

const compare = (a: FieldValue | undefined, b: FieldValue | undefined): number => {
  const [x, y] = [JSON.stringify(a) ?? "", JSON.stringify(b) ?? ""]
  return x === y ? 0 : x < y ? -1 : 1
}

describe.each(lists)("an answer of %s that are written", (dataType, row) => {
  const encode = encoder(FreshMany(row))
  const answer = listAnswer(FreshMany, row)
  const sorted = ["ticker", "currency"]

  it("has the bytes of one that is encoded, whatever is in the rows, in whatever order, and whosever they are", () => {
    const random = new Seeded(11)
    for (let n = 0; n < 300; n++) {
      const records = Array.from({ length: random.below(12) }, (_, at) => recordOf(random, dataType, `txn_${at}`))
      const owner: Fields = random.once(5)
        ? {}
        : {
            accountId: "acct_1",
            accountName: random.pick(texts),
            accountType: "checking",
            bankId: "bank_1",
            bank: 'B "é"'
          }
      const length = random.once(3) ? Math.max(0, records.length - 1) : records.length
      const isSorted = random.once(2)
      const [read, unread] = [shownPage(records), written(records)].map((page) => {
        const rows = new PublicRows(dataType, page, owner, length)
        if (!isSorted) return rows
        return rows.sortedBy(sorted, (a, b) => {
          for (const field of sorted) if (compare(a[field], b[field]) !== 0) return compare(a[field], b[field])
          return 0
        })
      })
      const self = '/v1/x?q="data":['
      const page = { hasMore: true, cursor: "next" }
      const meta = { stale: false, window: {} }
      const response = answer(many(self, [], page, { ...meta, count: length }), unread!)
      const body = HttpServerResponse.toWeb(response)
      expect(unread!.page.written).toBeDefined()
      expect(body.headers.get("content-type")).toBe("application/json")
      const bytes = (response.body as { readonly body: Uint8Array }).body
      expect(new TextDecoder().decode(bytes)).toBe(encode(many(self, read!.fields, page, meta)))
      expect(unread!.fields).toEqual(read!.fields)
      for (let at = 0; at < length; at++) {
        const { date, id } = read!.page.position(at)
        expect(unread!.page.position(at)).toEqual({ date, id })
      }
    }
  })
})
