/**
 * What is written of an older record that only enrichments of sets have said something else about: their own fields. What record
 * kinds would say otherwise by now, since somebody changed them, stays as it was delivered (enrichments A9).
 */
import type { RecordChange } from "../enrichment/history/RecordChange.ts"
import type { CompiledPipeline } from "../enrichment/Pipeline.ts"
import { setSteps } from "../enrichment/Pipeline.ts"
import type { FieldChange } from "../enrichment/Provenance.ts"
import type { RecordNotes } from "../enrichment/RecordNotes.ts"
import type { FieldValue } from "../record/FieldValue.ts"
import type { Enriched } from "./Decision.ts"

const isSilent = (notes: RecordNotes | undefined, enrichmentId: string | undefined, field: string): boolean => {
  const fields = enrichmentId === undefined ? undefined : notes?.silent.get(enrichmentId)
  return fields?.has(field) === true || fields?.has("*") === true
}

/** `delivered`: the last entries of the history of the row, by field. */
export const ownFieldsOf = (
  view: Enriched,
  delivered: ReadonlyMap<string, RecordChange>,
  notes: RecordNotes | undefined,
  isOfSets: (enrichmentId: string | undefined) => boolean
): Enriched => {
  const fields: Record<string, FieldValue> = { ...view.fields }
  const provenance: Array<FieldChange> = []
  const claimed = new Set<string>()
  for (const change of view.provenance) {
    const { before, enrichmentId, field } = change
    claimed.add(field)
    const last = delivered.get(field)
    const isPersons = enrichmentId.startsWith("fct_")
    // What was taken back once, and holds again, was asked for by a person.
    if (isPersons || isOfSets(enrichmentId) || isOfSets(last?.enrichmentId) || last?.afterAuthority === "provider") {
      provenance.push(change)
      continue
    }
    fields[field] = last === undefined ? before : last.after
    if (last !== undefined) provenance.push({ ...change, after: last.after })
  }
  for (const [field, { after, afterAuthority, enrichmentId }] of delivered) {
    const isHeld = afterAuthority !== "provider" && afterAuthority !== "user" && !isOfSets(enrichmentId)
    if (isHeld && !claimed.has(field) && !isSilent(notes, enrichmentId, field)) fields[field] = after
  }
  return { ...view, fields, provenance }
}

/** Whether an enrichment looks at sets of records. */
export const ofSets = (pipeline: CompiledPipeline): ((enrichmentId: string | undefined) => boolean) => {
  const ids = new Set<string>(setSteps(pipeline).map(({ step }) => step.enrichment.id))
  return (enrichmentId) => enrichmentId !== undefined && ids.has(enrichmentId)
}
