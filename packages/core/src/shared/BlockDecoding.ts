/** Decoding of a configuration block of a feed: every fault with its path from the name of the block on. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { faultText } from "./FaultText.ts"
import type { Fault } from "./StrictDecoding.ts"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const pathOf = (root: string, path: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined): string =>
  (path ?? []).reduce<string>((text, segment) => {
    const key = typeof segment === "object" ? segment.key : segment
    if (typeof key === "number") return `${text}[${key}]`
    return text === "" ? String(key) : `${text}.${String(key)}`
  }, root)

/** Unknown keys are refused, since a misspelt key would change the meaning. */
export const decodeBlock = <A>(
  root: string,
  schema: Schema.Decoder<A>,
  input: unknown
): Result.Result<A, ReadonlyArray<Fault>> =>
  Result.mapError(
    Schema.decodeUnknownResult(schema)(input, { errors: "all", onExcessProperty: "error" }),
    ({ issue }) =>
      format(issue).issues.map(({ message, path }) => ({ field: pathOf(root, path), message: faultText(message) }))
  )
