/** Tables of ours (decisions 4.5 and 5.7). */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { ActorRef } from "@millrace/core/access"
import { Id, Name, Timestamp } from "@millrace/core"
import { always, ofBody, ofKey, ofPath, Stale, StateConflict, Unprocessable } from "./ApiError.ts"
import { Deleted, Many, One } from "./Envelope.ts"
import { ifMatch, ifNoneMatch, OptionalText } from "./FeedApi.ts"
import { CreateField, FieldRecord } from "./FieldApi.ts"
import { Flag, Text } from "./Parameters.ts"

export const TableRecord = Schema.Struct({
  id: Id("table"),
  name: Schema.String,
  icon: Schema.NullOr(Schema.String),
  description: Schema.optionalKey(Schema.String),
  folderId: Schema.NullOr(Schema.String),
  fields: Schema.Array(FieldRecord),
  keyFields: Schema.Array(Schema.String),
  rowCount: Schema.Int,
  source: Schema.Struct({ kind: Schema.Literals(["manual", "feed"]), id: Schema.NullOr(Schema.String) }),
  createdBy: ActorRef,
  version: Schema.Int,
  createdAt: Timestamp.Timestamp,
  updatedAt: Timestamp.Timestamp,
  trashedAt: Schema.NullOr(Timestamp.Timestamp),
  purgeAt: Schema.NullOr(Timestamp.Timestamp)
}).annotate({ identifier: "Table" })

const keys = (description: string) => Schema.optionalKey(Schema.Array(Text).annotate({ description }))
const keyFields = keys("Keys of the fields that tell rows apart when rows are upserted.")
const folderId = Schema.optionalKey(Schema.NullOr(Schema.String))

export const CreateTable = Schema.Struct({
  name: Name,
  icon: OptionalText,
  description: OptionalText,
  folderId,
  fields: Schema.Array(CreateField),
  keyFields
}).annotate({ identifier: "CreateTable" })

export const UpdateTable = Schema.Struct({
  name: Schema.optionalKey(Name),
  icon: OptionalText,
  description: OptionalText,
  folderId,
  keyFields,
  fieldOrder: keys("Keys of fields in their new order; those left out follow in the order they have.")
}).annotate({ identifier: "UpdateTable" })

const byId = { table_id: Schema.String }

export const TableApi = HttpApiGroup.make("tables", { topLevel: true }).add(
  HttpApiEndpoint.get("listTables", "/v1/tables", {
    query: { trashed: Schema.optionalKey(Flag), folderId: Schema.optionalKey(Text) },
    success: Many(TableRecord),
    error: always
  }),
  HttpApiEndpoint.post("createTable", "/v1/tables", {
    payload: CreateTable,
    success: One(TableRecord).pipe(HttpApiSchema.status(201)),
    error: [...always, ...ofBody, ...ofKey]
  }),
  HttpApiEndpoint.get("getTable", "/v1/tables/:table_id", {
    params: byId,
    headers: ifNoneMatch,
    success: One(TableRecord),
    error: ofPath
  }),
  HttpApiEndpoint.put("updateTable", "/v1/tables/:table_id", {
    params: byId,
    headers: ifMatch,
    payload: UpdateTable,
    success: One(TableRecord),
    error: [...ofPath, ...ofBody, Stale, Unprocessable]
  }),
  HttpApiEndpoint.delete("deleteTable", "/v1/tables/:table_id", {
    params: byId,
    query: { permanent: Schema.optionalKey(Flag) },
    headers: ifMatch,
    success: Deleted,
    error: [...ofPath, StateConflict, Stale]
  }),
  HttpApiEndpoint.post("restoreTable", "/v1/tables/:table_id/restore", {
    params: byId,
    success: One(TableRecord),
    error: [...ofPath, ...ofKey]
  })
)
