/** Where a page of rows ended and what was asked for, so that a cursor alone leads on (decisions 1.6). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Bound, Cursors } from "../shared/Cursors.ts"
import { Id } from "../shared/Ids.ts"
import { Timestamp } from "../shared/Timestamp.ts"
import type { RowQuery } from "./RowRequest.ts"
import type { RowPosition } from "./RowScan.ts"

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

const Payload = Schema.Struct({
  now: Timestamp,
  /** The values by which the last row was sorted, as they were: the row itself may change or go. */
  at: Schema.Struct({
    values: Schema.Array(Schema.Union([Schema.String, Schema.Boolean, Schema.Null])),
    id: Id("row")
  }),
  question: Question
})

export type Resumed = typeof Payload.Type

/** Plain JSON without what is absent. */
const questionOf = ({ fields, filter, params, sort, timezone, trashed }: RowQuestion): Schema.Json =>
  JSON.parse(JSON.stringify({ fields, filter, params, sort, timezone, trashed })) as Schema.Json

export const rowCursors = (cursors: Cursors["Service"]) => ({
  encode: Effect.fnUntraced(function* (bound: Bound, now: Timestamp, question: RowQuestion, position: RowPosition) {
    const at = { values: [...position.values], id: position.id }
    return yield* cursors.encode(bound, "page", { now, at, question: questionOf(question) })
  }),
  decode: (bound: Bound, cursor: string) => cursors.decode(bound, Payload, cursor)
})
