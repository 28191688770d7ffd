/** Where a delivered value came from (enrichments A7). */
import * as Schema from "effect/Schema"
import { FieldValue } from "../record/FieldValue.ts"

/** One field that an enrichment changed: what it was, what it became, and who says so. */
export const FieldChange = Schema.Struct({
  field: Schema.String,
  /** `null` where there was no value. */
  before: FieldValue,
  after: FieldValue,
  /** The enrichment; where a person said it, the id of that fact, with revision 0. */
  enrichmentId: Schema.String,
  revision: Schema.Int,
  /** The rule inside the enrichment, such as its id. */
  path: Schema.String,
  /** What the value follows from, as the kind of the enrichment writes it. */
  evidence: Schema.optionalKey(Schema.Json)
})
export type FieldChange = typeof FieldChange.Type
