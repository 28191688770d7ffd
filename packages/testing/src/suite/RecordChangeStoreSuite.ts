/** Conformance of `RecordChangeStore`. */
import { Ids, limits } from "@millrace/core"
import type { RecordChange } from "@millrace/core/enrichment"
import { RecordChangeStore } from "@millrace/core/storage"
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

const idsOf = (changes: ReadonlyArray<RecordChange>): ReadonlyArray<string> => changes.map(({ id }) => id)

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

  it.effect("keeps the history of records that are gone for its time, and that of others for good", () =>
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
}
