/** Tables of ours and their rows (decisions 4.5 and 5.7). */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { ActorRef } from "@millrace/core/access/ActorRef"
import { fieldKeyForm, tableFieldTypes } from "@millrace/core/table/Table"
import { Id } from "@millrace/core/shared/Ids"
import { Timestamp } from "@millrace/core/shared/Timestamp"
import { always, ofBody, ofPath, Unprocessable } from "./ApiError.ts"
import { Many, One } from "./Envelope.ts"
import { ifNoneMatch, Name, OptionalText } from "./FeedApi.ts"
import { operation } from "./Operation.ts"
import { paging } from "./Parameters.ts"

const FieldRecord = Schema.Struct({
  id: Id("field"),
  key: Schema.String,
  name: Schema.String,
  type: Schema.Literals(tableFieldTypes),
  required: Schema.Boolean,
  unique: Schema.Boolean,
  origin: Schema.Literals(["user", "feed"]),
  position: Schema.Int
}).annotate({ identifier: "TableField" })

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
  createdAt: Timestamp,
  updatedAt: Timestamp,
  trashedAt: Schema.NullOr(Timestamp),
  purgeAt: Schema.NullOr(Timestamp)
}).annotate({ identifier: "Table" })

export const RowRecord = Schema.Struct({
  id: Id("row"),
  tableId: Id("table"),
  /** Field key -> value; numbers are exact. */
  values: Schema.Record(Schema.String, Schema.Unknown),
  externalKey: Schema.NullOr(Schema.String),
  createdBy: ActorRef,
  updatedBy: ActorRef,
  version: Schema.Int,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  trashedAt: Schema.NullOr(Timestamp)
}).annotate({ identifier: "Row" })

export const CreateTable = Schema.Struct({
  name: Name,
  icon: OptionalText,
  description: OptionalText,
  fields: Schema.Array(
    Schema.Struct({
      /** Made from the name when absent. */
      key: Schema.optionalKey(
        Schema.String.check(
          Schema.isPattern(fieldKeyForm, { expected: "a small letter followed by up to 63 letters, digits and _" })
        )
      ),
      name: Name,
      type: Schema.Literals(tableFieldTypes)
    })
  )
}).annotate({ identifier: "CreateTable" })

const byId = { table_id: Schema.String }

export const TableApi = HttpApiGroup.make("tables", { topLevel: true }).add(
  HttpApiEndpoint.post("createTable", "/v1/tables", {
    payload: CreateTable,
    success: One(TableRecord).pipe(HttpApiSchema.status(201)),
    error: [...always, ...ofBody, Unprocessable]
  }).annotateMerge(operation("Create a table", { scopes: ["tables:write"], body: "required" })),
  HttpApiEndpoint.get("listTables", "/v1/tables", {
    success: Many(TableRecord),
    error: always
  }).annotateMerge(operation("List tables", { scopes: ["tables:read"] })),
  HttpApiEndpoint.get("getTable", "/v1/tables/:table_id", {
    params: byId,
    headers: ifNoneMatch,
    success: One(TableRecord),
    error: ofPath
  }).annotateMerge(operation("Get a table", { scopes: ["tables:read"], versioned: true })),
  HttpApiEndpoint.get("listRows", "/v1/tables/:table_id/rows", {
    params: byId,
    query: paging,
    success: Many(RowRecord),
    error: ofPath
  }).annotateMerge(operation("List the rows of a table, oldest first", { scopes: ["tables:read"] })),
  HttpApiEndpoint.get("getRow", "/v1/tables/:table_id/rows/:row_id", {
    params: { ...byId, row_id: Schema.String },
    headers: ifNoneMatch,
    success: One(RowRecord),
    error: ofPath
  }).annotateMerge(operation("Get a row", { scopes: ["tables:read"], versioned: true }))
)
