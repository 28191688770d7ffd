/** Rows of tables (decisions 4.5 and 5.7). */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { ActorRef } from "@millrace/core/access"
import { Id, limits, Timestamp } from "@millrace/core"
import { ofBody, ofKey, ofPath, Stale, StateConflict, Unprocessable } from "./ApiError.ts"
import { Deleted, Links, ListMeta, Many, One } from "./Envelope.ts"
import { ifMatch, ifNoneMatch } from "./FeedApi.ts"
import { FieldsParameter, FilterParameter, FilterTree, Sort, SortParameter } from "../wire/Filter.ts"
import { Cursor, Flag, paging, Text } from "./Parameters.ts"

const Values = Schema.Record(Schema.String, Schema.Unknown).annotate({
  description: "Field key -> value. Numbers keep all their digits; fields of type json hold JSON."
})

export const RowRecord = Schema.Struct({
  id: Id("row"),
  tableId: Id("table"),
  values: Values,
  externalKey: Schema.NullOr(Schema.String),
  held: Schema.Array(Schema.String).annotate({
    description: "Keys of fields that a person or a program wrote in a row of a feed: the feed leaves them alone."
  }),
  createdBy: ActorRef,
  updatedBy: ActorRef,
  version: Schema.Int,
  createdAt: Timestamp.Timestamp,
  updatedAt: Timestamp.Timestamp,
  trashedAt: Schema.NullOr(Timestamp.Timestamp)
}).annotate({ identifier: "Row" })

const Outcome = Schema.Struct({
  id: Id("row"),
  status: Schema.Literals(["created", "updated", "unchanged"])
}).annotate({ identifier: "RowOutcome" })

const bulk = [Schema.isMinLength(1), Schema.isMaxLength(limits.bulkRows)] as const

export const CreateRows = Schema.Struct({
  rows: Schema.Array(
    Schema.Struct({
      values: Values,
      externalKey: Schema.optionalKey(
        Schema.NullOr(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(limits.externalKeyLength)))
      )
    })
  ).check(...bulk),
  mode: Schema.optionalKey(
    Schema.Literals(["insert", "upsert"]).annotate({
      description: "upsert finds rows by the key fields of the table, or by externalKey when it has none."
    })
  )
}).annotate({ identifier: "CreateRows" })

const change = {
  values: Values.annotate({ description: "Merged by field key; null clears. Numbers keep all their digits." }),
  version: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: limits.largestInteger })).annotate({
      description: "The version that was read; a stale one is refused."
    })
  ),
  release: Schema.optionalKey(
    Schema.Array(Text).annotate({ description: "Keys of fields that follow the feed again." })
  )
}

export const UpdateRow = Schema.Struct(change).annotate({ identifier: "UpdateRow" })

export const UpdateRows = Schema.Struct({
  rows: Schema.Array(Schema.Struct({ id: Schema.String, ...change })).check(...bulk)
}).annotate({ identifier: "UpdateRows" })

export const DeleteRows = Schema.Struct({ ids: Schema.Array(Schema.String).check(...bulk) }).annotate({
  identifier: "DeleteRows"
})

export const QueryRows = Schema.Struct({
  filter: Schema.optionalKey(FilterTree),
  sort: Schema.optionalKey(
    Schema.Array(Sort).annotate({
      description: `At most ${limits.rowSortFields} fields. Rows without a value come last.`
    })
  ),
  fields: Schema.optionalKey(Schema.Array(Text).annotate({ description: "Keys of the only cells to answer." })),
  limit: Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)).annotate({
      default: limits.page.default,
      description: `More than ${limits.page.max} is taken for ${limits.page.max}.`
    })
  ),
  cursor: Schema.optionalKey(
    Cursor.annotate({ description: "meta.cursor of an earlier answer. Beside it only limit and includeTotal count." })
  ),
  params: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Unknown).annotate({ description: 'Values of {"$param": name} in the filter.' })
  ),
  timezone: Schema.optionalKey(
    Text.annotate({
      description: "IANA name of the zone in which days begin; that of the workspace when absent."
    })
  ),
  includeTotal: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Counts all rows that pass the filter, in meta.total." })
  )
}).annotate({ identifier: "QueryRows" })

const Found = Schema.Struct({
  success: Schema.Literal(true),
  data: Schema.Array(RowRecord),
  meta: Schema.Struct({
    ...ListMeta.fields,
    total: Schema.optionalKey(Schema.Int.annotate({ description: "Rows of the whole query, where it was asked for." }))
  }),
  links: Links
})

const rows = "/v1/tables/:table_id/rows"
const inTable = { table_id: Schema.String }
const byId = { ...inTable, row_id: Schema.String }

export const RowApi = HttpApiGroup.make("rows", { topLevel: true }).add(
  HttpApiEndpoint.get("listRows", rows, {
    params: inTable,
    query: {
      ...paging,
      sort: Schema.optionalKey(SortParameter),
      filter: Schema.optionalKey(FilterParameter),
      fields: Schema.optionalKey(FieldsParameter),
      trashed: Schema.optionalKey(Flag)
    },
    success: Many(RowRecord),
    error: [...ofPath, Unprocessable]
  }),
  HttpApiEndpoint.post("queryRows", `${rows}/query`, {
    params: inTable,
    payload: QueryRows,
    success: Found,
    error: [...ofPath, ...ofBody, Unprocessable]
  }),
  HttpApiEndpoint.get("getRow", `${rows}/:row_id`, {
    params: byId,
    headers: ifNoneMatch,
    success: One(RowRecord),
    error: ofPath
  }),
  HttpApiEndpoint.post("createRows", rows, {
    params: inTable,
    payload: CreateRows,
    success: Many(Outcome).pipe(HttpApiSchema.status(201)),
    error: [...ofPath, ...ofBody, ...ofKey]
  }),
  HttpApiEndpoint.put("updateRows", rows, {
    params: inTable,
    payload: UpdateRows,
    success: Many(RowRecord),
    error: [...ofPath, ...ofBody, StateConflict, Unprocessable]
  }),
  HttpApiEndpoint.post("deleteRows", `${rows}/delete`, {
    params: inTable,
    payload: DeleteRows,
    success: Deleted,
    error: [...ofPath, ...ofBody, ...ofKey]
  }),
  HttpApiEndpoint.put("updateRow", `${rows}/:row_id`, {
    params: byId,
    headers: ifMatch,
    payload: UpdateRow,
    success: One(RowRecord),
    error: [...ofPath, ...ofBody, StateConflict, Stale, Unprocessable]
  }),
  HttpApiEndpoint.delete("deleteRow", `${rows}/:row_id`, {
    params: byId,
    headers: ifMatch,
    success: Deleted,
    error: [...ofPath, Stale]
  }),
  HttpApiEndpoint.post("restoreRow", `${rows}/:row_id/restore`, {
    params: byId,
    success: One(RowRecord),
    error: [...ofPath, ...ofKey]
  })
)
