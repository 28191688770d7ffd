/** Conformance of `FeedStore`. */
import { DeliveryStore, FeedStore, Fenced, JobStore, Transactor, UploadStore } from "@millrace/core/storage"
import type { Feed } from "@millrace/core/feed"
import { storageFull } from "@millrace/core/job"
import { Timestamp } from "@millrace/core"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { somebody } from "../fixture/Actor.ts"
import { storeAccount } from "../fixture/Account.ts"
import { storeBank } from "../fixture/Bank.ts"
import { makeIntent } from "../fixture/Delivery.ts"
import { makeFeed, storeFeed } from "../fixture/Feed.ts"
import { claimJob, makeJob, makeJobError, storeJob } from "../fixture/Job.ts"
import { difficultTexts } from "../fixture/Text.ts"
import { makeUpload } from "../fixture/Upload.ts"
import { storeWorkspace } from "../fixture/Workspace.ts"
import { StoreClock, suiteOf, type StorageTests } from "./StorageTests.ts"

const arrange = Effect.gen(function* () {
  const workspace = yield* storeWorkspace()
  const account = yield* storeAccount(yield* storeBank(workspace))
  return { workspace, account, store: yield* FeedStore }
})

const schedule = { enabled: true, frequency: "daily", timeOfDay: "06:30" } as const

/** An instant so many seconds from now. */
/** By the clock of the store, which other suites have set ahead. */
const inSeconds = Effect.fnUntraced(function* (seconds: number) {
  const now = yield* (yield* JobStore).now
  return Timestamp.fromMillis(Timestamp.toMillis(now) + seconds * 1000)
})

export const tests: StorageTests = (it) => {
  it.effect("hands back a feed as it was inserted, to its own workspace and to jobs", () =>
    Effect.gen(function* () {
      const { workspace, account, store } = yield* arrange
      const plain = yield* storeFeed(workspace)
      const full = yield* storeFeed(workspace, {
        name: difficultTexts.join("|"),
        icon: "💧",
        source: "sync",
        sourceConfig: { type: "sync", accounts: [{ bankId: account.bankId, accountId: account.id }] },
        destinationConfig: { type: "file", path: "a/b.csv", format: "csv", onRemoved: "mark" },
        fieldMappings: difficultTexts.map((text, i) => ({ sourceField: `f${i}`, destinationField: `${text}.` })),
        mappingsDefaulted: true,
        dataTypeOptions: { dataType: "transactions", pendingMode: "filter_pending", lookbackDays: 10 },
        schedule: { ...schedule, frequency: "weekly", dayOfWeek: 0, timezone: "Europe/Zurich" },
        nextRunAt: Timestamp.make("2199-12-31T23:59:59.999Z"),
        extractionConfig: {
          extractionFields: [{ key: "net", name: difficultTexts.join("/"), type: "currency", isItemField: true }],
          itemizePerRow: true
        },
        fileBankId: account.bankId
      })
      expect(yield* store.get(workspace.id, full.id)).toEqual(Option.some(full))
      expect(yield* store.byId(full.id)).toEqual(Option.some(full))
      const read = Option.getOrThrow(yield* store.get(workspace.id, plain.id))
      expect(read).toEqual(plain)
      for (const key of ["icon", "sourceConfig", "extractionConfig", "schedule", "nextRunAt", "fileBankId"])
        expect(Object.keys(read)).not.toContain(key)
      expect(yield* store.get((yield* storeWorkspace()).id, full.id)).toEqual(Option.none())
    })
  )

  it.effect("lists feeds by order, then age, and by type and source", () =>
    Effect.gen(function* () {
      const { workspace, store } = yield* arrange
      const second = yield* storeFeed(workspace, { order: 5 })
      const young = yield* storeFeed(workspace, { order: 1, createdAt: Timestamp.make("2026-03-02T00:00:00.000Z") })
      const old = yield* storeFeed(workspace, {
        order: 1,
        createdAt: Timestamp.make("2026-03-01T00:00:00.000Z"),
        dataType: "trades",
        dataTypeOptions: { dataType: "trades" }
      })
      const files = yield* storeFeed(workspace, { order: 9, source: "upload" })
      yield* storeFeed(yield* storeWorkspace())
      const ids = (query: Parameters<typeof store.list>[1]) =>
        Effect.map(store.list([workspace.id], query), (feeds) => feeds.map(({ id }) => id))
      expect(yield* ids({})).toEqual([old.id, young.id, second.id, files.id])
      expect(yield* ids({ dataType: "trades" })).toEqual([old.id])
      expect(yield* ids({ source: "upload" })).toEqual([files.id])
      expect(yield* ids({ dataType: "trades", source: "upload" })).toEqual([])
      const portal = yield* storeWorkspace()
      const first = yield* storeFeed(portal, { order: 0 })
      const both = yield* store.list([workspace.id, portal.id], {})
      expect(both.map(({ id }) => id)).toEqual([first.id, old.id, young.id, second.id, files.id])
    })
  )

  it.effect("replaces a feed whose version follows on, and only then", () =>
    Effect.gen(function* () {
      const { workspace, store } = yield* arrange
      const { destinationConfig: _, ...first } = yield* storeFeed(workspace, { icon: "x", schedule })
      const { icon: _i, schedule: _s, ...second } = { ...first, name: "Second", version: 2 }
      expect(yield* store.update(second)).toBe(true)
      expect(yield* store.update({ ...second, name: "Late" })).toBe(false)
      expect(yield* store.update({ ...second, name: "Ahead", version: 4 })).toBe(false)
      expect(yield* store.update(yield* makeFeed(workspace, { version: 2 }))).toBe(false)
      const read = Option.getOrThrow(yield* store.byId(first.id))
      expect(read).toEqual(second)
      for (const key of ["icon", "schedule", "destinationConfig"]) expect(Object.keys(read)).not.toContain(key)
      const won = yield* Effect.forEach(
        Array.from({ length: 12 }, (_e, i) => ({ ...second, name: `writer ${i}`, version: 3 })),
        (feed) => store.update(feed),
        { concurrency: "unbounded" }
      )
      expect(won.filter(Boolean)).toHaveLength(1)
      expect(Option.getOrThrow(yield* store.byId(first.id)).name).toBe(`writer ${won.indexOf(true)}`)
    })
  )

  it.effect("removes a feed with everything that belongs to it, and nothing else", () =>
    Effect.gen(function* () {
      const { workspace, account, store } = yield* arrange
      const [jobs, deliveries, uploads] = [yield* JobStore, yield* DeliveryStore, yield* UploadStore]
      const fill = Effect.fnUntraced(function* (feed: Feed) {
        const { job, fence } = yield* claimJob(feed, [account.bankId])
        yield* deliveries.intend(feed.id, job.id, [makeIntent(account, "a")])
        yield* store.setMarks(feed.id, [{ accountId: account.id, changeNo: 1, signature: "s" }])
        const upload = yield* makeUpload(feed)
        yield* uploads.insert(upload, new Uint8Array([1]))
        return { job, fence, upload }
      })
      const feed = yield* storeFeed(workspace)
      const kept = yield* storeFeed(workspace)
      const { job, fence, upload } = yield* fill(feed)
      expect(yield* store.remove((yield* storeWorkspace()).id, feed.id)).toBe(false)
      expect(yield* store.remove(workspace.id, feed.id)).toBe(true)
      expect(yield* store.remove(workspace.id, feed.id)).toBe(false)
      // The lease of the connection went with the job, or this would not be possible.
      yield* fill(kept)
      expect(yield* store.get(workspace.id, feed.id)).toEqual(Option.none())
      expect(yield* store.marks(feed.id)).toEqual([])
      expect(yield* jobs.get(workspace.id, feed.id, job.id)).toEqual(Option.none())
      expect(yield* jobs.active(feed.id)).toEqual(Option.none())
      expect(yield* Effect.flip(jobs.fence(fence, {}))).toEqual(new Fenced({ jobId: job.id }))
      expect(yield* deliveries.list(feed.id, { limit: 5 })).toEqual([])
      expect(yield* uploads.list(feed.id, {})).toEqual([])
      expect(yield* uploads.bytes(upload.id)).toEqual(Option.none())
      expect(yield* store.marks(kept.id)).toHaveLength(1)
      expect(yield* deliveries.list(kept.id, { limit: 5 })).toHaveLength(1)
      expect(yield* uploads.list(kept.id, {})).toHaveLength(1)
      expect(Option.isSome(yield* jobs.active(kept.id))).toBe(true)
    })
  )

  it.effect("keeps a mark per account and clears them", () =>
    Effect.gen(function* () {
      const { workspace, account, store } = yield* arrange
      const other = yield* storeAccount(yield* storeBank(workspace))
      const feed = yield* storeFeed(workspace)
      const bystander = yield* storeFeed(workspace)
      const mark = { accountId: account.id, changeNo: 5, signature: "one" }
      yield* store.setMarks(feed.id, [{ ...mark, changeNo: 4 }])
      yield* store.setMarks(feed.id, [mark, { ...mark, accountId: other.id }])
      yield* store.setMarks(feed.id, [])
      yield* store.setMarks(bystander.id, [mark])
      const marks = Effect.map(store.marks(feed.id), (all) =>
        all.toSorted((a, b) => (a.accountId < b.accountId ? -1 : 1))
      )
      expect(yield* marks).toEqual([mark, { ...mark, accountId: other.id }])
      yield* store.clearMarks(feed.id)
      expect(yield* marks).toEqual([])
      expect(yield* store.marks(bystander.id)).toEqual([mark])
    })
  )

  it.effect("remembers which columns names mean, beside each other and through changes of the feed", () =>
    Effect.gen(function* () {
      const { workspace, store } = yield* arrange
      const feed = yield* storeFeed(workspace)
      const bystander = yield* storeFeed(workspace)
      expect(yield* store.boundColumns(feed.id)).toEqual(new Map())
      yield* store.bindColumns(feed.id, new Map(difficultTexts.map((text, n) => [`${n} ${text}`, `fld_${n}`])))
      yield* store.bindColumns(
        feed.id,
        new Map([
          [`0 ${difficultTexts[0]}`, "fld_other"],
          ["__proto__", "fld_proto"]
        ])
      )
      expect(yield* store.update({ ...feed, name: "Changed", version: 2 })).toBe(true)
      expect(yield* store.boundColumns(feed.id)).toEqual(
        new Map([
          ...difficultTexts.map((text, n) => [`${n} ${text}`, `fld_${n}`] as const),
          [`0 ${difficultTexts[0]}`, "fld_other"],
          ["__proto__", "fld_proto"]
        ])
      )
      expect(yield* store.boundColumns(bystander.id)).toEqual(new Map())
      yield* store.unbindColumns(feed.id)
      expect(yield* store.boundColumns(feed.id)).toEqual(new Map())
    })
  )

  it.effect("gives a place to one feed, until that takes another, gives it up or is removed", () =>
    Effect.gen(function* () {
      const { workspace, store } = yield* arrange
      const [one, two] = [yield* storeFeed(workspace), yield* storeFeed(workspace)]
      const abroad = yield* storeFeed(yield* storeWorkspace())
      const [first, second] = [`${one.id}/first`, `${one.id}/second`]
      expect(yield* store.claimPlace(one.id, first)).toBe(true)
      expect(yield* store.claimPlace(one.id, first)).toBe(true)
      expect(yield* store.claimPlace(two.id, second)).toBe(true)
      // Refused, it keeps what it has.
      expect(yield* store.claimPlace(two.id, first)).toBe(false)
      expect(yield* store.claimPlace(abroad.id, first)).toBe(false)
      expect(yield* store.claimPlace(one.id, second)).toBe(false)
      expect(yield* store.claimPlace(one.id, `${one.id}/third`)).toBe(true)
      expect(yield* store.claimPlace(abroad.id, first)).toBe(true)
      expect(yield* store.claimPlace(abroad.id, undefined)).toBe(true)
      expect(yield* store.claimPlace(one.id, first)).toBe(true)
      expect(yield* store.remove(workspace.id, two.id)).toBe(true)
      expect(yield* store.claimPlace(abroad.id, second)).toBe(true)
    })
  )

  it.effect("gives a place to one of many that claim it at the same time, and takes nothing back that was undone", () =>
    Effect.gen(function* () {
      const { workspace, store } = yield* arrange
      const { atomically } = yield* Transactor
      const feeds = yield* Effect.forEach(Array.from({ length: 8 }), () => storeFeed(workspace))
      const place = `${feeds[0]!.id}/contested`
      const undone = atomically(Effect.andThen(store.claimPlace(feeds[0]!.id, place), Effect.fail("undone" as const)))
      expect(yield* Effect.flip(undone)).toBe("undone")
      const won = yield* Effect.forEach(feeds, ({ id }) => atomically(store.claimPlace(id, place)), {
        concurrency: "unbounded"
      })
      expect(won.filter(Boolean)).toHaveLength(1)
    })
  )

  it.effect("offers enabled schedules that are due and free, oldest due first", () =>
    Effect.gen(function* () {
      const { workspace, store } = yield* arrange
      const due = (seconds: number, change: Partial<Feed> = {}) =>
        Effect.flatMap(inSeconds(seconds), (nextRunAt) => storeFeed(workspace, { schedule, nextRunAt, ...change }))
      const recent = yield* due(-30)
      const oldest = yield* due(-300)
      const locked = yield* due(-200)
      const future = yield* due(300)
      const disabled = yield* due(-200, { schedule: { ...schedule, enabled: false } })
      const none = yield* storeFeed(workspace)
      const { job } = yield* claimJob(locked)
      const all = new Set([recent, oldest, locked, future, disabled, none].map(({ id }) => id))
      const offered = Effect.map(store.scheduleDue(100_000), (feeds) =>
        feeds.map(({ id }) => id).filter((id) => all.has(id))
      )
      expect(yield* offered).toEqual([oldest.id, recent.id])
      expect(yield* store.scheduleDue(100_000)).toContainEqual(oldest)
      expect(yield* store.scheduleDue(1)).toHaveLength(1)
      yield* (yield* JobStore).cancel(job.id, "cancel", somebody)
      expect(yield* offered).toEqual([oldest.id, locked.id, recent.id])
    })
  )

  it.effect("moves a due time on for one of many dispatchers", () =>
    Effect.gen(function* () {
      const { workspace, store } = yield* arrange
      const from = Timestamp.make("2026-03-14T06:30:00.000Z")
      const to = Timestamp.make("2026-03-15T06:30:00.000Z")
      const feed = yield* storeFeed(workspace, { schedule, nextRunAt: from })
      const won = yield* Effect.forEach(Array.from({ length: 10 }), () => store.advanceSchedule(feed.id, from, to), {
        concurrency: "unbounded"
      })
      expect(won.filter(Boolean)).toHaveLength(1)
      expect(yield* store.byId(feed.id)).toEqual(Option.some({ ...feed, nextRunAt: to }))
      expect(yield* store.advanceSchedule(feed.id, to, undefined)).toBe(true)
      expect(Object.keys(Option.getOrThrow(yield* store.byId(feed.id)))).not.toContain("nextRunAt")
      expect(yield* store.advanceSchedule(feed.id, to, from)).toBe(false)
    })
  )

  it.effect("offers wakes that are due and not void, and gives each to one of many", () =>
    Effect.gen(function* () {
      const { workspace, store } = yield* arrange
      const [jobs, clock] = [yield* JobStore, yield* StoreClock]
      const feed = yield* storeFeed(workspace)
      const due = Effect.map(store.dueWakes(100_000), (wakes) => wakes.filter(({ feedId }) => feedId === feed.id))
      const retry = { reason: "retry", type: "scheduled", retry: 2 } as const
      yield* store.wake(feed.id, { ...retry, afterSeconds: 60 })
      expect(yield* due).toEqual([])
      expect((yield* store.states([feed.id])).get(feed.id)?.nextRunAt).toBeDefined()
      yield* clock.pass(61)
      const [wake] = yield* due
      expect(wake).toEqual({ ...retry, feedId: feed.id, dueAt: wake!.dueAt })
      expect((yield* store.states([feed.id])).get(feed.id)?.nextRunAt).toBe(wake!.dueAt)
      const taken = yield* Effect.all(
        Array.from({ length: 8 }, () => store.takeWake(feed.id, wake!.dueAt)),
        { concurrency: "unbounded" }
      )
      expect(taken.filter((won) => won)).toHaveLength(1)
      expect(yield* due).toEqual([])

      // While a job runs it waits; what is asked for meanwhile is for after it.
      const running = yield* storeJob(feed)
      yield* store.wake(feed.id, { reason: "redelivery", type: "manual", retry: 0, afterSeconds: 0 })
      expect(yield* due).toEqual([])
      yield* jobs.cancel(running.id, "cancel", somebody)
      expect(yield* due).toMatchObject([{ reason: "redelivery" }])
      // Another job does what it was for.
      const next = yield* storeJob(feed)
      yield* jobs.cancel(next.id, "cancel", somebody)
      expect(yield* due).toEqual([])
      expect((yield* store.states([feed.id])).get(feed.id)?.nextRunAt).toBeUndefined()
    })
  )

  it.effect("keeps the earlier of two wakes, unless that is void", () =>
    Effect.gen(function* () {
      const { workspace, store } = yield* arrange
      const [jobs, clock] = [yield* JobStore, yield* StoreClock]
      const [feed, other] = [yield* storeFeed(workspace), yield* storeFeed(workspace)]
      const wake = (id: Feed["id"], retry: number, afterSeconds: number) =>
        store.wake(id, { reason: "retry", type: "webhook", retry, afterSeconds })
      const due = Effect.map(store.dueWakes(100_000), (wakes) =>
        wakes.filter(({ feedId }) => feedId === feed.id || feedId === other.id).map(({ retry }) => retry)
      )
      yield* wake(feed.id, 1, 30)
      yield* wake(feed.id, 2, 60)
      yield* wake(other.id, 3, 60)
      yield* wake(other.id, 4, 20)
      yield* clock.pass(40)
      expect(yield* due).toEqual([4, 1])
      const job = yield* storeJob(feed)
      yield* jobs.cancel(job.id, "cancel", somebody)
      yield* wake(feed.id, 5, 600)
      expect(yield* due).toEqual([4])
      yield* clock.pass(601)
      expect(yield* due).toEqual([4, 5])
      yield* store.remove(workspace.id, other.id)
      expect(yield* due).toEqual([5])
      yield* wake(other.id, 6, 0)
      expect(yield* due).toEqual([5])
    })
  )

  it.effect("derives the state of a feed from its jobs", () =>
    Effect.gen(function* () {
      const { workspace, store } = yield* arrange
      const [jobs, clock] = [yield* JobStore, yield* StoreClock]
      const feed = yield* storeFeed(workspace)
      const idle = yield* storeFeed(workspace)
      const state = Effect.map(store.states([feed.id, idle.id]), (states) => {
        expect(states.get(idle.id)).toEqual({ status: "ready", consecutiveFailures: 0, warnings: [] })
        return states.get(feed.id)!
      })
      expect(yield* state).toEqual({ status: "ready", consecutiveFailures: 0, warnings: [] })

      const first = yield* storeJob(feed)
      expect(yield* state).toMatchObject({ status: "waiting", activeJobId: first.id, lastJobId: first.id })
      const { fence } = Option.getOrThrow(yield* jobs.claim(first.id, []))
      expect(yield* state).toMatchObject({ status: "running", activeJobId: first.id })
      yield* jobs.complete(fence, {})
      const done = Option.getOrThrow(yield* jobs.get(workspace.id, feed.id, first.id))
      expect(yield* state).toEqual({
        status: "ready",
        lastJobId: first.id,
        lastSuccessAt: done.completedAt,
        consecutiveFailures: 0,
        warnings: []
      })

      for (let failures = 1; failures <= 2; failures++) {
        yield* clock.pass(1)
        const run = yield* claimJob(feed)
        yield* jobs.fail(run.fence, [
          yield* makeJobError({ severity: "warning", message: "only a warning", code: "RANGE_CLAMPED" }),
          yield* makeJobError({ message: `failure ${failures}` })
        ])
        expect(yield* state).toEqual({
          status: "failing",
          reason: { code: "RECONNECT_REQUIRED", message: `failure ${failures}`, recovery: { action: "reconnect" } },
          lastJobId: run.job.id,
          lastSuccessAt: done.completedAt,
          consecutiveFailures: failures,
          warnings: []
        })
      }

      const cancelled = yield* storeJob(feed)
      yield* jobs.cancel(cancelled.id, "cancel", somebody)
      expect(yield* state).toMatchObject({ status: "failing", consecutiveFailures: 2, lastJobId: cancelled.id })

      const paused = yield* claimJob(feed)
      yield* jobs.pause(paused.fence, "user", undefined)
      const waiting = yield* state
      expect(waiting).toMatchObject({ status: "waiting", activeJobId: paused.job.id, consecutiveFailures: 2 })
      expect(Object.keys(waiting)).not.toContain("reason")
      yield* jobs.create(yield* makeJob(feed), { replacing: true })
      const crowded = Option.getOrThrow(yield* jobs.active(feed.id))
      yield* jobs.pause(Option.getOrThrow(yield* jobs.claim(crowded.id, [])).fence, "storage_full", 15)
      expect(yield* state).toMatchObject({ status: "waiting", activeJobId: crowded.id, reason: storageFull })
      yield* jobs.create(yield* makeJob(feed), { replacing: true })
      expect(Object.keys(yield* state)).not.toContain("reason")
      const last = Option.getOrThrow(yield* jobs.active(feed.id))
      const { fence: lastFence } = Option.getOrThrow(yield* jobs.claim(last.id, []))
      yield* jobs.complete(lastFence, {})
      expect(yield* state).toMatchObject({ status: "ready", consecutiveFailures: 0, lastJobId: last.id })
      expect(yield* store.states([])).toEqual(new Map())
    })
  )
}

export const suite = suiteOf(tests)
