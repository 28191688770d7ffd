/** Fields of tables (decisions 4.5 and 5.7). */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { Id, Name } from "@millrace/core"
import { askableFieldTypes, fieldKeyForm, FieldOptions, tableFieldTypes } from "@millrace/core/table"
import { ofBody, ofPath, Stale, StateConflict, Unprocessable } from "./ApiError.ts"
import { Deleted, One } from "./Envelope.ts"
import { OptionalText } from "./FeedApi.ts"
import { Text } from "./Parameters.ts"

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
const traits = {
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

export const UpdateField = Schema.Struct({
  name: Schema.optionalKey(Name),
  type: Schema.optionalKey(Schema.Literals(askableFieldTypes)),
  ...traits,
  position: Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({
      description: "Place among the fields, 0 for the first."
    })
  )
}).annotate({ identifier: "UpdateField" })

/** Fields have no version of their own. */
const ifTableMatch = {
  "if-match": Schema.optionalKey(Schema.String.annotate({ description: "Version of the table, as its ETag has it." }))
}

const inTable = { table_id: Schema.String }
const byId = { ...inTable, field_id: Schema.String }

export const FieldApi = HttpApiGroup.make("fields", { topLevel: true }).add(
  HttpApiEndpoint.post("createField", "/v1/tables/:table_id/fields", {
    params: inTable,
    payload: CreateField,
    success: One(FieldRecord).pipe(HttpApiSchema.status(201)),
    error: [...ofPath, ...ofBody, StateConflict, Unprocessable]
  }),
  HttpApiEndpoint.put("updateField", "/v1/tables/:table_id/fields/:field_id", {
    params: byId,
    headers: ifTableMatch,
    payload: UpdateField,
    success: One(FieldRecord),
    error: [...ofPath, ...ofBody, StateConflict, Stale, Unprocessable]
  }),
  HttpApiEndpoint.delete("deleteField", "/v1/tables/:table_id/fields/:field_id", {
    params: byId,
    headers: ifTableMatch,
    success: Deleted,
    error: [...ofPath, StateConflict, Stale]
  })
)
