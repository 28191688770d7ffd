import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { InvalidInput } from "../../failure/Failure.ts"
import { audits, operation } from "../../operation/Definition.ts"
import { record } from "../../operation/Success.ts"
import { limits } from "../../shared/Limits.ts"
import { RecordOverrides } from "../RecordOverrides.ts"
import { wordsExample } from "./Examples.ts"
import { WordsRecord, wordsToWire } from "./ExplanationRecord.ts"

const ClearedFields = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(limits.filterText)).annotate({
  description:
    "Names of fields, separated by commas, and `split` for a split; all that a person spoke about unless given."
})

const likeNames: ReadonlySet<string> = new Set(["field", "fields", "name"])

/** Anyone who misspells the one parameter must not lose everything that was said: without it all is cleared. */
const notMisspelt = (self: string) => {
  const other = [...new URL(self, "http://localhost").searchParams.keys()].find((name) => likeNames.has(name))
  if (other === undefined) return Effect.void
  const message = "is not a known parameter; fields are named by names"
  return Effect.fail(
    new InvalidInput({
      code: "INVALID_REQUEST",
      message: `Request is invalid: ${other} ${message}`,
      details: [{ field: other, message }]
    })
  )
}

export const clearRecordFields = operation({
  noun: "values",
  id: "clearRecordFields",
  delete: "/v1/records/:record_id/fields",
  summary: "Take back what a person said of fields of a record",
  description: "Takes back what a person said of fields: the value that prevails without it comes back.",
  access: { anyOf: ["banks:write"], role: "editor", app: "own" },
  repeats: "inherent",
  command: "records clear",
  tool: "clear_record_fields",
  query: { names: Schema.optionalKey(ClearedFields) },
  success: record(WordsRecord),
  errors: ["Unprocessable"],
  example: { data: { ...wordsExample, words: [], shadows: [] } },
  audits: audits(RecordOverrides, "clear"),
  run: ({ caller, ids, query: { names }, self }) =>
    Effect.gen(function* () {
      const words = yield* RecordOverrides
      yield* notMisspelt(self)
      const cleared = names === undefined ? undefined : names.split(",").map((name) => name.trim())
      return wordsToWire(yield* words.clear(caller, ids.record, cleared))
    })
})
