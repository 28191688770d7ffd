/** What feeds of each data type can map and be told: the field catalogue as people read it (decisions 4.3). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { permit } from "../access/Access.ts"
import type { Caller } from "../access/Caller.ts"
import { defaultMappings } from "../destination/Columns.ts"
import { NotFound, type Forbidden } from "../failure/Failure.ts"
import { defaultOptions, optionsOf, type FeedSource, type FieldMapping } from "../feed/FeedConfig.ts"
import { FeedSources, sourcesOf } from "../feed/FeedSources.ts"
import { DataType, fieldsOf, isDocumentType, isSnapshotType, namesOf, type FieldSpec } from "../record/DataType.ts"

export const schemaModes = ["incremental", "range", "full", "snapshot"] as const
export type SchemaMode = (typeof schemaModes)[number]

export interface DataTypeSchema {
  readonly dataType: DataType
  readonly label: string
  /** The sources that give it here. */
  readonly sources: ReadonlyArray<FeedSource>
  /** The field by which a record is known again. */
  readonly keyField: string
  readonly fields: ReadonlyArray<FieldSpec & { readonly key: string }>
  /** The mappings of a feed that is given none. */
  readonly defaultMappings: ReadonlyArray<FieldMapping>
  /** `dataTypeOptions` without `dataType`: the JSON Schema of each, with its default. */
  readonly options: Readonly<Record<string, Schema.Json>>
  /** How runs can read it. */
  readonly modes: ReadonlyArray<SchemaMode>
}

const modesOf = (dataType: DataType): ReadonlyArray<SchemaMode> =>
  isSnapshotType(dataType)
    ? ["snapshot"]
    : isDocumentType(dataType)
      ? ["incremental", "full"]
      : ["incremental", "range", "full"]

const optionsShown = (dataType: DataType): Readonly<Record<string, Schema.Json>> => {
  const { properties = {} } = Schema.toJsonSchemaDocument(optionsOf[dataType]).schema as {
    readonly properties?: Readonly<Record<string, Readonly<Record<string, Schema.Json>>>>
  }
  const defaults: Readonly<Record<string, Schema.Json>> = defaultOptions(dataType)
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, shape]) =>
      name === "dataType"
        ? []
        : [[name, { ...shape, ...(defaults[name] === undefined ? {} : { default: defaults[name] }) }]]
    )
  )
}

const isDataType = Schema.is(DataType)

const make = Effect.gen(function* () {
  const carried = yield* FeedSources

  /** `name` comes out of a path: whatever it is, it is a data type or there is none of that name. */
  const get = Effect.fn("DataTypeSchemas.get")(function* (
    caller: Caller,
    name: string
  ): Effect.fn.Return<DataTypeSchema, NotFound | Forbidden> {
    yield* permit(caller, "getDataTypeSchema")
    if (!isDataType(name)) return yield* new NotFound({ resource: "Data type" })
    const fields = fieldsOf[name]
    return {
      dataType: name,
      label: namesOf[name].label,
      sources: sourcesOf(carried, name),
      // What has no id of its own is known by its account.
      keyField: "id" in fields ? "id" : "accountId",
      fields: Object.entries(fields).map(([key, spec]) => ({ key, ...spec })),
      defaultMappings: defaultMappings({ dataType: name }),
      options: optionsShown(name),
      modes: modesOf(name)
    }
  })

  return { get }
})

export class DataTypeSchemas extends Context.Service<DataTypeSchemas>()("@millrace/core/usecase/DataTypeSchemas", {
  make
}) {
  static readonly layer: Layer.Layer<DataTypeSchemas> = Layer.effect(DataTypeSchemas, make)
}
