/** Callbacks of providers are taken in once, schedule work for whoever they are about, and do nothing else. */
import { describe, expect, it } from "@effect/vitest"
import { Adapters } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { storeAccount, storeBank, storeFeed, storeWorkspace } from "@millrace/testing/fixture"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import { BankStore } from "../../src/bank/BankStore.ts"
import { ConnectReturns, type ReturnedAttempt } from "../../src/bank/ConnectReturns.ts"
import { ConnectionSubjectStore } from "../../src/bank/ConnectionSubject.ts"
import { FeedStore } from "../../src/feed/FeedStore.ts"
import { JobStore } from "../../src/job/JobStore.ts"
import type { ProviderDriver } from "../../src/provider/Provider.ts"
import { ProviderUnavailable } from "../../src/provider/ProviderError.ts"
import { type Poke, WebhookRefused } from "../../src/provider/Webhook.ts"
import { makeNewJob } from "../../src/job/NewJob.ts"
import { Ids } from "../../src/shared/Ids.ts"
import * as Timestamp from "../../src/shared/Timestamp.ts"
import { TaskStore } from "../../src/task/TaskStore.ts"
import { Transactor } from "../../src/storage/Transactor.ts"
import type { RunAgain, RunningTask, TaskHandler } from "../../src/task/TaskHandler.ts"
import { ProviderCallbacks } from "../../src/usecase/ProviderCallbacks.ts"
import { pokes, pulledFeeds } from "../../src/usecase/PokeTask.ts"
import { makeOneUseProvider } from "../bank/OneUseProvider.ts"

const encoder = new TextEncoder()

/** A driver whose callbacks are lists of pokes in JSON, signed by the word `signed`. */
const scripted = () => {
  const { driver } = makeOneUseProvider()
  const gate: { hold: Effect.Effect<void> } = { hold: Effect.void }
  const told: Array<{ readonly url: string; readonly now: number }> = []
  const provider: ProviderDriver = {
    ...driver,
    capabilities: { ...driver.capabilities, webhooks: true },
    verifyWebhook: ({ headers, now, rawBody, url }) =>
      Effect.gen(function* () {
        told.push({ url, now })
        yield* gate.hold
        if (headers["x-signature"] === "unknown key") return yield* new ProviderUnavailable({ message: "no key" })
        if (headers["x-signature"] !== "signed") return yield* new WebhookRefused({ message: "wrong signature" })
        return JSON.parse(new TextDecoder().decode(rawBody)) as ReadonlyArray<Poke>
      })
  }
  return { provider, gate, told }
}

const open = Effect.gen(function* () {
  yield* TestClock.setTime(Date.parse("2026-11-20T10:00:00Z"))
  const { gate, provider, told } = scripted()
  const { driver: silent } = makeOneUseProvider()
  /** How attempts were said to have ended. */
  const ended: Array<unknown> = []
  const returns = Layer.mock(ConnectReturns, {
    byAttempt: (instance, attemptId) =>
      Effect.succeed(
        instance === provider.instanceId && attemptId === "known"
          ? Option.some({ attempt: { attemptId } } as unknown as ReturnedAttempt)
          : Option.none()
      ),
    told: (_, result) => Effect.sync(() => void ended.push(result))
  })
  const services = yield* Layer.build(
    Layer.merge(ProviderCallbacks.layer, returns).pipe(
      Layer.provideMerge(
        Adapters.layer({ providers: [provider, { ...silent, instanceId: "silent:main" }], folder: undefined })
      ),
      Layer.provideMerge(MemoryStorage.layer),
      Layer.provideMerge(Ids.layer)
    )
  )
  return yield* Effect.gen(function* () {
    const callbacks = yield* ProviderCallbacks
    const tasks = yield* TaskStore
    const feeds = yield* FeedStore
    const jobs = yield* JobStore
    const banks = yield* BankStore
    const ids = yield* Ids
    const newJob = yield* makeNewJob
    const { atomically } = yield* Transactor
    const instanceId = provider.instanceId
    const workspace = yield* storeWorkspace()
    const bank = yield* storeBank(workspace, { providerInstanceId: instanceId })
    const connection = { instanceId, connection: { ref: "item", secrets: {} } }
    yield* banks.replaceConnection(bank.id, connection, bank.connectionStatus!, yield* Timestamp.now)
    const account = yield* storeAccount(bank)
    const sourceConfig = { type: "sync", accounts: [{ bankId: bank.id, accountId: account.id }] } as const
    const destinationConfig = { type: "file", path: "a.csv" } as const
    const schedule = { enabled: true, frequency: "daily", timeOfDay: "06:30" } as const
    const blocks = { sourceConfig, destinationConfig }
    const feed = yield* storeFeed(workspace, { ...blocks, schedule })
    const paused = yield* storeFeed(workspace, { ...blocks, schedule: { ...schedule, enabled: false } })
    const trades = yield* storeFeed(workspace, {
      ...blocks,
      schedule,
      dataType: "trades",
      dataTypeOptions: { dataType: "trades" }
    })
    const handlers = new Map<string, TaskHandler>()
    for (const handler of [yield* pokes, yield* pulledFeeds]) handlers.set(handler.kind.name, handler)

    const send = (list: ReadonlyArray<Poke>, signature = "signed", instance = instanceId) =>
      callbacks.receive(instance, {
        rawBody: encoder.encode(JSON.stringify(list)),
        headers: { "x-signature": signature }
      })
    const openTasks = Effect.map(tasks.list({ state: "open", limit: 100 }), (all) => all.map(({ kind }) => kind))
    /** Works off what is ready. */
    const work = Effect.gen(function* () {
      for (;;) {
        const rooms = [...handlers.keys()].map((kind) => ({ kind, limit: 1 }))
        const { tasks: claimed } = yield* tasks.claim("runner", rooms, 10)
        if (claimed.length === 0) return
        for (const { fence, task } of claimed) {
          const complete = Effect.fnUntraced(function* (again: RunAgain | void) {
            yield* again === undefined
              ? tasks.complete(fence)
              : tasks.complete(fence, { id: yield* ids.next("task"), afterSeconds: again.againSeconds })
          })
          let isDone = false
          const running: RunningTask<unknown> = {
            ...task,
            workspaceId: task.workspaceId,
            attempt: task.attempts,
            guard: tasks.fence(fence),
            finish: (writes) =>
              Effect.tap(atomically(Effect.tap(writes, () => complete(undefined))), () =>
                Effect.sync(() => void (isDone = true))
              )
          }
          const again = yield* handlers.get(task.kind)!.run(running)
          if (!isDone) yield* complete(again)
        }
      }
    })
    /** Feeds that are to run, with why; their jobs are made, as the scheduler makes them, and end at once. */
    const runs = Effect.gen(function* () {
      const due = yield* feeds.dueWakes(100)
      for (const { dueAt, feedId, type } of due) {
        yield* feeds.takeWake(feedId, dueAt)
        const of = [feed, trades, paused].find(({ id }) => id === feedId)!
        const job = yield* newJob(of, {
          userId: "usr_1",
          startedBy: { kind: "system", reason: "callback" },
          type,
          mode: "incremental",
          options: { forceCancelActive: false, resetCursors: false, skipDedup: false },
          errors: []
        })
        yield* jobs.create(job, { replacing: false })
        yield* jobs.cancel(job.id, "cancel", { kind: "system", reason: "test" })
      }
      return due.map(({ feedId, type }) => `${feedId} ${type}`).toSorted()
    })
    const at = (name: typeof feed) => `${name.id} webhook`
    const addSubject = Effect.gen(function* () {
      const ref = yield* ids.next("connectionSubject")
      const subjects = yield* ConnectionSubjectStore
      yield* subjects.begin({ workspaceId: workspace.id, instanceId, ref, createdAt: yield* Timestamp.now })
      return ref
    }).pipe(Effect.provide(services))
    return { addSubject, at, bank, banks, ended, feed, gate, openTasks, runs, send, tasks, told, trades, work }
  }).pipe(Effect.provide(services))
})

describe("callbacks of providers", () => {
  it.effect("have scheduled feeds of their connection run, and no others", () =>
    Effect.gen(function* () {
      const { at, feed, runs, send, trades, work } = yield* open
      yield* send([{ eventId: "1", connectionRef: "item", dataTypes: ["transactions"] }])
      yield* work
      expect(yield* runs).toEqual([at(feed)])
      yield* TestClock.adjust("2 minutes")
      yield* send([{ eventId: "2", connectionRef: "item" }])
      yield* work
      expect(yield* runs).toEqual([at(feed), at(trades)].toSorted())
      yield* send([
        { eventId: "3", connectionRef: "another" },
        { eventId: "4", subjectRef: "nobody" }
      ])
      yield* work
      yield* TestClock.adjust("2 minutes")
      expect(yield* runs).toEqual([])
    })
  )

  it.effect("are taken in once: by the id of the event, else by the body", () =>
    Effect.gen(function* () {
      const { openTasks, send, work } = yield* open
      const event: Poke = { eventId: "1", connectionRef: "item", dataTypes: ["transactions"] }
      yield* send([event])
      yield* work
      // Again, in another body, and many at a time.
      yield* Effect.all([send([event]), send([event, event]), send([{ ...event, dataTypes: ["trades"] }])], {
        concurrency: "unbounded"
      })
      expect(yield* openTasks).toEqual([])
      const nameless: Poke = { connectionRef: "item", dataTypes: ["trades"] }
      yield* send([nameless])
      expect(yield* openTasks).toEqual(["provider_poke"])
      yield* work
      yield* send([nameless])
      expect(yield* openTasks).toEqual([])
    })
  )

  it.effect("run a feed at most once a minute, however many come, and once more after the last", () =>
    Effect.gen(function* () {
      const { at, feed, runs, send, work } = yield* open
      let count = 0
      const poke = Effect.suspend(() =>
        send([{ eventId: `${++count}`, connectionRef: "item", dataTypes: ["transactions"] }])
      )
      const times: Array<number> = []
      for (let second = 0; second < 300; second += 5) {
        if (second < 150) yield* poke
        yield* work
        for (const run of yield* runs) {
          expect(run).toBe(at(feed))
          times.push(second)
        }
        yield* TestClock.adjust("5 seconds")
      }
      for (const [n, time] of times.entries()) if (n > 0) expect(time - times[n - 1]!).toBeGreaterThanOrEqual(60)
      expect(times.length).toBe(4)
      expect(times.at(-1)).toBeGreaterThanOrEqual(150)
    })
  )

  it.effect("have connections looked at that are said to be broken or mended, and pull nothing of broken ones", () =>
    Effect.gen(function* () {
      const { openTasks, runs, send, work } = yield* open
      yield* send([{ eventId: "1", connectionRef: "item", health: { status: "reauth_required" } }])
      yield* work
      expect([yield* openTasks, yield* runs]).toEqual([["connection_check"], []])
      yield* send([{ eventId: "2", connectionRef: "item", repaired: true, dataTypes: ["transactions"] }])
      yield* work
      expect([yield* openTasks, (yield* runs).length]).toEqual([["connection_check"], 1])
    })
  )

  it.effect("are about all banks of a subject where they name nothing else, and tell how attempts ended", () =>
    Effect.gen(function* () {
      const { addSubject, ended, runs, send, work } = yield* open
      const subjectRef = yield* addSubject
      yield* send([{ eventId: "1", subjectRef, dataTypes: ["transactions"] }])
      yield* work
      expect(yield* runs).toHaveLength(1)
      yield* send([
        { eventId: "2", attemptId: "known", connectionRef: "fresh", result: "connected" },
        { eventId: "3", attemptId: "known", result: "cancelled" },
        { eventId: "4", attemptId: "known", result: "connected" },
        { eventId: "5", attemptId: "unknown", result: "failed" }
      ])
      yield* work
      const payload = { kind: "provider_connection_id", connectionId: "fresh" }
      expect(ended).toHaveLength(2)
      expect(ended).toEqual(expect.arrayContaining([{ result: "connected", payload }, { result: "cancelled" }]))
    })
  )

  it.effect("do nothing for a bank that was deleted here", () =>
    Effect.gen(function* () {
      const { bank, banks, openTasks, runs, send, work } = yield* open
      const now = yield* Timestamp.now
      yield* banks.setLife(bank.id, { deletedAt: now }, now)
      yield* send([{ eventId: "1", connectionRef: "item", repaired: true }])
      yield* work
      expect([yield* openTasks, yield* runs]).toEqual([[], []])
    })
  )

  it.effect("are refused by their signature first, and leave nothing behind", () =>
    Effect.gen(function* () {
      const { openTasks, send, told } = yield* open
      const event: Poke = { eventId: "1", connectionRef: "item" }
      expect(yield* Effect.flip(send([event], "forged"))).toMatchObject({ _tag: "WebhookRefused" })
      expect(yield* Effect.flip(send([event], "unknown key"))).toMatchObject({ _tag: "ServerBusy" })
      for (const instance of ["nobody:main", "silent:main"]) {
        expect(yield* Effect.flip(send([event], "signed", instance))).toMatchObject({ _tag: "NotFound" })
      }
      expect(yield* openTasks).toEqual([])
      // What was refused is no repeat when it comes signed.
      yield* send([event])
      expect(yield* openTasks).toEqual(["provider_poke"])
      expect(told.at(-1)).toMatchObject({ now: Date.parse("2026-11-20T10:00:00Z") })
    })
  )

  it.effect("are sent away, to come again, where they are a flood or would be answered too late", () =>
    Effect.gen(function* () {
      const { gate, openTasks, send } = yield* open
      gate.hold = Effect.never
      const flood = yield* Effect.forkChild(
        Effect.forEach(
          Array.from({ length: 400 }, (_, n) => n),
          (n) => Effect.flip(send([{ eventId: `${n}`, connectionRef: "item" }])),
          { concurrency: "unbounded" }
        )
      )
      yield* TestClock.adjust("2 seconds")
      const refused = yield* Fiber.join(flood)
      expect(new Set(refused.map(({ _tag }) => _tag))).toEqual(new Set(["ServerBusy"]))
      expect(yield* openTasks).toEqual([])
      gate.hold = Effect.void
      yield* send([{ eventId: "1", connectionRef: "item" }])
      expect(yield* openTasks).toEqual(["provider_poke"])
    })
  )
})
