/** Filters, sorts and choices of fields as they come with requests (decisions 5.7 and 8.1). */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as SchemaIssue from "effect/SchemaIssue"
import { limits } from "../shared/Limits.ts"
import type { SortRequest } from "../table/RowRequest.ts"
import * as StrictJson from "./StrictJson.ts"

/** Name of the component in the OpenAPI document, whose shape comes from the kernel's own schema. */
export const filterComponent = "FilterNode"

/** Judged by the kernel, which knows the fields of the table. `Any` keeps its name in documents, `Unknown` does not. */
export const FilterTree: Schema.Codec<unknown> = Schema.Any.annotate({ identifier: filterComponent })

const encoder = new TextEncoder()

const filterFault = (message: string) => new SchemaIssue.InvalidValue({ message: `Expected ${message}` })

/** A filter tree as JSON text in a query. */
export const FilterParameter: Schema.Codec<unknown, string> = Schema.String.pipe(
  Schema.decodeTo(Schema.Unknown, {
    decode: SchemaGetter.transformEffect((text: string) => {
      if (encoder.encode(text).length > limits.filterParameterBytes) {
        return Effect.fail(
          filterFault(`JSON of at most ${limits.filterParameterBytes} bytes; longer ones can be posted`)
        )
      }
      const json = StrictJson.parse(text, limits.jsonDepth)
      return Result.isSuccess(json) ? Effect.succeed(json.success) : Effect.fail(filterFault("a filter as JSON"))
    }),
    encode: SchemaGetter.transform((tree: unknown) => JSON.stringify(tree))
  })
)

const listForm = /^[^,]+(?:,[^,]+)*$/

/** Keys of fields, separated by commas. */
export const FieldsParameter: Schema.Codec<ReadonlyArray<string>, string> = Schema.String.check(
  Schema.isPattern(listForm, { expected: "keys of fields separated by commas" })
).pipe(
  Schema.decodeTo(Schema.Array(Schema.String), {
    decode: SchemaGetter.transform((text: string) => text.split(",")),
    encode: SchemaGetter.transform((keys: ReadonlyArray<string>) => keys.join(","))
  })
)

const sortForm = /^-?[^,-][^,]*(?:,-?[^,-][^,]*)*$/

/** A field of an order; ascending unless it says otherwise. */
export const Sort = Schema.Struct({ field: Schema.String, desc: Schema.optionalKey(Schema.Boolean) })

/** `date,-amount`: keys of fields separated by commas, `-` before those in descending order. */
export const SortParameter: Schema.Codec<ReadonlyArray<SortRequest>, string> = Schema.String.check(
  Schema.isPattern(sortForm, { expected: "keys of fields separated by commas, each with - before it to descend" })
).pipe(
  Schema.decodeTo(Schema.Array(Sort), {
    decode: SchemaGetter.transform((text: string) =>
      text.split(",").map((key) => (key.startsWith("-") ? { field: key.slice(1), desc: true } : { field: key }))
    ),
    encode: SchemaGetter.transform((sorts: ReadonlyArray<SortRequest>) =>
      sorts.map(({ desc, field }) => (desc === true ? `-${field}` : field)).join(",")
    )
  })
)
