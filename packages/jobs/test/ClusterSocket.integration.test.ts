/** Three machines on one PostgreSQL, each a runtime with sockets of its own, and one that runs nothing. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { AesSecrets } from "@millrace/adapters/secrets"
import { PostgresStorage } from "@millrace/adapters/postgres"
import { JobEngine, type JobId, RunLease } from "@millrace/core/job"
import { type ClaimedJob, JobStore } from "@millrace/core/storage"
import { Ids } from "@millrace/core"
import { SyncRun } from "@millrace/core/kernel"
import { makeScriptedRun, type Script, somebody, storeFeed, storeJob, storeWorkspace } from "@millrace/testing/fixture"
import { layer as database } from "@millrace/verification/postgres/TestPostgres"
import { freePort } from "@millrace/verification/process/ServerProcess"
import { expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import { describe, inject } from "vitest"
import { layerSocket, layerSocketClient } from "../src/ClusterSocket.ts"
import { Drain } from "../src/Drain.ts"

const { layer: aesSecrets } = AesSecrets
const { layer: storage } = PostgresStorage

const world = storage.pipe(
  Layer.provide(aesSecrets({ key: Redacted.make(Buffer.alloc(32, 7).toString("base64")) })),
  Layer.provideMerge(database(inject("postgres"))),
  Layer.merge(Ids.layer)
)

/** A machine with connections of its own. */
const connect = Effect.gen(function* () {
  const { config } = yield* PgClient.PgClient
  return yield* Layer.build(
    storage.pipe(
      Layer.provide(aesSecrets({ key: Redacted.make(Buffer.alloc(32, 7).toString("base64")) })),
      Layer.provideMerge(Layer.fresh(PgClient.layer({ ...config, maxConnections: 12 })))
    )
  )
})

const startMachine = Effect.fnUntraced(function* (slots: number, script: Script = {}) {
  const scope = yield* Scope.fork(yield* Effect.scope)
  const port = yield* Effect.promise(freePort)
  const context = yield* Scope.provide(connect, scope)
  const runs = makeScriptedRun(Context.get(context, JobStore), script)
  const engine = yield* Layer.buildWithScope(
    layerSocket({ host: "127.0.0.1", port }, { slots }).pipe(
      Layer.provide([Layer.succeedContext(context), Layer.succeed(SyncRun, runs.service)])
    ),
    scope
  )
  return {
    ...runs,
    engine: Context.get(engine, JobEngine),
    drain: Context.get(engine, Drain).drain,
    close: Scope.close(scope, Exit.void)
  }
})

const startClient = Effect.gen(function* () {
  const context = yield* connect
  return Context.get(yield* Layer.build(Layer.provide(layerSocketClient, Layer.succeedContext(context))), JobEngine)
})

/** Waits until it is so; fails the test when it is not within the time. */
const within = Effect.fnUntraced(function* <E, R>(
  what: string,
  millis: number,
  condition: Effect.Effect<boolean, E, R>
) {
  for (let waited = 0; waited < millis; waited += 20) {
    if (yield* condition) return
    yield* Effect.sleep("20 millis")
  }
  expect(yield* condition, `${what}: not within ${millis} ms`).toBe(true)
})

const statusOf = Effect.fnUntraced(function* (id: JobId) {
  const sql = yield* SqlClient.SqlClient
  const [job] = yield* sql<{
    readonly status: string
    readonly attempt: number
  }>`select status, attempt from job where id = ${id}`
  return job!
})

/** All machines have met: each sees the slots of the others, and shards have an owner. */
const settled = Effect.sleep("4 seconds")

/** They wait most of their time, so they do it together; what has to happen within a short time is shown alone. */
const test = (
  title: string,
  body: Effect.Effect<void, unknown, Layer.Success<typeof world> | Scope.Scope>,
  { alone = false } = {}
) =>
  it.live(title, () => Effect.provide(Effect.scoped(body), Layer.fresh(world)), {
    timeout: 300_000,
    concurrent: !alone
  })

/** Pages of 100 ms that ask whether they may stay, until the job is over. */
const pages =
  (count: number, read: Array<number>) =>
  (claimed: ClaimedJob): Effect.Effect<void> =>
    Effect.gen(function* () {
      const runLease = yield* RunLease
      for (let page = Number(claimed.resumeSnapshot ?? 0); page < count; page++) {
        if (runLease.isRevoked()) return yield* runLease.release
        read.push(page)
        yield* Effect.sleep("100 millis")
      }
    })

/** Jobs of one workspace: many times what three machines take on at once. */
const many = process.env["MILLRACE_LONG"] === "1" ? 1_000 : 400

describe("a cluster of three machines", () => {
  test(
    "runs each of many jobs once, on all machines, and never more than the slots of each",
    Effect.gen(function* () {
      const workspace = yield* storeWorkspace()
      const machines = yield* Effect.forEach([1, 2, 3], () =>
        startMachine(3, { body: () => Effect.sleep("30 millis") })
      )
      yield* settled
      const jobs = yield* Effect.forEach(
        Array.from({ length: 150 }),
        () => Effect.flatMap(storeFeed(workspace), (feed) => storeJob(feed)),
        { concurrency: 4 }
      )
      const started = () => machines.flatMap((machine) => machine.started)
      yield* within(
        "all jobs",
        40_000,
        Effect.sync(() => started().length >= jobs.length && machines.every((machine) => machine.running.now === 0))
      )
      expect(started().toSorted()).toEqual(jobs.map(({ id }) => id).toSorted())
      for (const machine of machines) {
        expect(machine.started.length).toBeGreaterThan(0)
        expect(machine.running.most).toBeLessThanOrEqual(3)
      }
      for (const { id } of jobs) expect(yield* statusOf(id)).toEqual({ status: "completed", attempt: 1 })
    })
  )

  test(
    `starts the job of another workspace next, although ${many} of one workspace came before`,
    Effect.gen(function* () {
      const [busy, other] = [yield* storeWorkspace(), yield* storeWorkspace()]
      const order: Array<JobId> = []
      const body = ({ job }: ClaimedJob) =>
        Effect.andThen(
          Effect.sync(() => void order.push(job.id)),
          Effect.sleep("200 millis")
        )
      for (let n = 0; n < 3; n++) yield* startMachine(3, { body })
      yield* settled
      yield* Effect.forEach(
        Array.from({ length: many }),
        () => Effect.flatMap(storeFeed(busy), (feed) => storeJob(feed)),
        { concurrency: 8, discard: true }
      )
      yield* within(
        "all slots taken",
        10_000,
        Effect.sync(() => order.length > 20)
      )
      const feed = yield* storeFeed(other)
      const before = order.length
      const job = yield* storeJob(feed)
      yield* within(
        "the other workspace's turn",
        10_000,
        Effect.sync(() => order.includes(job.id))
      )
      // Behind what its machine was given before it, at most all that is handed out to three, and what they all
      // start while the word goes round: never more than they start within two seconds.
      expect(order.indexOf(job.id) - before).toBeLessThan(9 * 10)
    })
  )

  test(
    "moves the runs of a machine that drains at their next page, and counts no loss",
    Effect.gen(function* () {
      const read: Array<number> = []
      const feed = yield* storeFeed(yield* storeWorkspace())
      const machines = yield* Effect.forEach([1, 2, 3], () => startMachine(2, { body: pages(400, read) }))
      yield* settled
      const job = yield* storeJob(feed)
      const running = () => machines.find((machine) => machine.running.now > 0)
      yield* within(
        "a run",
        10_000,
        Effect.sync(() => read.length > 3)
      )
      const first = running()!
      yield* first.drain
      expect(first.running.now).toBe(0)
      expect(first.interrupted).toEqual([job.id])
      yield* within(
        "another machine",
        8_000,
        Effect.sync(() => running() !== undefined)
      )
      expect(yield* statusOf(job.id)).toEqual({ status: "in_progress", attempt: 1 })
      yield* (yield* JobStore).cancel(job.id, "cancel", somebody)
      yield* first.close
    })
  )

  test(
    "brings a cancellation to the machine that runs the job, from one that runs none",
    Effect.gen(function* () {
      const feeds = yield* Effect.flatMap(storeWorkspace(), (workspace) =>
        Effect.forEach([1, 2, 3, 4], () => storeFeed(workspace))
      )
      const machines = yield* Effect.forEach([1, 2, 3], () => startMachine(4, { body: () => Effect.never }))
      const client = yield* startClient
      yield* settled
      const jobs = yield* Effect.forEach(feeds, (feed) => storeJob(feed))
      const running = () => machines.reduce((sum, machine) => sum + machine.running.now, 0)
      yield* within(
        "four runs",
        10_000,
        Effect.sync(() => running() === 4)
      )
      const store = yield* JobStore
      for (const { feedId, id } of jobs) {
        yield* store.cancel(id, "cancel", somebody)
        yield* client.interrupt(feedId, id)
      }
      // Less than a heartbeat, which would find it out as well.
      yield* within(
        "the end of all",
        1_000,
        Effect.sync(() => running() === 0)
      )
      expect(machines.flatMap((machine) => machine.interrupted).toSorted()).toEqual(jobs.map(({ id }) => id).toSorted())
      expect(Option.isNone(yield* store.active(feeds[0]!.id))).toBe(true)
    }),
    { alone: true }
  )
})
