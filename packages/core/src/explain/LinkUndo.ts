/**
 * Taking back that enrichments tie records together (enrichments A8, D2.8): what their kind says of its members is kept as a
 * person's decision, under the id of the link, by which it is found when it is taken back.
 */
import * as Effect from "effect/Effect"
import type { Enrichment, EnrichmentId } from "../enrichment/Enrichment.ts"
import { type AnalysisLink, type AnalysisScope, AnalysisStore } from "../enrichment/AnalysisStore.ts"
import type { FactRecords } from "../enrichment/EnrichmentFacts.ts"
import { EnrichmentStore } from "../enrichment/EnrichmentStore.ts"
import type { RecordChange } from "../enrichment/history/RecordChange.ts"
import type { EnrichmentFact, FactRequest } from "../enrichment/kinds/EnrichmentFact.ts"
import { Kinds } from "../enrichment/Kinds.ts"

/** What of a job's changes comes from links, and is undone with them. */
export interface LinksOfChanges {
  /** By link: what is to be kept. */
  readonly wanted: ReadonlyMap<string, ReadonlyArray<FactRequest>>
  /** What is kept already. */
  readonly held: ReadonlyArray<EnrichmentFact>
  /** Links that a person has confirmed since. */
  readonly kept: number
  /** Whether the change follows from one of them. */
  readonly covers: (change: Pick<RecordChange, "recordId" | "enrichmentId" | "field">) => boolean
}

/** The record that a row is of. */
export const recordOf = (rowId: string): string => rowId.split(":", 1)[0]!

const idsOf = ({ otherId, recordId }: FactRequest): ReadonlyArray<string> =>
  [recordId, otherId].flatMap((id) => (id === undefined ? [] : [id]))

/** All records that facts are about, each once. */
export const aboutOf = (facts: ReadonlyArray<FactRequest>): ReadonlyArray<string> => [...new Set(facts.flatMap(idsOf))]

/** A link was made where a value names it, or the other record: of these are all values that say what a record is tied to. */
const names = ({ after, recordId: rowId }: RecordChange, id: unknown, members: ReadonlyArray<string>): boolean => {
  const recordId = recordOf(rowId)
  return members.includes(recordId) && (after === id || members.some((other) => other !== recordId && other === after))
}

const coverOf = (enrichmentId: string | undefined, recordId: string): string => `${enrichmentId} ${recordId}`

const isOfLink = ({ enrichmentId, kind, value }: EnrichmentFact): boolean =>
  enrichmentId !== undefined && (kind === "forbid" || kind === "suppress") && typeof value === "string"

export const linkUndo = Effect.gen(function* () {
  const store = yield* AnalysisStore
  const enrichments = yield* EnrichmentStore
  const kinds = yield* Kinds

  const requestsOf = ({ id: enrichmentId, type }: Enrichment, { id, members }: AnalysisLink) => {
    const kind = kinds.get(type)
    const [recordId, ...others] = members.map((one) => one.recordId)
    if (kind?.family !== "set" || recordId === undefined) return []
    return kind
      .undo({ enrichmentId, recordId, members: [recordId, ...others] })
      .map((request): FactRequest => ({ ...request, value: id }))
  }

  /** Facts under the ids of links that are about these records, together with what was kept about the same links. */
  const heldOf = Effect.fnUntraced(function* (scope: AnalysisScope, recordIds: ReadonlyArray<string>) {
    const near = (yield* store.facts(scope, { recordIds })).filter(isOfLink)
    const links = new Set(near.map(({ value }) => value))
    const all = yield* store.facts(scope, { recordIds: aboutOf(near) })
    return all.filter((fact) => isOfLink(fact) && links.has(fact.value))
  })

  /** Links of an enrichment that tie any of these records. */
  const linksOf = Effect.fnUntraced(function* (
    scope: AnalysisScope,
    enrichmentId: EnrichmentId,
    recordIds: ReadonlyArray<string>
  ) {
    const entries = yield* store.entries(scope, enrichmentId, recordIds)
    const partitions = new Set([...entries.values()].flatMap((some) => some.map(({ partition }) => partition)))
    const outputs = yield* store.outputs(scope, enrichmentId, [...partitions])
    const wanted = new Set(recordIds)
    return [...outputs.values()].flatMap(({ links }) =>
      links.filter(({ members }) => members.some(({ recordId }) => wanted.has(recordId)))
    )
  })

  return {
    heldOf,

    /** The link, where it ties the record, with what undoes it. */
    find: Effect.fnUntraced(function* (scope: AnalysisScope, recordId: string, linkId: string) {
      const [link] = yield* store.links(scope.workspaceId, [linkId])
      if (link === undefined || !link.members.some((one) => one.recordId === recordId)) return undefined
      const all = yield* enrichments.list([scope.workspaceId])
      const enrichment = all.find(({ id }) => id === link.enrichmentId)
      if (enrichment === undefined || enrichment.dataType !== scope.dataType) return undefined
      return requestsOf(enrichment, link)
    }),

    /** Where the records are that an enrichment ties together. */
    placesOf: Effect.fnUntraced(function* (
      scope: AnalysisScope,
      enrichmentId: EnrichmentId,
      recordIds: ReadonlyArray<string>
    ) {
      const entries = yield* store.entries(scope, enrichmentId, recordIds)
      const placed = [...entries].flatMap(([id, [first]]) => (first === undefined ? [] : [{ id, ...first }]))
      const { dataType, workspaceId } = scope
      return Array.from(
        Map.groupBy(placed, ({ accountId }) => accountId),
        ([accountId, some]) => ({ scope: { workspaceId, dataType, accountId }, recordIds: some.map(({ id }) => id) })
      ) satisfies FactRecords
    }),

    /** What changes of one job come from: links that were made by them, and stand or were undone. */
    ofChanges: Effect.fnUntraced(function* (scope: AnalysisScope, changes: ReadonlyArray<RecordChange>) {
      const recordIds = [...new Set(changes.map(({ recordId }) => recordOf(recordId)))]
      const facts = yield* store.facts(scope, { recordIds })
      const held = (yield* heldOf(scope, recordIds)).filter((fact) =>
        changes.some((one) => one.enrichmentId === fact.enrichmentId && names(one, fact.value, idsOf(fact)))
      )
      const covered = new Set(held.flatMap((fact) => idsOf(fact).map((id) => coverOf(fact.enrichmentId, id))))
      const wanted = new Map<string, ReadonlyArray<FactRequest>>()
      const fieldsOf = new Map<string | undefined, ReadonlyArray<string> | undefined>()
      let kept = 0
      for (const enrichment of yield* enrichments.list([scope.workspaceId])) {
        const own = changes.filter(({ enrichmentId }) => enrichmentId === enrichment.id)
        const kind = kinds.get(enrichment.type)
        if (own.length === 0 || kind?.family !== "set") continue
        fieldsOf.set(enrichment.id, kind.fieldsOfLink)
        const ids = [...new Set(own.map(({ recordId }) => recordOf(recordId)))]
        for (const link of yield* linksOf(scope, enrichment.id, ids)) {
          const members = link.members.map(({ recordId }) => recordId)
          const made = own.find((change) => names(change, link.id, members))
          if (made === undefined) continue
          for (const id of members) covered.add(coverOf(enrichment.id, id))
          const isConfirmed = facts.some(
            (fact) =>
              (fact.kind === "confirm" || fact.kind === "accept") &&
              fact.enrichmentId === enrichment.id &&
              fact.at >= made.at &&
              idsOf(fact).length === 2 &&
              idsOf(fact).every((id) => members.includes(id))
          )
          if (isConfirmed) kept++
          else if (!held.some(({ value }) => value === link.id)) wanted.set(link.id, requestsOf(enrichment, link))
        }
      }
      return {
        wanted,
        held,
        kept,
        covers: ({ enrichmentId, field, recordId }) =>
          covered.has(coverOf(enrichmentId, recordOf(recordId))) &&
          (fieldsOf.get(enrichmentId)?.includes(field) ?? true)
      } satisfies LinksOfChanges as LinksOfChanges
    })
  }
})
