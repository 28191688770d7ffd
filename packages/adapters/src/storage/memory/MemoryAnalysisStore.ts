/** What enrichments of set kinds keep and say, in memory. */
import { type EnrichmentFact, notesOf } from "@millrace/core/enrichment"
import {
  type AnalysisChanges,
  type AnalysisEntry,
  type AnalysisHead,
  type AnalysisLink,
  type AnalysisMark,
  type AnalysisNote,
  type AnalysisScope,
  AnalysisStore,
  type PartitionState
} from "@millrace/core/storage"
import { limits } from "@millrace/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { frozen } from "./Frozen.ts"
import { Memory, removeWhere } from "./MemoryTransactor.ts"
import { ascending } from "./Order.ts"

type Of<A> = A & Pick<AnalysisScope, "workspaceId" | "dataType"> & { readonly enrichmentId: string }

const scopeKey = ({ dataType, workspaceId }: AnalysisScope): string => `${workspaceId} ${dataType}`

const inScope = (scope: AnalysisScope, of: AnalysisScope): boolean =>
  of.workspaceId === scope.workspaceId && of.dataType === scope.dataType

const inner = <A>(outer: Map<string, Map<string, A>>, key: string): Map<string, A> => {
  let found = outer.get(key)
  if (found === undefined) outer.set(key, (found = new Map()))
  return found
}

/** What was given, without whose it is. */
const plain = <A extends object>(value: Of<A>): A => {
  const { dataType: _type, enrichmentId: _id, workspaceId: _workspace, ...rest } = value
  return rest as unknown as A
}

const isOf = (
  one: { readonly workspaceId: string; readonly enrichmentId?: string },
  workspaceId: string,
  enrichmentId: string
): boolean => one.workspaceId === workspaceId && one.enrichmentId === enrichmentId

export const layer: Layer.Layer<AnalysisStore, never, Memory> = Layer.effect(
  AnalysisStore,
  Effect.gen(function* () {
    const memory = yield* Memory
    const { call, remove, set } = memory
    const heads = new Map<string, Pick<AnalysisHead, "version" | "asOf" | "planned">>()
    const marks = new Map<string, Map<string, AnalysisMark>>()
    /** Enrichment -> record -> its entries. */
    const entries = new Map<string, Map<string, ReadonlyArray<Of<AnalysisEntry>>>>()
    /** Enrichment -> partition -> ids of its records. */
    const members = new Map<string, Map<string, Map<string, true>>>()
    const partitions = new Map<string, Of<PartitionState>>()
    const notes = new Map<string, Of<AnalysisNote> & { readonly partition: string }>()
    const links = new Map<string, Of<AnalysisLink> & { readonly partition: string }>()
    const events = new Map<string, string>()
    const facts = new Map<string, EnrichmentFact>()

    const putEntries = (
      scope: AnalysisScope,
      enrichmentId: string,
      recordId: string,
      next: ReadonlyArray<AnalysisEntry>
    ): void => {
      const own = inner(entries, enrichmentId)
      const ids = inner(members, enrichmentId)
      for (const { partition } of own.get(recordId) ?? []) {
        const rest = ids.get(partition)
        if (rest === undefined) continue
        remove(rest, recordId)
        if (rest.size === 0) remove(ids, partition)
      }
      if (next.length === 0) remove(own, recordId)
      else
        set(
          own,
          recordId,
          next.map((entry) => frozen({ ...entry, ...scope, enrichmentId }))
        )
      for (const { partition } of next) {
        const all = ids.get(partition) ?? new Map<string, true>()
        if (all.size === 0) set(ids, partition, all)
        set(all, recordId, true)
      }
    }

    const put = (scope: AnalysisScope, changes: AnalysisChanges["enrichments"][number]): void => {
      const { enrichmentId } = changes
      const of = { workspaceId: scope.workspaceId, dataType: scope.dataType, enrichmentId }
      const key = (...parts: ReadonlyArray<string>) => [enrichmentId, ...parts].join("\n")
      for (const { entries: next, recordId } of changes.entries) putEntries(scope, enrichmentId, recordId, next)
      for (const [recordId, next] of Map.groupBy(changes.fresh ?? [], (entry) => entry.recordId)) {
        if (inner(entries, enrichmentId).has(recordId)) {
          throw new Error(`${enrichmentId} keeps something of ${recordId}, which it should not`)
        }
        putEntries(scope, enrichmentId, recordId, next)
      }
      for (const one of changes.partitions) set(partitions, key(one.partition), frozen({ ...one, ...of }))
      for (const partition of changes.dropped) remove(partitions, key(partition))
      for (const { partition, recordId } of changes.droppedNotes) remove(notes, key(partition, recordId))
      for (const note of changes.notes) set(notes, key(note.partition, note.recordId), frozen({ ...note, ...of }))
      for (const id of changes.droppedLinks) remove(links, key(id))
      for (const link of changes.links) set(links, key(link.id), frozen({ ...link, ...of }))
    }

    const held = (which: (fact: EnrichmentFact) => boolean, lifted = false): ReadonlyArray<EnrichmentFact> =>
      [...facts.values()]
        .filter((fact) => (lifted || fact.lifted === undefined) && which(fact))
        .toSorted((a, b) => ascending(a.id, b.id))

    const bump = (scope: AnalysisScope): void => {
      const head = heads.get(scopeKey(scope))
      if (head !== undefined) set(heads, scopeKey(scope), { ...head, version: head.version + 1 })
    }

    memory.bankDestroyed.push(({ accountIds, recordIds }) => {
      let found = 0
      for (const own of entries.values()) {
        for (const [id, [first]] of Array.from(own)) {
          if (first === undefined || !accountIds.has(first.accountId)) continue
          putEntries(first, first.enrichmentId, id, [])
          found++
        }
      }
      for (const own of marks.values()) found += removeWhere(memory, own, (_, id) => accountIds.has(id))
      const isOne = (id: string | undefined) => id !== undefined && recordIds.has(id)
      return (
        found +
        removeWhere(memory, notes, ({ accountId }) => accountIds.has(accountId)) +
        removeWhere(memory, links, ({ members: of }) => of.some(({ recordId }) => isOne(recordId))) +
        removeWhere(memory, facts, ({ otherId, recordId }) => isOne(recordId) || isOne(otherId))
      )
    })

    memory.accountHooks.moved.push(({ dataType, from, ids, to, workspaceId }) => {
      const scope = { workspaceId, dataType }
      for (const own of entries.values()) {
        for (const recordId of ids) {
          const all = own.get(recordId)
          if (all === undefined || !inScope(scope, all[0]!)) continue
          set(
            own,
            recordId,
            all.map((entry) => (entry.accountId === from ? frozen({ ...entry, accountId: to }) : entry))
          )
        }
      }
      for (const [key, note] of Array.from(notes)) {
        if (inScope(scope, note) && note.accountId === from && ids.has(note.recordId)) {
          set(notes, key, frozen({ ...note, accountId: to }))
        }
      }
      if (heads.has(scopeKey(scope))) bump(scope)
      const looked = inner(marks, scopeKey(scope))
      if (looked.has(from) && !looked.has(to)) set(looked, to, { accountId: to, changeNo: 0, signature: "" })
    })

    return AnalysisStore.of({
      head: (scope) =>
        call(() => {
          const { asOf = null, planned = {}, version = 0 } = heads.get(scopeKey(scope)) ?? {}
          const days = [...partitions.values()].flatMap((one) =>
            inScope(scope, one) && one.due !== null ? [one.due] : []
          )
          return {
            version,
            asOf,
            planned,
            marks: [...(marks.get(scopeKey(scope))?.values() ?? [])].toSorted((a, b) =>
              ascending(a.accountId, b.accountId)
            ),
            due: days.toSorted()[0] ?? null,
            hasFacts: held((fact) => inScope(scope, fact)).length > 0
          }
        }),
      entries: (scope, enrichmentId, recordIds) =>
        call(() => {
          const found = new Map<string, ReadonlyArray<AnalysisEntry>>()
          for (const id of recordIds) {
            const own = entries.get(enrichmentId)?.get(id)
            if (own?.[0] !== undefined && inScope(scope, own[0])) found.set(id, own.map(plain))
          }
          return found
        }),
      accountRecords: (scope, accountId, limit) =>
        call(() => {
          const ids = [...entries.values()].flatMap((own) =>
            [...own].flatMap(([id, [entry]]) =>
              entry !== undefined && inScope(scope, entry) && entry.accountId === accountId ? [id] : []
            )
          )
          return [...new Set(ids)].toSorted(ascending).slice(0, limit)
        }),
      members: (scope, enrichmentId, keys) =>
        call(() =>
          [...new Set(keys)].toSorted(ascending).flatMap((key) =>
            [...(members.get(enrichmentId)?.get(key)?.keys() ?? [])]
              .toSorted(ascending)
              .slice(-limits.partitionRecords - 1)
              .flatMap((id) => entries.get(enrichmentId)?.get(id) ?? [])
              .filter((entry) => entry.partition === key && inScope(scope, entry))
              .map(plain)
          )
        ),
      partitions: (scope, enrichmentId, keys) =>
        call(() =>
          [...new Set(keys)].toSorted(ascending).flatMap((key) => {
            const one = partitions.get(`${enrichmentId}\n${key}`)
            return one !== undefined && inScope(scope, one) ? [plain(one)] : []
          })
        ),
      states: (scope, enrichmentId, { after, limit }) =>
        call(() =>
          [...partitions.values()]
            .filter((one) => one.enrichmentId === enrichmentId && inScope(scope, one) && one.partition > after)
            .toSorted((a, b) => ascending(a.partition, b.partition))
            .slice(0, limit)
            .map(plain)
        ),
      linksOf: (scope, enrichmentId, { after, limit, state }) =>
        call(() =>
          [...links.values()]
            .filter(
              (one) =>
                one.enrichmentId === enrichmentId &&
                inScope(scope, one) &&
                one.id > after &&
                (state === undefined || one.state === state)
            )
            .toSorted((a, b) => ascending(a.id, b.id))
            .slice(0, limit)
            .map((one) => {
              const { partition: _, ...link } = plain(one)
              return link
            })
        ),
      outputs: (scope, enrichmentId, keys) =>
        call(() => {
          const wanted = new Set(keys)
          const outputs = new Map<string, { notes: Array<AnalysisNote>; links: Array<AnalysisLink> }>()
          const of = (key: string) => {
            const known = outputs.get(key) ?? { notes: [], links: [] }
            outputs.set(key, known)
            return known
          }
          const own = (one: Of<{ readonly partition: string }>) =>
            one.enrichmentId === enrichmentId && wanted.has(one.partition) && inScope(scope, one)
          for (const note of [...notes.values()].filter(own).toSorted((a, b) => ascending(a.recordId, b.recordId))) {
            const { partition, ...rest } = plain(note)
            of(partition).notes.push(rest)
          }
          for (const link of [...links.values()].filter(own).toSorted((a, b) => ascending(a.id, b.id))) {
            const { partition, ...rest } = plain(link)
            of(partition).links.push(rest)
          }
          return outputs
        }),
      stale: (scope, enrichmentId, { limit, tag, today }) =>
        call(() =>
          [...partitions.values()]
            .filter(
              (one) =>
                one.enrichmentId === enrichmentId &&
                inScope(scope, one) &&
                ((one.due !== null && one.due <= today) || one.tag !== tag)
            )
            .map(({ partition }) => partition)
            .toSorted(ascending)
            .slice(0, limit)
        ),
      addEvents: ({ workspaceId }, enrichmentId, keys) =>
        call(() => {
          const fresh = new Set<string>()
          for (const key of keys) {
            if (events.has(`${enrichmentId}\n${key}`)) continue
            set(events, `${enrichmentId}\n${key}`, workspaceId)
            fresh.add(key)
          }
          return fresh
        }),
      commit: (scope, version, changes) =>
        call(() => {
          const key = scopeKey(scope)
          if ((heads.get(key)?.version ?? 0) !== version) return false
          set(heads, key, frozen({ version: version + 1, asOf: changes.asOf, planned: changes.planned }))
          const own = inner(marks, key)
          for (const mark of changes.marks) set(own, mark.accountId, frozen(mark))
          for (const id of changes.unmarked) remove(own, id)
          for (const one of changes.enrichments) put(scope, one)
          return true
        }),
      forget: (workspaceId, enrichmentId) =>
        call(() => {
          for (const [id, [entry]] of entries.get(enrichmentId) ?? []) {
            if (entry !== undefined && isOf(entry, workspaceId, enrichmentId)) putEntries(entry, enrichmentId, id, [])
          }
          for (const [key, one] of partitions) if (isOf(one, workspaceId, enrichmentId)) remove(partitions, key)
          for (const [key, one] of notes) if (isOf(one, workspaceId, enrichmentId)) remove(notes, key)
          for (const [key, one] of links) if (isOf(one, workspaceId, enrichmentId)) remove(links, key)
          for (const [key, one] of facts) if (isOf(one, workspaceId, enrichmentId)) remove(facts, key)
          for (const [key, of] of events) {
            if (key.startsWith(`${enrichmentId}\n`) && of === workspaceId) remove(events, key)
          }
        }),
      notes: (workspaceId, recordIds) =>
        call(() => {
          const wanted = new Set(recordIds)
          return notesOf(
            [...notes.values()].filter((one) => one.workspaceId === workspaceId && wanted.has(one.recordId)),
            held((fact) => fact.workspaceId === workspaceId && fact.recordId !== undefined && wanted.has(fact.recordId))
          )
        }),
      links: (workspaceId, ids) =>
        call(() =>
          [...links.values()]
            .filter((one) => one.workspaceId === workspaceId && ids.includes(one.id))
            .toSorted((a, b) => ascending(a.id, b.id))
            .map(({ enrichmentId, evidence, id, kind, members: of, state }) => ({
              enrichmentId: enrichmentId as never,
              id,
              kind,
              state,
              members: of,
              evidence
            }))
        ),
      addFacts: (added) => call(() => added.forEach((fact) => set(facts, fact.id, frozen(fact)))),
      liftFacts: (workspaceId, ids, lifted) =>
        call(() => {
          for (const id of ids) {
            const fact = facts.get(id)
            if (fact?.workspaceId === workspaceId && fact.lifted === undefined)
              set(facts, id, frozen({ ...fact, lifted }))
          }
        }),
      fact: (workspaceId, id) =>
        call(() => {
          const fact = facts.get(id)
          return fact?.workspaceId === workspaceId ? fact : undefined
        }),
      facts: (scope, of) =>
        call(() =>
          held(
            (fact) =>
              inScope(scope, fact) &&
              ("enrichmentId" in of
                ? fact.enrichmentId === undefined || fact.enrichmentId === of.enrichmentId
                : (fact.recordId !== undefined && of.recordIds.includes(fact.recordId)) ||
                  (fact.otherId !== undefined && of.recordIds.includes(fact.otherId))),
            "recordIds" in of && of.lifted === true
          )
        ),
      countFacts: (workspaceId) => call(() => held((fact) => fact.workspaceId === workspaceId).length),
      disturb: (scope, recordIds, day) =>
        call(() => {
          if (recordIds.length === 0) return
          bump(scope)
          for (const [enrichmentId, own] of entries) {
            for (const id of recordIds) {
              for (const entry of own.get(id) ?? []) {
                const key = `${enrichmentId}\n${entry.partition}`
                const one = partitions.get(key)
                if (one === undefined || !inScope(scope, entry)) continue
                set(partitions, key, { ...one, due: one.due !== null && one.due < day ? one.due : day })
              }
            }
          }
        })
    })
  })
)
