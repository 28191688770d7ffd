/** Port: what people said of a field themselves, with the records that they said it of: what enrichments learn from. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Fields } from "../../../record/FieldValue.ts"
import type { Timestamp } from "../../../shared/Timestamp.ts"
import type { StorageUnavailable } from "../../../storage/StorageUnavailable.ts"
import type { EnrichmentFact } from "../EnrichmentFact.ts"
import type { EnrichmentScope } from "../Kind.ts"

/** A value that a person gave a record, and what the source says of that record. */
export interface SaidValue {
  readonly recordId: string
  readonly fields: Fields
  readonly value: string
  readonly at: Timestamp
}

export interface Said {
  /** Of the field; the oldest first, at most `limits.modelExamples`, the newest. */
  readonly values: ReadonlyArray<SaidValue>
  /** What was decided about the enrichment and holds, oldest first. */
  readonly facts: ReadonlyArray<EnrichmentFact>
}

export class PersonsDecisions extends Context.Service<
  PersonsDecisions,
  { readonly read: (scope: EnrichmentScope, field: string) => Effect.Effect<Said, StorageUnavailable> }
>()("@millrace/core/enrichment/PersonsDecisions") {}
