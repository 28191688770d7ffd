/** Facts as they might be: with what people would decide, and without what they would take back. */
import * as Effect from "effect/Effect"
import { type AnalysisScope, AnalysisStore } from "./AnalysisStore.ts"
import type { EnrichmentFact } from "./kinds/EnrichmentFact.ts"
import { notesOf } from "./RecordNotes.ts"

export interface OtherFacts {
  readonly added: ReadonlyArray<EnrichmentFact>
  readonly lifted: ReadonlySet<string>
}

export const otherFacts = Effect.gen(function* () {
  const real = yield* AnalysisStore

  return (other: OtherFacts | undefined) => {
    /** Those that hold, as they might be. */
    const facts: AnalysisStore["Service"]["facts"] = (of, which) =>
      Effect.map(real.facts(of, which), (held) => {
        if (other === undefined) return held
        const added = other.added.filter((fact) =>
          "enrichmentId" in which
            ? fact.enrichmentId === undefined || fact.enrichmentId === which.enrichmentId
            : which.recordIds.some((id) => id === fact.recordId || id === fact.otherId)
        )
        return [...held.filter(({ id }) => !other.lifted.has(id)), ...added]
      })

    /** What people decided about records, as their annotations. */
    const notes = (scope: AnalysisScope, recordIds: ReadonlyArray<string>) =>
      Effect.map(facts(scope, { recordIds }), (held) => {
        const wanted = new Set(recordIds)
        return notesOf(
          [],
          held.filter(({ recordId }) => recordId !== undefined && wanted.has(recordId))
        )
      })

    return { facts, notes }
  }
})
