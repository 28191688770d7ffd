/** Where a page of rows ended and what was asked for, so that a cursor alone leads on (decisions 1.6). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { type Bound, Cursors } from "../cursor/Cursors.ts"
import { Id } from "../shared/Ids.ts"
import { parseExactly } from "../shared/RawNumber.ts"
import { Timestamp } from "../shared/Timestamp.ts"
import type { RowQuery } from "./RowRequest.ts"
import type { RowPosition } from "./RowScan.ts"

/** What a query asks for, besides the page. */
export type RowQuestion = Pick<RowQuery, "fields" | "filter" | "params" | "sort" | "timezone" | "trashed">

const Question = Schema.Struct({
  /** JSON text, which keeps all digits of its numbers. */
  filter: Schema.optionalKey(Schema.String),
  sort: Schema.optionalKey(
    Schema.Array(Schema.Struct({ field: Schema.String, desc: Schema.optionalKey(Schema.Boolean) }))
  ),
  fields: Schema.optionalKey(Schema.Array(Schema.String)),
  params: Schema.optionalKey(Schema.String),
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

export interface Resumed extends Omit<typeof Payload.Type, "question"> {
  readonly question: RowQuestion
}

/** Plain JSON without what is absent. */
const kept = ({ fields, filter, params, sort, timezone, trashed }: RowQuestion): Schema.Json =>
  JSON.parse(
    JSON.stringify({
      fields,
      filter: filter === undefined ? undefined : JSON.stringify(filter),
      params: params === undefined ? undefined : JSON.stringify(params),
      sort,
      timezone,
      trashed
    })
  ) as Schema.Json

const questionOf = ({ filter, params, ...rest }: typeof Question.Type): RowQuestion => ({
  ...rest,
  ...(filter === undefined ? {} : { filter: parseExactly(filter) }),
  ...(params === undefined ? {} : { params: parseExactly(params) as NonNullable<RowQuestion["params"]> })
})

const make = Effect.gen(function* () {
  const cursors = yield* Cursors

  return {
    encode: Effect.fnUntraced(function* (bound: Bound, now: Timestamp, question: RowQuestion, position: RowPosition) {
      const at = { values: [...position.values], id: position.id }
      return yield* cursors.encode(bound, "page", { now, at, question: kept(question) })
    }),
    decode: (bound: Bound, cursor: string) =>
      Effect.map(cursors.decode(bound, Payload, cursor), ({ question, ...rest }): Resumed => ({
        ...rest,
        question: questionOf(question)
      }))
  }
})

/** Makes and reads the cursors of row queries. */
export class RowCursors extends Context.Service<RowCursors>()("@millrace/core/table/RowCursors", { make }) {
  static readonly layer: Layer.Layer<RowCursors, never, Cursors> = Layer.effect(RowCursors, make)
}
