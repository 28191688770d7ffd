/** Tables of ours with rows (decisions 4.5). */
import * as Schema from "effect/Schema"
import { ActorRef } from "../access/ActorRef.ts"
import { Fields } from "../record/FieldValue.ts"
import { Id } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import { Timestamp } from "../shared/Timestamp.ts"

export type TableId = Id<"table">

export const tableFieldTypes = ["text", "number", "currency", "date", "datetime", "boolean"] as const

export const fieldKeyForm = /^[a-z][A-Za-z0-9_]{0,63}$/

export const TableField = Schema.Struct({
  id: Id("field"),
  /** Never changes. */
  key: Schema.String.check(
    Schema.isPattern(fieldKeyForm, { message: "must begin with a small letter and hold letters, digits and _" })
  ),
  name: Schema.NonEmptyString.check(Schema.isMaxLength(limits.nameLength)),
  type: Schema.Literals(tableFieldTypes),
  /** Who made it. A feed writes the fields that it maps, whoever made them, and no others. */
  origin: Schema.Literals(["user", "feed"]),
  position: Schema.Int
})
export type TableField = typeof TableField.Type

export const Table = Schema.Struct({
  id: Id("table"),
  workspaceId: Id("workspace"),
  name: Schema.String,
  icon: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  fields: Schema.Array(TableField),
  rowCount: Schema.Int,
  createdBy: ActorRef,
  version: Schema.Int,
  createdAt: Timestamp,
  updatedAt: Timestamp
})
export type Table = typeof Table.Type

export const Row = Schema.Struct({
  id: Id("row"),
  tableId: Id("table"),
  values: Fields,
  /** Key under which a feed keeps the row; absent for rows of people. */
  externalKey: Schema.optionalKey(Schema.String),
  createdBy: ActorRef,
  updatedBy: ActorRef,
  version: Schema.Int,
  createdAt: Timestamp,
  updatedAt: Timestamp
})
export type Row = typeof Row.Type
