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

/** What is the same in all that one run, or one act, adds for a feed. */
export type Added = Pick<RecordChange, "workspaceId" | "feedId" | "actor" | "jobId" | "at">

/** A change that gets its id when it is known how many there are. */
export type NewChange = { -readonly [Key in keyof RecordChange]: RecordChange[Key] }

const noId = "" as RecordChange["id"]

/** Whose value the provenance tells: that of a person is named by its fact. */
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
  authorityOf: (enrichmentId: string) => Authority,
  { actor, at, feedId, jobId, workspaceId }: Added
): ReadonlyArray<NewChange> => {
  const { accountId, recordId, recordVersion } = row
  const changes: Array<NewChange> = []
  const now = latest.size === 0 ? undefined : new Set<string>()
  /** Many of them: a literal is made at once, where a copy grows key by key. */
  const changed = (
    field: string,
    before: FieldValue,
    after: FieldValue,
    beforeAuthority: Authority,
    afterAuthority: Authority
  ): NewChange => {
    const change: NewChange = {
      id: noId,
      workspaceId,
      feedId,
      accountId,
      recordId,
      recordVersion,
      field,
      before,
      after,
      beforeAuthority,
      afterAuthority,
      actor,
      at
    }
    if (jobId !== undefined) change.jobId = jobId
    changes.push(change)
    return change
  }
  for (const { after, before: provided, enrichmentId, evidence, field, path, revision } of row.provenance) {
    now?.add(field)
    const last = latest.get(field)
    // What the provider says may have changed since.
    const held = last === undefined || last.afterAuthority === "provider"
    const before = held ? provided : last.after
    if (before === after) continue
    const authority = authorityOf(enrichmentId)
    const change = changed(field, before, after, held ? "provider" : last.afterAuthority, authority)
    change.enrichmentId = enrichmentId
    change.revision = revision
    if (path !== "") change.rulePath = path
    if (evidence !== undefined) change.evidence = evidence
  }
  for (const [field, { after: before, afterAuthority: beforeAuthority }] of latest) {
    if (now?.has(field) === true || beforeAuthority === "provider") continue
    const after = valueOf(row.fields, field)
    if (before !== after) changed(field, before, after, beforeAuthority, "provider")
  }
  return changes
}

/** The changes with their ids, which are as many. */
export const withIds = (
  changes: ReadonlyArray<NewChange>,
  ids: ReadonlyArray<RecordChange["id"]>
): ReadonlyArray<RecordChange> => {
  for (let n = 0; n < changes.length; n++) changes[n]!.id = ids[n]!
  return changes
}
