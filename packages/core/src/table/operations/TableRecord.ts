import * as Schema from "effect/Schema"
import { ActorRef } from "../../access/ActorRef.ts"
import { Text } from "../../operation/Parameters.ts"
import { Id } from "../../shared/Ids.ts"
import * as Timestamp from "../../shared/Timestamp.ts"
import type { Table } from "../Table.ts"
import { FieldRecord, fieldToWire } from "./FieldRecord.ts"

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

export const keys = (description: string) => Schema.optionalKey(Schema.Array(Text).annotate({ description }))

export const keyFields = keys("Keys of the fields that tell rows apart when rows are upserted.")

export const folderId = Schema.optionalKey(Schema.NullOr(Schema.String))

const sourceOf = (createdBy: ActorRef) =>
  createdBy.kind === "sync" || createdBy.kind === "extractor"
    ? { kind: "feed" as const, id: createdBy.feedId }
    : { kind: "manual" as const, id: null }

/** A table as it is sent. Names every field, so that nothing internal can slip through. */
export const tableToWire = (table: Table) => ({
  id: table.id,
  name: table.name,
  icon: table.icon ?? null,
  ...(table.description === undefined ? {} : { description: table.description }),
  folderId: table.folderId ?? null,
  fields: table.fields.map(fieldToWire),
  keyFields: table.keyFields,
  rowCount: table.rowCount,
  source: sourceOf(table.createdBy),
  createdBy: table.createdBy,
  version: table.version,
  createdAt: table.createdAt,
  updatedAt: table.updatedAt,
  trashedAt: table.trashedAt ?? null,
  purgeAt: table.purgeAt ?? null
})

export const shown = (table: Table) => tableToWire(table)
