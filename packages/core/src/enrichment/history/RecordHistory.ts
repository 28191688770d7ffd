/** What is new in the history of a row, from what enrichments and people make of it now (enrichments A7). */
import type { Fields, FieldValue } from "../../record/FieldValue.ts"
import type { CompiledPipeline } from "../Pipeline.ts"
import type { FieldChange } from "../Provenance.ts"
import type { Authority, RecordChange } from "./RecordChange.ts"

/** A row as it is now. */
export interface RowNow {
  readonly recordId: string
  readonly accountId: RecordChange["accountId"]
  readonly recordVersion: number
  readonly fields: Fields
  /** What is different from the provider's word, each field once. */
  readonly provenance: ReadonlyArray<FieldChange>
}

export type NewChange = Omit<RecordChange, "id" | "workspaceId" | "feedId" | "actor" | "jobId" | "at">

/** Whose word the provenance tells: that of a person is named by its fact. */
export const authorityIn = ({ steps }: Pick<CompiledPipeline, "steps">): ((enrichmentId: string) => Authority) => {
  const known = new Map<string, Authority>()
  for (const { enrichment, kind } of steps)
    if (kind !== undefined) known.set(enrichment.id, kind.capabilities.authority)
  return (id) => (id.startsWith("fct_") ? "user" : (known.get(id) ?? "analysis"))
}

const valueOf = (fields: Fields, field: string): FieldValue =>
  Object.hasOwn(fields, field) ? (fields[field] ?? null) : null

/** Changes of fields that enrichments or people decide, or did before. A value that stays the same is none. */
export const changesOf = (
  row: RowNow,
  /** The last entries of its fields. */
  latest: ReadonlyMap<string, RecordChange>,
  authorityOf: (enrichmentId: string) => Authority
): ReadonlyArray<NewChange> => {
  const { accountId, recordId, recordVersion } = row
  const base = { accountId, recordId, recordVersion }
  const changes: Array<NewChange> = []
  const now = new Set<string>()
  for (const { after, before: provided, enrichmentId, evidence, field, path, revision } of row.provenance) {
    now.add(field)
    const last = latest.get(field)
    // What the provider says may have changed since.
    const held = last === undefined || last.afterAuthority === "provider"
    const before = held ? provided : last.after
    if (before === after) continue
    changes.push({
      ...base,
      field,
      before,
      after,
      beforeAuthority: held ? "provider" : last.afterAuthority,
      afterAuthority: authorityOf(enrichmentId),
      enrichmentId,
      revision,
      ...(path === "" ? {} : { rulePath: path }),
      ...(evidence === undefined ? {} : { evidence })
    })
  }
  for (const [field, { after: before, afterAuthority: beforeAuthority }] of latest) {
    if (now.has(field) || beforeAuthority === "provider") continue
    const after = valueOf(row.fields, field)
    if (before !== after) changes.push({ ...base, field, before, after, beforeAuthority, afterAuthority: "provider" })
  }
  return changes
}
