import * as Schema from "effect/Schema"
import { OptionalText } from "../../feed/operations/FeedRecord.ts"
import { Text } from "../../operation/Parameters.ts"
import { Id } from "../../shared/Ids.ts"
import { Name } from "../../shared/Name.ts"
import { FieldOptions, askableFieldTypes, fieldKeyForm, tableFieldTypes, type TableField } from "../Table.ts"
import type { NewField } from "../TableRequest.ts"
import type { FieldView } from "../Tables.ts"
import { cellToWire } from "./Cells.ts"

export const FieldRecord = Schema.Struct({
  id: Id("field"),
  key: Schema.String,
  name: Schema.String,
  type: Schema.Literals(tableFieldTypes),
  options: Schema.optionalKey(FieldOptions),
  required: Schema.Boolean,
  unique: Schema.Boolean,
  indexed: Schema.Boolean,
  default: Schema.optionalKey(Schema.Unknown.annotate({ description: "Value in new rows that do not say otherwise." })),
  description: Schema.optionalKey(Schema.String),
  origin: Schema.Literals(["user", "feed"]),
  position: Schema.Int
}).annotate({ identifier: "TableField" })

const Options = Schema.Struct({
  choices: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        id: Schema.optionalKey(Text.annotate({ description: "What cells hold. Made from the label when absent." })),
        label: Name,
        color: Schema.optionalKey(Text)
      })
    )
  ),
  currency: Schema.optionalKey(Text),
  scale: Schema.optionalKey(Schema.Int),
  relation: Schema.optionalKey(Schema.Struct({ tableId: Schema.String, many: Schema.optionalKey(Schema.Boolean) }))
})

const flag = (description: string) => Schema.optionalKey(Schema.Boolean.annotate({ description }))

/** What can be said of a field, new or not. */
export const traits = {
  options: Schema.optionalKey(Schema.NullOr(Options)),
  required: flag("What people and programs write must have a value."),
  unique: flag("No two rows have the same value."),
  indexed: flag("Filters and sorts on it stay fast in large tables."),
  default: Schema.optionalKey(Schema.Unknown.annotate({ description: "Value in new rows that do not say otherwise." })),
  description: OptionalText
}

export const CreateField = Schema.Struct({
  key: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(fieldKeyForm, { expected: "a small letter followed by up to 63 letters, digits and _" })
    ).annotate({ description: "Never changes. Made from the name when absent." })
  ),
  name: Name,
  type: Schema.Literals(askableFieldTypes),
  ...traits
}).annotate({ identifier: "CreateField" })

const optionsToWire = ({ choices, currency, relation, scale }: FieldOptions) => ({
  ...(choices === undefined
    ? {}
    : {
        choices: choices.map(({ color, id, label }) => ({ id, label, ...(color === undefined ? {} : { color }) }))
      }),
  ...(currency === undefined ? {} : { currency }),
  ...(scale === undefined ? {} : { scale }),
  ...(relation === undefined ? {} : { relation: { tableId: relation.tableId, many: relation.many } })
})

/** A field as it is sent. Names everything, so that nothing internal can slip through. */
export const fieldToWire = (field: TableField) => ({
  id: field.id,
  key: field.key,
  name: field.name,
  type: field.type,
  ...(field.options === undefined ? {} : { options: optionsToWire(field.options) }),
  required: field.required,
  unique: field.unique,
  indexed: field.indexed,
  ...(field.default === undefined ? {} : { default: cellToWire(field.type, field.default) }),
  ...(field.description === undefined ? {} : { description: field.description }),
  origin: field.origin,
  position: field.position
})

/** What is asked for with a new field; `exactDefault` has the digits that the payload lost. */
export const newField = (asked: typeof CreateField.Type, exactDefault: unknown): NewField => {
  const { default: _, description, options, ...field } = asked
  return {
    ...field,
    ...(options === undefined || options === null ? {} : { options }),
    ...(exactDefault === undefined || exactDefault === null ? {} : { default: exactDefault }),
    ...(typeof description === "string" ? { description } : {})
  }
}

export const shown = ({ field }: FieldView) => fieldToWire(field)
