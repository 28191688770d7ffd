/** Conformance of `AnalysisStore`. */
import { CalendarDate, Ids, limits, Timestamp } from "@millrace/core"
import type { EnrichmentFact } from "@millrace/core/enrichment"
import { type AnalysisEntry, AnalysisStore } from "@millrace/core/storage"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { makeAnalysisChanges } from "../fixture/Analysis.ts"
import { difficultTexts } from "../fixture/Text.ts"
import { storeWorkspace } from "../fixture/Workspace.ts"
import type { StorageTests } from "./StorageTests.ts"

const person = { kind: "user", userId: "usr_1" } as const

const arrange = Effect.gen(function* () {
  const workspace = yield* storeWorkspace()
  const ids = yield* Ids
  const store = yield* AnalysisStore
  const enrichmentId = yield* ids.next("enrichment")
  const accountId = yield* ids.next("account")
  const [a, b] = yield* ids.batch("transaction", 2)
  const scope = { workspaceId: workspace.id, dataType: "transactions" } as const
  return { workspace, ids, store, enrichmentId, accountId, a: a!, b: b!, scope }
})

const fieldsOf = (n: number): AnalysisEntry["fields"] => ({
  date: "2026-03-14",
  ...(n % 7 === 0 ? {} : { description: difficultTexts[n % difficultTexts.length]! }),
  pending: n % 3 === 0,
  note: n % 5 === 0 ? null : `${n}`
})

const byPlace = (a: AnalysisEntry, b: AnalysisEntry): number =>
  a.partition === b.partition ? (a.recordId < b.recordId ? -1 : 1) : a.partition < b.partition ? -1 : 1

export const tests: StorageTests = (it) => {
  it.effect("hands back what was committed, each part by its partition", () =>
    Effect.gen(function* () {
      const { a, accountId, b, enrichmentId, scope, store, workspace } = yield* arrange
      expect(yield* store.head(scope)).toEqual({
        version: 0,
        asOf: null,
        planned: {},
        marks: [],
        due: null,
        hasFacts: false
      })
      const changes = makeAnalysisChanges(enrichmentId, accountId, a)
      const fields = Object.fromEntries(difficultTexts.map((text, n) => [`field ${n}`, text]))
      const lines = [
        { id: "one", fields },
        { id: "two", fields: {} }
      ]
      const entry = { partition: "part", recordId: b, accountId, fields, lines }
      const [own] = changes.enrichments
      const more = {
        ...own!,
        entries: [...own!.entries, { recordId: b, entries: [entry, { ...entry, partition: "q" }] }]
      }
      expect(yield* store.commit(scope, 0, { ...changes, enrichments: [more] })).toBe(true)
      expect(yield* store.head(scope)).toEqual({
        version: 1,
        asOf: "2026-03-14",
        planned: { [enrichmentId]: "1.1" },
        marks: changes.marks,
        due: "2026-04-01",
        hasFacts: false
      })
      const members = yield* store.members(scope, enrichmentId, ["part", "none"])
      expect(members).toEqual([own!.entries[0]!.entries[0], entry])
      const entries = yield* store.entries(scope, enrichmentId, [b, "unknown"])
      expect([...entries.keys()]).toEqual([b])
      expect(entries.get(b)!).toEqual([entry, { ...entry, partition: "q" }])
      expect(yield* store.accountRecords(scope, accountId, 10)).toEqual([a, b].toSorted())
      expect(yield* store.accountRecords(scope, accountId, 1)).toEqual([[a, b].toSorted()[0]])
      expect(yield* store.partitions(scope, enrichmentId, ["part", "q"])).toEqual(own!.partitions)
      const output = (yield* store.outputs(scope, enrichmentId, ["part", "q"])).get("part")!
      const { partition: _n, ...note } = own!.notes[0]!
      const { partition: _l, ...link } = own!.links[0]!
      expect(output).toEqual({ notes: [note], links: [link] })
      expect(yield* store.links(workspace.id, [link.id])).toEqual([{ ...link, enrichmentId }])
      const all = { after: "", limit: 10 }
      expect(yield* store.states(scope, enrichmentId, all)).toEqual(own!.partitions)
      expect(yield* store.states(scope, enrichmentId, { after: "part", limit: 10 })).toEqual(
        own!.partitions.filter(({ partition }) => partition > "part")
      )
      expect((yield* store.states(scope, enrichmentId, { after: "", limit: 1 })).length).toBe(1)
      expect(yield* store.linksOf(scope, enrichmentId, all)).toEqual([link])
      expect(yield* store.linksOf(scope, enrichmentId, { ...all, state: link.state })).toEqual([link])
      expect(yield* store.linksOf(scope, enrichmentId, { ...all, state: "broken" })).toEqual([])
      expect(yield* store.linksOf(scope, enrichmentId, { ...all, after: link.id })).toEqual([])
      const notes = yield* store.notes(workspace.id, [a, b])
      expect([...notes.keys()]).toEqual([a])
      expect(notes.get(a)!.claims.get(enrichmentId)).toEqual([{ ...note.claims[0], path: "part" }])
    })
  )

  it.effect("takes a commit only at the version that it was made for", () =>
    Effect.gen(function* () {
      const { a, accountId, enrichmentId, scope, store } = yield* arrange
      const changes = makeAnalysisChanges(enrichmentId, accountId, a)
      expect(yield* store.commit(scope, 1, changes)).toBe(false)
      expect(yield* store.commit(scope, 0, changes)).toBe(true)
      expect(yield* store.commit(scope, 0, { ...changes, enrichments: [] })).toBe(false)
      expect((yield* store.head(scope)).version).toBe(1)
      expect(yield* store.commit(scope, 1, changes)).toBe(true)
    })
  )

  it.effect("replaces entries, states, claims and links, and drops those that are named", () =>
    Effect.gen(function* () {
      const { a, accountId, enrichmentId, scope, store, workspace } = yield* arrange
      const changes = makeAnalysisChanges(enrichmentId, accountId, a)
      const [own] = changes.enrichments
      yield* store.commit(scope, 0, changes)
      const claims = [{ field: "budget.keys", value: "rent", evidence: null }]
      yield* store.commit(scope, 1, {
        ...changes,
        marks: [{ accountId, changeNo: 9, signature: "s" }],
        enrichments: [
          {
            ...own!,
            entries: [{ recordId: a, entries: [{ partition: "b", recordId: a, accountId, fields: {} }] }],
            partitions: [{ partition: "part", tag: "2.1", state: null, due: null }],
            notes: [{ partition: "part", recordId: a, accountId, claims }],
            links: [{ ...own!.links[0]!, state: "broken" }]
          }
        ]
      })
      expect(yield* store.members(scope, enrichmentId, ["part"])).toEqual([])
      expect((yield* store.head(scope)).due).toBeNull()
      const output = (yield* store.outputs(scope, enrichmentId, ["part"])).get("part")!
      expect([output.notes[0]!.claims, output.links[0]!.state]).toEqual([claims, "broken"])
      yield* store.commit(scope, 2, {
        ...changes,
        marks: [],
        unmarked: [accountId],
        enrichments: [
          {
            enrichmentId,
            entries: [{ recordId: a, entries: [] }],
            partitions: [],
            dropped: ["part"],
            notes: [],
            droppedNotes: [{ partition: "part", recordId: a }],
            links: [],
            droppedLinks: [own!.links[0]!.id]
          }
        ]
      })
      expect((yield* store.entries(scope, enrichmentId, [a])).size).toBe(0)
      expect(yield* store.partitions(scope, enrichmentId, ["part"])).toEqual([])
      expect((yield* store.outputs(scope, enrichmentId, ["part"])).size).toBe(0)
      expect((yield* store.notes(workspace.id, [a])).size).toBe(0)
      expect((yield* store.head(scope)).marks).toEqual([])
    })
  )

  it.effect("keeps entries that come together as they came, and changes one of them as though it stood alone", () =>
    Effect.gen(function* () {
      const { accountId, enrichmentId, ids, scope, store } = yield* arrange
      const other = yield* ids.next("account")
      const recordIds = yield* ids.batch("transaction", 450)
      const entriesOf = (recordId: string, n: number): ReadonlyArray<AnalysisEntry> => {
        const entry = { recordId, accountId: n % 9 === 0 ? other : accountId, fields: fieldsOf(n) }
        return [
          { ...entry, partition: "all" },
          ...(n % 2 === 0 ? [{ ...entry, partition: "even", lines: [{ id: `${n}`, fields: fieldsOf(n + 1) }] }] : []),
          ...(n < 2 ? [{ ...entry, partition: "few" }] : [])
        ]
      }
      const all = new Map(recordIds.map((recordId, n) => [recordId as string, entriesOf(recordId, n)]))
      const [base] = makeAnalysisChanges(enrichmentId, accountId, "").enrichments
      let version = 0
      const commit = (entries: ReadonlyMap<string, ReadonlyArray<AnalysisEntry>>, areFresh = false) =>
        store.commit(scope, version++, {
          ...makeAnalysisChanges(enrichmentId, accountId, ""),
          enrichments: [
            {
              ...base!,
              notes: [],
              links: [],
              ...(areFresh
                ? { entries: [], fresh: [...entries.values()].flat() }
                : { entries: Array.from(entries, ([recordId, own]) => ({ recordId, entries: own })) })
            }
          ]
        })
      const isAsGiven = Effect.gen(function* () {
        const given = [...all.values()].flat()
        const members = yield* store.members(scope, enrichmentId, ["all", "even", "few", "none"])
        expect(members).toEqual(given.toSorted(byPlace))
        for (const partition of ["all", "even", "few"]) {
          const own = yield* store.members(scope, enrichmentId, [partition])
          expect(own.map(({ recordId }) => recordId)).toEqual(
            given.flatMap((one) => (one.partition === partition ? [one.recordId] : [])).toSorted()
          )
        }
        const some = recordIds.filter((_, n) => n % 50 === 0 || n === 9)
        const held = new Map(some.flatMap((id) => (all.has(id) ? [[id as string, all.get(id)!]] : [])))
        expect(yield* store.entries(scope, enrichmentId, some)).toEqual(held)
        expect((yield* store.entries(scope, enrichmentId, recordIds)).size).toBe(all.size)
        for (const account of [accountId, other]) {
          expect(yield* store.accountRecords(scope, account, 1_000)).toEqual(
            [...all].flatMap(([id, [first]]) => (first!.accountId === account ? [id] : [])).toSorted()
          )
        }
      })
      yield* commit(all, true)
      yield* isAsGiven
      const changed = new Map(
        recordIds.flatMap((id, n) => (n % 40 === 9 ? [[id as string, entriesOf(id, n + 1)] as const] : []))
      )
      for (const [id, own] of changed) all.set(id, own)
      yield* commit(changed)
      yield* isAsGiven
      const gone = recordIds.slice(0, 230)
      for (const id of gone) all.delete(id)
      yield* commit(new Map(gone.map((id) => [id as string, []])))
      yield* isAsGiven
    })
  )

  it.effect("finds what is due, was planned otherwise, or was disturbed", () =>
    Effect.gen(function* () {
      const { a, accountId, enrichmentId, ids, scope, store } = yield* arrange
      yield* store.commit(scope, 0, makeAnalysisChanges(enrichmentId, accountId, a))
      const stale = (tag: string, today: string) =>
        store.stale(scope, enrichmentId, { tag, today: CalendarDate.make(today), limit: 10 })
      expect(yield* stale("1.1", "2026-03-31")).toEqual([])
      expect(yield* stale("1.1", "2026-04-01")).toEqual(["part"])
      expect(yield* stale("2.1", "2026-03-31")).toEqual(["part"])
      yield* store.disturb(scope, [a, "unknown"], CalendarDate.make("2026-03-20"))
      expect(yield* stale("1.1", "2026-03-20")).toEqual(["part"])
      const head = yield* store.head(scope)
      expect([head.version, head.due]).toEqual([2, "2026-03-20"])
      const many = yield* ids.batch("transaction", 12)
      const changes = makeAnalysisChanges(enrichmentId, accountId, a)
      const partitions = ["first", "second", "third"].map((partition) => ({
        ...changes.enrichments[0]!.partitions[0]!,
        partition,
        due: null
      }))
      yield* store.commit(scope, 2, {
        ...changes,
        enrichments: [
          {
            ...changes.enrichments[0]!,
            notes: [],
            links: [],
            partitions,
            entries: many.map((recordId, n) => ({
              recordId,
              entries: [{ recordId, accountId, partition: ["first", "second", "third"][n % 3]!, fields: {} }]
            }))
          }
        ]
      })
      yield* store.disturb(scope, [many[4]!, many[5]!], CalendarDate.make("2026-03-21"))
      expect(yield* stale("1.1", "2026-03-21")).toEqual(["part", "second", "third"])
    })
  )

  it.effect("tells keys of events apart that were there", () =>
    Effect.gen(function* () {
      const { enrichmentId, scope, store } = yield* arrange
      expect(yield* store.addEvents(scope, enrichmentId, ["a", "b"])).toEqual(new Set(["a", "b"]))
      expect(yield* store.addEvents(scope, enrichmentId, ["b", "c"])).toEqual(new Set(["c"]))
    })
  )

  it.effect("keeps facts until they are lifted, and shows words and silence beside their records", () =>
    Effect.gen(function* () {
      const { a, b, enrichmentId, ids, scope, store, workspace } = yield* arrange
      const at = Timestamp.make("2026-03-14T10:00:00.000Z")
      const base = { ...scope, by: person, at }
      const [word, silence, pair] = yield* ids.batch("fact", 3)
      const facts: ReadonlyArray<EnrichmentFact> = [
        { ...base, id: word!, kind: "set", recordId: a, field: "category", value: difficultTexts.join("") },
        { ...base, id: silence!, kind: "suppress", enrichmentId, recordId: a, field: "category" },
        { ...base, id: pair!, kind: "forbid", enrichmentId, recordId: a, otherId: b }
      ]
      yield* store.addFacts(facts)
      expect(yield* store.facts(scope, { enrichmentId })).toEqual(facts)
      expect(yield* store.facts(scope, { recordIds: [b] })).toEqual([facts[2]])
      expect(yield* store.countFacts(workspace.id)).toBe(3)
      expect((yield* store.head(scope)).hasFacts).toBe(true)
      const notes = (yield* store.notes(workspace.id, [a])).get(a)!
      expect(notes.words).toEqual([{ factId: word, field: "category", value: difficultTexts.join("") }])
      expect(notes.silent).toEqual(new Map([[enrichmentId, new Set(["category"])]]))
      const lifted = { by: person, at }
      yield* store.liftFacts(workspace.id, [word!, silence!], lifted)
      expect(yield* store.fact(workspace.id, word!)).toEqual({ ...facts[0], lifted })
      expect(yield* store.facts(scope, { enrichmentId })).toEqual([facts[2]])
      expect((yield* store.notes(workspace.id, [a])).size).toBe(0)
      expect(yield* store.countFacts(workspace.id)).toBe(1)
    })
  )

  it.effect("forgets an enrichment whole, and no other one", () =>
    Effect.gen(function* () {
      const { a, accountId, b, enrichmentId, ids, scope, store, workspace } = yield* arrange
      const other = yield* ids.next("enrichment")
      const first = makeAnalysisChanges(enrichmentId, accountId, a)
      const second = makeAnalysisChanges(other, accountId, b)
      yield* store.commit(scope, 0, { ...first, enrichments: [...first.enrichments, ...second.enrichments] })
      yield* store.addEvents(scope, enrichmentId, ["a"])
      yield* store.forget(workspace.id, enrichmentId)
      const left = [
        yield* store.members(scope, enrichmentId, ["part"]),
        yield* store.partitions(scope, enrichmentId, ["part"]),
        [...(yield* store.outputs(scope, enrichmentId, ["part"])).keys()]
      ]
      expect(left).toEqual([[], [], []])
      expect(yield* store.addEvents(scope, enrichmentId, ["a"])).toEqual(new Set(["a"]))
      expect(yield* store.members(scope, other, ["part"])).toHaveLength(1)
      expect((yield* store.outputs(scope, other, ["part"])).get("part")!.links).toHaveLength(1)
    })
  )

  it.effect("gives no more records of a partition than may be planned, and one that tells of more", () =>
    Effect.gen(function* () {
      const { accountId, enrichmentId, ids, scope, store } = yield* arrange
      const count = limits.partitionRecords + 3
      const recordIds = yield* ids.batch("transaction", count)
      const [base] = makeAnalysisChanges(enrichmentId, accountId, "").enrichments
      yield* store.commit(scope, 0, {
        ...makeAnalysisChanges(enrichmentId, accountId, ""),
        enrichments: [
          {
            ...base!,
            notes: [],
            links: [],
            entries: recordIds.map((recordId) => ({
              recordId,
              entries: [{ partition: "part", recordId, accountId, fields: {} }]
            }))
          }
        ]
      })
      const members = yield* store.members(scope, enrichmentId, ["part"])
      expect(members.map(({ recordId }) => recordId)).toEqual(recordIds.slice(2))
    })
  )
}
