/** Where a delivered value came from (enrichments A7). */
import * as Schema from "effect/Schema"
import { FieldValue } from "../record/FieldValue.ts"

/** One field that an enrichment changed: what it was, what it became, and who says so. */
export const FieldChange = Schema.Struct({
  field: Schema.String,
  /** `null` where there was no value. */
  before: FieldValue,
  after: FieldValue,
  enrichmentId: Schema.String,
  revision: Schema.Int,
  /** The rule inside the enrichment, such as its id. */
  path: Schema.String
})
export type FieldChange = typeof FieldChange.Type
