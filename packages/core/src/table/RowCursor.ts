/** Where a page of rows ended, in a cursor that may not be long (decisions 1.6). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { CursorUnusable } from "../failure/Failure.ts"
import type { Cursors } from "../shared/Cursors.ts"
import type { Digest } from "../shared/Digest.ts"
import { Id } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import { Timestamp } from "../shared/Timestamp.ts"
import type { RowQuery } from "./RowRequest.ts"
import type { RowPosition } from "./RowScan.ts"
import type { Row } from "./Table.ts"

/** What a query asks for, besides the page. */
export type RowQuestion = Pick<RowQuery, "fields" | "filter" | "params" | "sort" | "timezone" | "trashed">

const Question = Schema.Struct({
  filter: Schema.optionalKey(Schema.Json),
  sort: Schema.optionalKey(
    Schema.Array(Schema.Struct({ field: Schema.String, desc: Schema.optionalKey(Schema.Boolean) }))
  ),
  fields: Schema.optionalKey(Schema.Array(Schema.String)),
  params: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  timezone: Schema.optionalKey(Schema.String),
  trashed: Schema.optionalKey(Schema.Boolean)
})

const At = Schema.Union([
  Schema.Struct({
    values: Schema.Array(Schema.Union([Schema.String, Schema.Boolean, Schema.Null])),
    id: Id("row")
  }),
  /** The values did not fit: they are read again, if the row is still that version. */
  Schema.Struct({ id: Id("row"), version: Schema.Int })
])

const Payload = Schema.Struct({
  now: Timestamp,
  at: At,
  question: Schema.optionalKey(Question),
  /** The question did not fit and has to be sent again. */
  digest: Schema.optionalKey(Schema.String)
})

export interface Resumed {
  readonly now: Timestamp
  readonly at: typeof At.Type
  readonly question: RowQuestion
}

/** Equal for questions that differ in the order of their keys alone. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part
  )

/** Plain JSON without what is absent. */
const questionOf = ({ fields, filter, params, sort, timezone, trashed }: RowQuestion): Schema.Json =>
  JSON.parse(JSON.stringify({ fields, filter, params, sort, timezone, trashed })) as Schema.Json

const unusable = new CursorUnusable({ expired: false })

export const rowCursors = (cursors: Cursors["Service"], digest: Digest["Service"]) => {
  const digestOf = (question: RowQuestion) => digest.contentHash(canonical(questionOf(question)))
  return {
    encode: Effect.fnUntraced(function* (
      bound: string,
      now: Timestamp,
      question: RowQuestion,
      position: RowPosition,
      row: Row
    ) {
      const whole = { question: questionOf(question) }
      const short = { digest: digestOf(question) }
      const exact = { values: position.values, id: position.id }
      const named = { id: row.id, version: row.version }
      for (const [asked, at] of [
        [whole, exact],
        [whole, named],
        [short, exact]
      ] as const) {
        const cursor = yield* cursors.encode(bound, "page", { now, at, ...asked })
        if (cursor.length <= limits.cursorLength) return cursor
      }
      return yield* cursors.encode(bound, "page", { now, at: named, ...short })
    }),
    decode: Effect.fnUntraced(function* (bound: string, cursor: string, sent: RowQuestion) {
      const { at, digest: expected, now, question } = yield* cursors.decode(bound, Payload, cursor)
      if (question !== undefined) return { now, at, question } satisfies Resumed
      if (expected !== digestOf(sent)) return yield* unusable
      return { now, at, question: sent } satisfies Resumed
    })
  }
}
