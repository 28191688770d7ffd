/** Answers that are made of what storage wrote are those that are made of the records, to the byte. */
import { packFields } from "../../adapters/src/storage/postgres/RecordFields.ts"
import { pageOf } from "../../adapters/src/storage/postgres/WrittenPage.ts"
import { CalendarDate } from "@millrace/core"
import { PublicRows } from "@millrace/core/kernel"
import { type Fields, type FieldValue, fieldsOf, type ShownRecord, shownPage } from "@millrace/core/record"
import { Seeded } from "../../testing/src/model/Seeded.ts"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { describe, expect, it } from "vitest"
import { Transaction } from "../src/api/DataRecords.ts"
import { FreshMany, many } from "../src/api/Envelope.ts"
import { encoder } from "../src/answer/Encoder.ts"
import { listAnswer } from "../src/answer/WrittenRows.ts"

const amounts = ["-12.5", "12.5", "0", "1234567890123456789.0123456789", null]
const texts = ["", "Blue Heron", 'a "b" \\ c', "line\nbreak\u0001", "\u2028é €", "🏦", "\ud800", "/", null]
const specs = fieldsOf.transactions
const keys = [...Object.keys(specs), "ticker"].filter((key) => key !== "id")

const valueOf = (random: Seeded, key: string): FieldValue => {
  const type = specs[key]?.type
  return type === "bool" ? random.once(2) : random.pick(type === "num" ? amounts : texts)
}

const recordOf = (random: Seeded, id: string): ShownRecord & { readonly pending: boolean } => {
  const own = keys.filter(() => !random.once(3)).toSorted(() => (random.once(4) ? 1 : -1))
  const fields: Fields = Object.fromEntries(own.map((key) => [key, valueOf(random, key)]))
  return { id, date: random.once(9) ? null : CalendarDate.make("2026-03-14"), pending: random.once(2), fields }
}

const written = (records: ReadonlyArray<ReturnType<typeof recordOf>>) => {
  const rows = records.map(({ fields, ...beside }) => {
    const { date, id, pending } = beside
    return `{"id":"${id}","date":${JSON.stringify(date)},"pending":${pending},"fields":${packFields(fields, beside)}}`
  })
  return pageOf(new TextEncoder().encode(`[${rows.join(", \n ")}]`))
}

const encode = encoder(FreshMany(Transaction))
const answer = listAnswer(FreshMany, Transaction)

describe("an answer of rows that are written", () => {
  it("has the bytes of one that is encoded, whatever is in the rows and whosever they are", () => {
    const random = new Seeded(11)
    for (let n = 0; n < 300; n++) {
      const records = Array.from({ length: random.below(12) }, (_, at) => recordOf(random, `txn_${at}`))
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
      const [read, unread] = [shownPage(records), written(records)].map(
        (page) => new PublicRows("transactions", page, owner, length)
      )
      const self = '/v1/x?q="data":['
      const page = { hasMore: true, cursor: "next" }
      const meta = { stale: false, window: {} }
      const response = answer(many(self, [], page, { ...meta, count: length }), unread!)
      const body = HttpServerResponse.toWeb(response)
      expect(unread!.page.written).toBeDefined()
      expect(body.headers.get("content-type")).toBe("application/json")
      const bytes = (response.body as { readonly body: Uint8Array }).body
      expect(new TextDecoder().decode(bytes)).toBe(encode(many(self, read!.fields, page, meta)))
    }
  })
})
