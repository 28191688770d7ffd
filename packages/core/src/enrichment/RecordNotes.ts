/** The annotations of a record of the ledger: what set kinds say of it, and what people do (enrichments A2, A6). */
import type { FieldValue } from "../record/FieldValue.ts"
import type { Claim } from "../rule/Outcome.ts"
import type { EnrichmentFact } from "./kinds/EnrichmentFact.ts"
import { type PersonsSplit, splitOf } from "./kinds/split/PersonsSplit.ts"

/** What a person said of a field of the record. */
export interface PersonsWord {
  readonly factId: string
  readonly field: string
  readonly value: FieldValue
}

/** A claim of a set kind; its path is the partition that made it. */
export interface NotedClaim extends Claim {
  /** The line of the record that it is about, where it is not about all of it. */
  readonly line?: string
}

export interface RecordNotes {
  /** How a person split the record; without lines where they did so once and took it back. */
  readonly split?: { readonly factId: string; readonly says: PersonsSplit | undefined }
  /** The oldest first. */
  readonly words: ReadonlyArray<PersonsWord>
  /** Enrichment -> fields about which it is silent; `"*"` for all. */
  readonly silent: ReadonlyMap<string, ReadonlySet<string>>
  /** Enrichment -> its claims, in the order of partitions, then as they were planned. */
  readonly claims: ReadonlyMap<string, ReadonlyArray<NotedClaim>>
}

export const noNotes: RecordNotes = { words: [], silent: new Map(), claims: new Map() }

/** Claims of one partition about a record. */
interface NotedRow {
  readonly recordId: string
  readonly enrichmentId: string
  readonly partition: string
  readonly claims: ReadonlyArray<Omit<NotedClaim, "path">>
}

/** Annotations of records, from its rows and the facts that hold. */
export const notesOf = (
  rows: ReadonlyArray<NotedRow>,
  facts: ReadonlyArray<EnrichmentFact>
): ReadonlyMap<string, RecordNotes> => {
  const ids = new Set([
    ...rows.map(({ recordId }) => recordId),
    ...facts.flatMap(({ recordId }) => (recordId === undefined ? [] : [recordId]))
  ])
  const rowsOf = Map.groupBy(rows, ({ recordId }) => recordId)
  const factsOf = Map.groupBy(facts, ({ recordId }) => recordId)
  const notes = new Map<string, RecordNotes>()
  for (const id of ids) {
    const claims = new Map<string, Array<NotedClaim>>()
    const ordered = (rowsOf.get(id) ?? []).toSorted((a, b) => (a.partition < b.partition ? -1 : 1))
    for (const { claims: made, enrichmentId, partition } of ordered) {
      const all = claims.get(enrichmentId) ?? []
      claims.set(enrichmentId, all)
      all.push(...made.map((claim) => ({ ...claim, path: partition })))
    }
    const words: Array<PersonsWord> = []
    const silent = new Map<string, Set<string>>()
    let split: RecordNotes["split"]
    for (const fact of (factsOf.get(id) ?? []).toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
      const { enrichmentId, field, kind, value } = fact
      if (kind === "split") {
        split = { factId: fact.id, says: typeof value === "string" ? splitOf(value) : undefined }
      }
      if ((kind === "set" || kind === "lock") && field !== undefined) {
        words.push({ factId: fact.id, field, value: value ?? null })
      }
      if (kind !== "suppress" || enrichmentId === undefined) continue
      const fields = silent.get(enrichmentId) ?? new Set<string>()
      silent.set(enrichmentId, fields.add(field ?? "*"))
    }
    if (claims.size + words.length + silent.size > 0 || split !== undefined) {
      notes.set(id, { words, silent, claims, ...(split === undefined ? {} : { split }) })
    }
  }
  return notes
}
