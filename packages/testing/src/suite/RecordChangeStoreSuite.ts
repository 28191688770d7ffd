/** Conformance of `RecordChangeStore`. */
import { Ids, limits } from "@millrace/core"
import type { RecordChange } from "@millrace/core/enrichment"
import { AccountJoinStore, RecordChangeStore } from "@millrace/core/storage"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { makeRecordChange } from "../fixture/RecordChanges.ts"
import { difficultTexts } from "../fixture/Text.ts"
import { storeWorkspace } from "../fixture/Workspace.ts"
import { StoreClock, type StorageTests } from "./StorageTests.ts"

const daySeconds = 86_400

const arrange = Effect.gen(function* () {
  const { id: workspaceId } = yield* storeWorkspace()
  const ids = yield* Ids
  const store = yield* RecordChangeStore
  const [feedId, accountId] = [yield* ids.next("feed"), yield* ids.next("account")]
  const of = { workspaceId, feedId, accountId }
  const make = (own: Partial<RecordChange> = {}) => makeRecordChange(of, own)
  return { ...of, ids, store, make }
})

const move = Effect.fnUntraced(function* (
  workspaceId: RecordChange["workspaceId"],
  from: RecordChange["accountId"],
  to: RecordChange["accountId"],
  ids: ReadonlyArray<string>
) {
  yield* (yield* AccountJoinStore).move({ dataType: "transactions", from, ids, to, workspaceId })
})

const idsOf = (changes: ReadonlyArray<RecordChange>): ReadonlyArray<string> => changes.map(({ id }) => id)

/** The last entry of each field of a row. */
const lastOf = (changes: ReadonlyArray<RecordChange>): ReadonlyArray<RecordChange> => [
  ...new Map(changes.map((one) => [`${one.recordId} ${one.field}`, one])).values()
]

const byId = (changes: ReadonlyArray<RecordChange>): ReadonlyArray<RecordChange> =>
  changes.toSorted((a, b) => (a.id < b.id ? -1 : 1))

/**
 * What one run adds to many rows at once: rows of different fields, words and evidence, a row that comes twice, lines of a record,
 * and now and then an entry whose id does not follow from the one before, or that somebody else has added.
 */
const arrangeMany = Effect.gen(function* () {
  const { ids, make, ...rest } = yield* arrange
  const jobId = yield* ids.next("job")
  const actor = { kind: "sync", feedId: rest.feedId, jobId } as const
  const recordIds: ReadonlyArray<string> = yield* ids.batch("transaction", 150)
  const rows = recordIds.flatMap((id, n) => (n % 30 === 0 ? [id, `${id}:line`, `${id}:other`] : [id]))
  const changeIds = yield* ids.batch("change", 2_000)
  const all: Array<RecordChange> = []
  let next = 0
  for (const [n, recordId] of [...rows, rows[1]!, rows[100]!].entries()) {
    const evidence = n % 4 === 0 ? undefined : n % 4 === 1 ? { text: difficultTexts.join(""), n } : null
    const fields = ["category", "notes", "merchantName"].slice(0, 1 + (n % 3))
    if (n % 41 === 40) next++
    for (const [place, field] of fields.entries()) {
      if (n % 67 === 66) next += 5
      const { enrichmentId: _, revision: __, rulePath: ___, ...plain } = yield* make({ jobId, recordId, field })
      all.push({
        ...plain,
        id: changeIds[next++]!,
        recordVersion: 1 + (n % 2),
        before: n % 9 === 0 ? difficultTexts.join("") : null,
        after: n % 5 === 0 ? true : `${field} ${n}`,
        beforeAuthority: n % 8 === 0 && place === 1 ? "user" : "provider",
        ...(n % 6 === 0 ? { afterAuthority: "provider" } : { enrichmentId: `enr_${place % 2}`, revision: n % 2 }),
        ...(n % 10 === 0 ? { rulePath: "r" } : {}),
        ...(evidence === undefined ? {} : { evidence }),
        actor: n > 120 && n < 130 ? { kind: "sync", feedId: rest.feedId } : actor
      })
    }
  }
  yield* rest.store.append(all)
  return { ...rest, ids, make, jobId, recordIds, all }
})

export const tests: StorageTests = (it) => {
  it.effect("hands entries back as they were added, the newest of a record first", () =>
    Effect.gen(function* () {
      const { ids, make, store, workspaceId } = yield* arrange
      const recordId = yield* ids.next("transaction")
      const text = difficultTexts.join("")
      const first = yield* make({ recordId, after: text, evidence: { text, none: null }, rulePath: text })
      const second = yield* make({ recordId, before: text, after: true })
      const line = yield* make({ recordId: `${recordId}:line` })
      const other = yield* make({ recordId: `${recordId}x` })
      yield* store.append([first, second, line, other])
      expect(yield* store.ofRecord(workspaceId, recordId, 10)).toEqual([line, second, first])
      expect(yield* store.ofRecord(workspaceId, recordId, 2)).toEqual([line, second])
    })
  )

  it.effect("knows the last entry of each field of a feed's rows", () =>
    Effect.gen(function* () {
      const { feedId, ids, make, store } = yield* arrange
      const recordId = yield* ids.next("transaction")
      const older = yield* make({ recordId })
      const newer = yield* make({ recordId, before: "Food", after: "Travel" })
      const notes = yield* make({ recordId, field: "notes" })
      const elsewhere = yield* make({ recordId, feedId: yield* ids.next("feed"), after: "Gifts" })
      yield* store.append([older, notes])
      yield* store.append([newer, elsewhere])
      expect(idsOf(yield* store.latest(feedId, [recordId, "unknown"])).toSorted()).toEqual(
        idsOf([newer, notes]).toSorted()
      )
      expect(yield* store.latest(feedId, [])).toEqual([])
    })
  )

  it.effect("reads what a job changed, page by page", () =>
    Effect.gen(function* () {
      const { ids, make, store, workspaceId } = yield* arrange
      const jobId = yield* ids.next("job")
      const [a, b, c] = ["a", "b", "c"].map((recordId) => ({ jobId, recordId }))
      const own = [yield* make(a), yield* make(b), yield* make(c)]
      yield* store.append([own[0]!, yield* make(), own[1]!, own[2]!])
      const page = yield* store.ofJob(workspaceId, jobId, { limit: 2 })
      expect(page).toEqual(own.slice(0, 2))
      expect(yield* store.ofJob(workspaceId, jobId, { after: page[1]!.id, limit: 2 })).toEqual([own[2]])
    })
  )

  it.effect("reads all that a job changed of a row in one run, however small the pages are", () =>
    Effect.gen(function* () {
      const { feedId, ids, make, store, workspaceId } = yield* arrange
      const jobId = yield* ids.next("job")
      const evidence = { step: "shared" }
      const entries = [
        yield* make({ jobId, recordId: "a", field: "category", evidence }),
        yield* make({ jobId, recordId: "a", field: "notes", evidence }),
        yield* make({ jobId, recordId: "a", field: "merchantName", evidence: { ...evidence, another: null } }),
        yield* make({ jobId, recordId: "b", field: "category" }),
        yield* make({ jobId, recordId: "b", field: "notes", recordVersion: 2 }),
        yield* make({ jobId, recordId: "a", field: "category", before: true, after: null })
      ]
      yield* store.append(entries)
      const read: Array<RecordChange> = []
      for (;;) {
        const page = yield* store.ofJob(workspaceId, jobId, { after: read.at(-1)?.id, limit: 1 })
        if (page.length === 0) break
        read.push(...page)
      }
      expect(read).toEqual(entries)
      expect(yield* store.ofRecord(workspaceId, "a", 3)).toEqual([entries[5], entries[2], entries[1]])
      expect(idsOf(yield* store.latest(feedId, ["a"])).toSorted()).toEqual(
        idsOf([entries[1]!, entries[2]!, entries[5]!]).toSorted()
      )
    })
  )

  it.effect("keeps the history of records that are gone for its time, and that of others permanently", () =>
    Effect.gen(function* () {
      const { accountId, ids, make, store, workspaceId } = yield* arrange
      const { pass } = yield* StoreClock
      const recordId = yield* ids.next("transaction")
      const gone = yield* make({ recordId })
      const kept = yield* make({ recordId, accountId: yield* ids.next("account") })
      yield* store.append([gone, kept])
      yield* store.release(workspaceId, accountId)
      yield* pass((limits.changeDays - 1) * daySeconds)
      yield* store.release(workspaceId, accountId)
      yield* store.purge(1_000)
      expect(yield* store.ofRecord(workspaceId, recordId, 10)).toEqual([kept, gone])
      yield* pass(2 * daySeconds)
      yield* store.purge(1_000)
      expect(yield* store.ofRecord(workspaceId, recordId, 10)).toEqual([kept])
    })
  )

  it.effect("keeps what a run adds to many rows as the history of each of them", () =>
    Effect.gen(function* () {
      const { all, feedId, jobId, recordIds, store, workspaceId } = yield* arrangeMany
      const of = (id: string) => all.filter(({ recordId }) => recordId === id || recordId.startsWith(`${id}:`))
      for (const id of recordIds) expect(yield* store.ofRecord(workspaceId, id, 100)).toEqual(of(id).toReversed())
      const [lined] = recordIds
      expect(yield* store.ofRecord(workspaceId, lined!, 3)).toEqual(of(lined!).toReversed().slice(0, 3))
      expect(yield* store.ofRecord(workspaceId, `${recordIds.at(-1)!}0`, 10)).toEqual([])
      for (const limit of [1, 7, 1_000]) {
        const read: Array<RecordChange> = []
        for (;;) {
          const page = yield* store.ofJob(workspaceId, jobId, { after: read.at(-1)?.id, limit })
          if (page.length === 0) break
          read.push(...page)
        }
        expect(read).toEqual(all)
      }
      const rows = [...new Set(all.map(({ recordId }) => recordId))]
      expect(byId(yield* store.latest(feedId, rows))).toEqual(byId(lastOf(all)))
      const some = rows.filter((_, n) => n % 7 === 0)
      expect(byId(yield* store.latest(feedId, some))).toEqual(
        byId(lastOf(all.filter(({ recordId }) => some.includes(recordId))))
      )
    })
  )

  it.effect("goes on where the history of many rows was", () =>
    Effect.gen(function* () {
      const { all, feedId, make, recordIds, store, workspaceId } = yield* arrangeMany
      const [recordId] = recordIds.slice(20)
      const newer = yield* make({ recordId: recordId!, field: all[0]!.field, before: "Food", after: "Travel" })
      yield* store.append([newer])
      const own = all.filter((one) => one.recordId === recordId)
      expect(yield* store.ofRecord(workspaceId, recordId!, 100)).toEqual([newer, ...own.toReversed()])
      expect(byId(yield* store.latest(feedId, [recordId!]))).toEqual(byId(lastOf([...own, newer])))
    })
  )

  it.effect("moves the history of some of many rows to another account, and leaves all else as it was", () =>
    Effect.gen(function* () {
      const { accountId, all, feedId, ids, jobId, recordIds, store, workspaceId } = yield* arrangeMany
      const to = yield* ids.next("account")
      const moved = recordIds.filter((id, n) => n % 5 === 1 && all.every(({ recordId }) => recordId !== `${id}:line`))
      yield* move(workspaceId, accountId, to, moved)
      const now = all.map((one) => (moved.includes(one.recordId) ? { ...one, accountId: to } : one))
      const read: Array<RecordChange> = []
      for (;;) {
        const page = yield* store.ofJob(workspaceId, jobId, { after: read.at(-1)?.id, limit: 5 })
        if (page.length === 0) break
        read.push(...page)
      }
      expect(read).toEqual(now)
      for (const id of moved)
        expect(yield* store.ofRecord(workspaceId, id, 100)).toEqual(
          now.filter(({ recordId }) => recordId === id).toReversed()
        )
      const rows = [...new Set(all.map(({ recordId }) => recordId))]
      expect(byId(yield* store.latest(feedId, rows))).toEqual(byId(lastOf(now)))
    })
  )

  it.effect("moves the history of the lines of a record with it, however they are kept", () =>
    Effect.gen(function* () {
      const { accountId, all, ids, make, recordIds, store, workspaceId } = yield* arrangeMany
      const { pass } = yield* StoreClock
      const to = yield* ids.next("account")
      const [moved, stays] = [recordIds[0]!, recordIds[30]!]
      const alone = yield* make({ recordId: `${moved}:alone` })
      const elsewhere = yield* make({ recordId: `${moved}:line`, accountId: yield* ids.next("account") })
      yield* store.append([alone, elsewhere])
      yield* move(workspaceId, accountId, to, [moved])
      const of = (id: string) => all.filter(({ recordId }) => recordId === id || recordId.startsWith(`${id}:`))
      const now = [...of(moved), alone].map((one) => ({ ...one, accountId: to }))
      expect(now.filter(({ recordId }) => recordId !== moved).length).toBeGreaterThan(2)
      expect(yield* store.ofRecord(workspaceId, moved, 100)).toEqual([elsewhere, ...now.toReversed()])
      expect(yield* store.ofRecord(workspaceId, stays, 100)).toEqual(of(stays).toReversed())
      yield* store.release(workspaceId, accountId)
      yield* pass((limits.changeDays + 1) * daySeconds)
      while ((yield* store.purge(50)) > 0);
      expect(yield* store.ofRecord(workspaceId, moved, 100)).toEqual([elsewhere, ...now.toReversed()])
      expect(yield* store.ofRecord(workspaceId, stays, 100)).toEqual([])
    })
  )

  it.effect("moves the history of a record that many runs have added to", () =>
    Effect.gen(function* () {
      const { accountId, feedId, ids, make, store, workspaceId } = yield* arrange
      const to = yield* ids.next("account")
      const recordIds: ReadonlyArray<string> = yield* ids.batch("transaction", 5)
      const all: Array<RecordChange> = []
      // Each run is kept by itself.
      for (let run = 0; run < 120; run++) {
        const jobId = yield* ids.next("job")
        const changeIds = yield* ids.batch("change", recordIds.length)
        for (const [n, recordId] of recordIds.entries())
          all.push({ ...(yield* make({ jobId, recordId, after: `${run}` })), id: changeIds[n]! })
        yield* store.append(all.slice(-recordIds.length))
      }
      const [moved, stays] = [recordIds[1]!, recordIds[2]!]
      yield* move(workspaceId, accountId, to, [moved])
      const of = (id: string) => all.filter(({ recordId }) => recordId === id).toReversed()
      expect(yield* store.ofRecord(workspaceId, moved, 200)).toEqual(
        of(moved).map((one) => ({ ...one, accountId: to }))
      )
      expect(yield* store.ofRecord(workspaceId, stays, 200)).toEqual(of(stays))
      expect((yield* store.latest(feedId, [moved, stays])).map(({ after }) => after)).toEqual(["119", "119"])
    })
  )

  it.effect("forgets the history of many rows that are gone when their time is over", () =>
    Effect.gen(function* () {
      const { accountId, jobId, recordIds, store, workspaceId } = yield* arrangeMany
      const { pass } = yield* StoreClock
      expect(yield* store.release(workspaceId, accountId)).toBeGreaterThan(0)
      yield* pass((limits.changeDays + 1) * daySeconds)
      while ((yield* store.purge(50)) > 0);
      expect(yield* store.ofJob(workspaceId, jobId, { limit: 10 })).toEqual([])
      expect(yield* store.ofRecord(workspaceId, recordIds[0]!, 10)).toEqual([])
    })
  )
}
