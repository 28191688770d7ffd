/** Tables of ours with rows (decisions 4.5). */
import * as Schema from "effect/Schema"
import { ActorRef } from "../access/ActorRef.ts"
import type { CellValue } from "../filter/FilterField.ts"
import { Id } from "../shared/Ids.ts"
import * as Timestamp from "../shared/Timestamp.ts"

export type TableId = Id<"table">
export type FieldId = Id<"field">
export type RowId = Id<"row">

export const tableFieldTypes = [
  "text",
  "number",
  "currency",
  "date",
  "datetime",
  "boolean",
  "select",
  "multi_select",
  "relation",
  "email",
  "url",
  "json"
] as const
export type TableFieldType = (typeof tableFieldTypes)[number]

/** Types that can be asked for; `file` is known and refused, since nothing stores files in tables yet. */
export const askableFieldTypes = [...tableFieldTypes, "file"] as const
export type AskableFieldType = (typeof askableFieldTypes)[number]

export const fieldKeyForm = /^[a-z][A-Za-z0-9_]{0,63}$/

/** One value that a select or multi-select field can have. Cells hold the id. */
export const Choice = Schema.Struct({
  id: Schema.String,
  label: Schema.String,
  color: Schema.optionalKey(Schema.String)
})
export type Choice = typeof Choice.Type

export const FieldOptions = Schema.Struct({
  /** Of select and multi_select fields. */
  choices: Schema.optionalKey(Schema.Array(Choice)),
  /** Of currency fields. */
  currency: Schema.optionalKey(Schema.String),
  /** Of number and currency fields: digits after the point, 0 to 12. */
  scale: Schema.optionalKey(Schema.Int),
  /** Of relation fields: whose rows the cells name, one of them or many. */
  relation: Schema.optionalKey(Schema.Struct({ tableId: Id("table"), many: Schema.Boolean }))
})
export type FieldOptions = typeof FieldOptions.Type

/** Text, numbers and dates as text, a truth value, a list of ids or choices, or nothing. */
const Cell: Schema.Codec<CellValue> = Schema.Union([
  Schema.String,
  Schema.Boolean,
  Schema.Null,
  Schema.Array(Schema.String)
])

export const TableField = Schema.Struct({
  id: Id("field"),
  /** Never changes. */
  key: Schema.String.check(
    Schema.isPattern(fieldKeyForm, { message: "must begin with a small letter and hold letters, digits and _" })
  ),
  name: Schema.String,
  type: Schema.Literals(tableFieldTypes),
  options: Schema.optionalKey(FieldOptions),
  /** Of what people and programs write; feeds deliver what they have. */
  required: Schema.Boolean,
  /** No two live rows have the same value; text is compared folded. */
  unique: Schema.Boolean,
  /** Filters and sorts on it stay fast in large tables. */
  indexed: Schema.Boolean,
  /** Cell of new rows that do not say otherwise. */
  default: Schema.optionalKey(Cell),
  description: Schema.optionalKey(Schema.String),
  /** Who made it. A feed writes the fields that it maps, no matter who made them, and no others. */
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
  /** By position. */
  fields: Schema.Array(TableField),
  /** Keys of the fields that tell rows apart when rows are upserted; may be empty. */
  keyFields: Schema.Array(Schema.String),
  folderId: Schema.optionalKey(Schema.String),
  /** Live rows. */
  rowCount: Schema.Int,
  createdBy: ActorRef,
  version: Schema.Int,
  createdAt: Timestamp.Timestamp,
  updatedAt: Timestamp.Timestamp,
  /** Set while it is in the trash, with the instant at which it will be gone. */
  trashedAt: Schema.optionalKey(Timestamp.Timestamp),
  purgeAt: Schema.optionalKey(Timestamp.Timestamp)
})
export type Table = typeof Table.Type

export const Row = Schema.Struct({
  id: Id("row"),
  tableId: Id("table"),
  /**
   * Field key -> cell. Numbers and amounts are canonical decimal text, dates `YYYY-MM-DD`, date-times
   * timestamps, selects ids of choices, relations ids of rows, JSON its compact text.
   */
  values: Schema.Record(Schema.String, Cell),
  /** Key under which a feed or a program keeps the row. */
  externalKey: Schema.optionalKey(Schema.String),
  /** Keys of the cells that a person or program wrote in a row of a feed: the feed leaves them alone. */
  held: Schema.Array(Schema.String),
  createdBy: ActorRef,
  updatedBy: ActorRef,
  version: Schema.Int,
  createdAt: Timestamp.Timestamp,
  updatedAt: Timestamp.Timestamp,
  trashedAt: Schema.optionalKey(Timestamp.Timestamp)
})
export type Row = typeof Row.Type
