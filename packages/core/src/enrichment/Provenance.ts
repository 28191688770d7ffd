/** Where a delivered value came from (enrichments A7). */
import * as Schema from "effect/Schema"
import { FieldValue } from "../record/FieldValue.ts"

/** One field that an enrichment changed: what it was, what it became, and who says so. */
export const FieldOrigin = Schema.Struct({
  field: Schema.String,
  /** `null` where there was no value. */
  before: FieldValue,
  after: FieldValue,
  /** The enrichment; where a person said it, the id of that fact, with revision 0. */
  enrichmentId: Schema.String,
  revision: Schema.Int,
  /** The rule inside the enrichment, such as its id. */
  path: Schema.String
})
export type FieldOrigin = typeof FieldOrigin.Type

/** The same with what shows that it is so. */
export const FieldChange = Schema.Struct({
  ...FieldOrigin.fields,
  /** What the value follows from, as the kind of the enrichment writes it. */
  evidence: Schema.optionalKey(Schema.Json)
})
export type FieldChange = typeof FieldChange.Type

/** What is kept with each delivered row: what a value follows from is in the history of its record, once. */
export const originsOf = (changes: ReadonlyArray<FieldChange>): ReadonlyArray<FieldOrigin> =>
  changes.map(({ after, before, enrichmentId, field, path, revision }) => ({
    field,
    before,
    after,
    enrichmentId,
    revision,
    path
  }))
