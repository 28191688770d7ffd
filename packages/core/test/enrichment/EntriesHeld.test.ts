import { MemoryStorage } from "@millrace/adapters/memory"
import type { AccountId } from "@millrace/core/bank"
import type { EnrichmentId } from "@millrace/core/enrichment"
import { AnalysisStore } from "@millrace/core/storage"
import type { WorkspaceId } from "@millrace/core/workspace"
import { Seeded } from "@millrace/testing/model"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { AnalysisChanges, AnalysisEntry } from "../../src/enrichment/AnalysisStore.ts"
import { EntriesHeld } from "../../src/enrichment/EntriesHeld.ts"
import type { SetPlanned } from "../../src/enrichment/SetPlanning.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"

const scope = { workspaceId: "ws_1" as WorkspaceId, dataType: "transactions" } as const
const enrichmentIds = ["enr_1", "enr_2"].map((id) => id as EnrichmentId)
const months = ["2026-01", "2026-02", "2026-03"]

type Changes = SetPlanned["changes"]

const nothing = { partitions: [], dropped: [], notes: [], droppedNotes: [], links: [], droppedLinks: [] }

const accountOf = (record: number): AccountId => `acct_${record % 3}` as AccountId
const idOf = (record: number): string => `record_${String(record).padStart(3, "0")}`

/** Where a record stands: in some months, with some fields, sometimes with lines. */
const entriesOf = (random: Seeded, record: number): ReadonlyArray<AnalysisEntry> => {
  const fields = {
    amount: `${random.below(3)}`,
    ...(random.below(3) === 0 ? {} : { currency: "EUR" }),
    pending: false
  }
  const lines = random.below(4) === 0 ? { lines: [{ id: "a", fields: { amount: "1" } }] } : {}
  return months.flatMap((partition) =>
    random.below(2) === 0 ? [] : [{ partition, recordId: idOf(record), accountId: accountOf(record), fields, ...lines }]
  )
}

const first = (random: Seeded, enrichmentId: EnrichmentId, records: ReadonlyArray<number>): Changes => ({
  ...nothing,
  enrichmentId,
  entries: [],
  fresh: records.flatMap((n) => entriesOf(random, n))
})

const again = (random: Seeded, enrichmentId: EnrichmentId, records: ReadonlyArray<number>): Changes => ({
  ...nothing,
  enrichmentId,
  entries: records.map((n) => ({ recordId: idOf(n), entries: entriesOf(random, n) }))
})

/** By record and partition. */
const inOrder = (found: ReadonlyMap<string, ReadonlyArray<AnalysisEntry>>) =>
  [...found.values()]
    .flat()
    .map((entry) => [entry.recordId, entry.partition, entry] as const)
    .toSorted()

/** A store that nobody may ask. */
const unasked = new Proxy({} as AnalysisStore["Service"], {
  ownKeys: () => [],
  get: (_, name) => () => {
    throw new Error(`asked for ${String(name)}`)
  }
})

const all = Array.from({ length: 40 }, (_, n) => n)

describe("entries that a run has written", () => {
  it.effect("are what the store would answer, whatever was replaced since", () =>
    Effect.gen(function* () {
      const random = new Seeded(5)
      const store = yield* AnalysisStore
      const held = new EntriesHeld(true, 10_000)
      const seen = held.over(unasked)
      let version = 0
      const write = Effect.fnUntraced(function* (enrichments: ReadonlyArray<Changes>) {
        const changes = { asOf: CalendarDate.make("2026-03-01"), planned: {}, marks: [], unmarked: [] }
        yield* store.commit(scope, version++, { ...changes, enrichments } satisfies AnalysisChanges)
        held.add(enrichments.map((one) => ({ changes: one })))
        for (const id of enrichmentIds) {
          const keys = [...months.toReversed(), "2026-04"]
          expect(yield* seen.members(scope, id, keys)).toEqual(yield* store.members(scope, id, keys))
          const some = all.filter(() => random.below(2) === 0).map(idOf)
          expect(inOrder(yield* seen.entries(scope, id, some))).toEqual(inOrder(yield* store.entries(scope, id, some)))
        }
      })
      yield* write([first(random, enrichmentIds[0]!, all.slice(0, 20))])
      yield* write(enrichmentIds.map((id, n) => first(random, id, n === 0 ? all.slice(20) : all)))
      for (let round = 0; round < 6; round++) {
        const moved = all.filter(() => random.below(4) === 0)
        yield* write([again(random, enrichmentIds[round % 2]!, moved)])
      }
      expect(enrichmentIds.map((id) => held.holds(id))).toEqual([true, true])
    }).pipe(Effect.provide(MemoryStorage.layer))
  )

  it.effect("are read from the store where something was kept before, is too much, or is no longer so", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const store = {
        members: () => Effect.sync(() => (asked.push("members"), [])),
        entries: () => Effect.sync(() => (asked.push("entries"), new Map()))
      } as unknown as AnalysisStore["Service"]
      const written = [{ changes: first(new Seeded(1), enrichmentIds[0]!, all) }]
      const before = new EntriesHeld(false, 10_000)
      const little = new EntriesHeld(true, 50)
      const over = new EntriesHeld(true, 10_000)
      for (const held of [before, little, over]) {
        held.add(written)
        if (held === over) held.drop()
        expect(held.holds(enrichmentIds[0]!)).toBe(false)
        const seen = held.over(store)
        yield* seen.members(scope, enrichmentIds[0]!, months)
        yield* seen.entries(scope, enrichmentIds[0]!, [idOf(1)])
      }
      expect(asked).toEqual(["members", "entries", "members", "entries", "members", "entries"])
    })
  )

  it.effect(
    "of the enrichment that takes the most are read, and those of the others held, where all are too much",
    () =>
      Effect.gen(function* () {
        const asked: Array<string> = []
        const store = {
          members: (_: unknown, enrichmentId: string) => Effect.sync(() => (asked.push(enrichmentId), []))
        } as unknown as AnalysisStore["Service"]
        const [few, many] = [all.slice(0, 5), all]
        const written = [many, few].map((records, n) => ({ changes: first(new Seeded(1), enrichmentIds[n]!, records) }))
        const held = new EntriesHeld(true, 120)
        held.add(written)
        held.add(written)
        expect(enrichmentIds.map((id) => held.holds(id))).toEqual([false, true])
        const seen = held.over(store)
        for (const id of enrichmentIds) yield* seen.members(scope, id, months)
        expect(asked).toEqual([enrichmentIds[0]])
      })
  )
})
