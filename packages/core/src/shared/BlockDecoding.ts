/** Decoding of a configuration block of a feed: every fault with its path from the name of the block on. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { faultText } from "./FaultText.ts"
import { issueFaults } from "./IssueFaults.ts"
import type { Fault } from "./StrictDecoding.ts"

const pathOf = (root: string, path: ReadonlyArray<PropertyKey>): string =>
  path.reduce<string>((text, key) => {
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
      issueFaults(issue).map(({ message, path }) => ({ field: pathOf(root, path), message: faultText(message) }))
  )
