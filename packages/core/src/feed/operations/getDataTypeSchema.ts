import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { rawNumber } from "../../operation/Amount.ts"
import { operation } from "../../operation/Definition.ts"
import { record } from "../../operation/Success.ts"
import { DataType, fieldTypes, type FieldSpec } from "../../record/DataType.ts"
import { DataTypeSchemas, schemaModes, type DataTypeSchema } from "../../usecase/DataTypeSchemas.ts"
import { Feed } from "../Feed.ts"
import { FeedSource } from "../FeedConfig.ts"

/** A source field of a data type. */
const SourceFieldRecord = Schema.Struct({
  key: Schema.String,
  name: Schema.String,
  type: Schema.Literals(fieldTypes),
  description: Schema.String,
  required: Schema.Boolean,
  /** One value for each item that the document lists. */
  item: Schema.Boolean,
  example: Schema.optionalKey(Schema.Unknown)
}).annotate({ identifier: "SourceField" })

const DataTypeSchemaRecord = Schema.Struct({
  dataType: DataType,
  label: Schema.String,
  sources: Schema.Array(FeedSource),
  keyField: Schema.String,
  fields: Schema.Array(SourceFieldRecord),
  defaultMappings: Feed.fields.fieldMappings,
  options: Schema.Record(Schema.String, Schema.Unknown),
  modes: Schema.Array(Schema.Literals(schemaModes))
}).annotate({ identifier: "DataTypeSchema" })

/** Numbers are sent as numbers, examples too. */
const exampleOf = ({ example, type }: FieldSpec): { readonly example?: unknown } =>
  example === undefined ? {} : { example: type === "num" && typeof example === "string" ? rawNumber(example) : example }

const schemaToWire = ({ fields, ...schema }: DataTypeSchema) => ({
  ...schema,
  fields: fields.map((field) => ({
    key: field.key,
    name: field.label,
    type: field.type,
    description: field.description,
    required: field.required,
    item: field.item === true,
    ...exampleOf(field)
  }))
})

const dataTypeSchemaExample = {
  dataType: "transactions",
  label: "Transactions",
  sources: ["sync", "upload"],
  keyField: "id",
  fields: [
    {
      key: "amount",
      name: "Amount",
      type: "num",
      description: "Negative when money leaves the account",
      required: true,
      item: false,
      example: -12.5
    }
  ],
  defaultMappings: [{ sourceField: "amount", destinationField: "Amount" }],
  options: { lookbackDays: { type: "integer", minimum: 0, maximum: 90 } },
  modes: ["incremental", "range", "full"]
}

export const getDataTypeSchema = operation({
  noun: "feeds",
  id: "getDataTypeSchema",
  get: "/v1/feeds/data-types/:data_type",
  summary: "Get the fields and options of a data type",
  description:
    "Returns what a feed of a data type can map: each field with its type, what it means and an example, the mappings of " +
    "a feed that is given none, its options and the ways in which it is read.",
  access: { anyOf: ["feeds:read"], role: "viewer" },
  repeats: "read",
  command: "feeds data-type",
  tool: "get_data_type_schema",
  success: record(DataTypeSchemaRecord),
  example: { data: dataTypeSchemaExample },
  run: ({ caller, params }) =>
    DataTypeSchemas.use((schemas) =>
      Effect.map(schemas.get(caller, params.data_type), (schema) => schemaToWire(schema))
    )
})
