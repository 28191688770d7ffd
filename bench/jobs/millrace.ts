/**
 * Our engine: the whole kernel on PostgreSQL in each runner, a cluster over sockets, and a run whose pages are the
 * benchmark's in place of a bank's. Jobs are made by a process that runs none, as an API server would.
 */
import { setTimeout as wait } from "node:timers/promises"
import { Adapters } from "@millrace/adapters"
import { AesSecrets } from "@millrace/adapters/secrets"
import { PostgresStorage, serverRole } from "@millrace/adapters/postgres"
import type { Feed, FeedId } from "@millrace/core/feed"
import { JobEngine, type JobId } from "@millrace/core/job"
import { JobStore, Transactor } from "@millrace/core/storage"
import { yieldIfRevoked } from "../../packages/core/src/job/RunLease.ts"
import { Kernel, SyncRun } from "@millrace/core/kernel"
import { Ids } from "@millrace/core"
import { TaskKinds } from "@millrace/core/task"
import { withinWorkspaces } from "@millrace/core/workspace"
import { layerSocket, layerSocketClient } from "@millrace/jobs/socket"
import { housekeeping, TaskRunner } from "@millrace/jobs"
import { makeFeed, makeJob, storeFeed, storeWorkspace } from "@millrace/testing/fixture"
import { client, walledClient } from "@millrace/verification/postgres/TestPostgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import type { Contestant, Hooks } from "./Contestant.ts"
import { writeRows } from "./Shape.ts"

/** As many as a server has beside one for each slot, and for work across workspaces. */
const requestConnections = 8
const acrossConnections = 8

const { layer: noSecrets } = AesSecrets

const layerStorage = (database: ReturnType<typeof client>) =>
  PostgresStorage.layer.pipe(
    Layer.provide(noSecrets({ key: Redacted.make(Buffer.alloc(32, 7).toString("base64")) })),
    Layer.provideMerge(database)
  )

const layerPages = (hooks: Hooks) =>
  Layer.effect(
    SyncRun,
    Effect.gen(function* () {
      const jobs = yield* JobStore
      const sql = yield* SqlClient.SqlClient
      const { atomically } = yield* Transactor
      return SyncRun.of({
        banksOf: () => Effect.succeed([]),
        run: ({ fence, job }) => {
          const { fetchMillis, pages, rows } = hooks.shape()
          // What was read is counted with each page, so the row says where to go on.
          let page = job.counts.read / rows
          return Effect.gen(function* () {
            hooks.begun(job.id)
            for (; page < pages; page++) {
              yield* yieldIfRevoked
              hooks.fetching(job.id, page)
              if (fetchMillis > 0) yield* Effect.promise((signal) => wait(fetchMillis, undefined, { signal }))
              const progress = { add: { read: rows, created: rows } }
              yield* atomically(
                Effect.andThen(
                  page + 1 < pages ? jobs.fence(fence, progress) : jobs.complete(fence, progress),
                  Effect.orDie(sql.unsafe(writeRows, [job.id, page, rows]))
                )
              )
              yield* Effect.promise(hooks.committed)
            }
          }).pipe(
            withinWorkspaces(job.workspaceId),
            Effect.ensuring(Effect.sync(() => hooks.ended(job.id, page >= pages)))
          )
        }
      })
    })
  )

/** Rows like the one of that id, but for these columns. */
const cloned = (table: string, columns: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const found = yield* sql.unsafe<{ readonly name: string }>(
      `select attname as name from pg_attribute
       where attrelid = '${table}'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`
    )
    const names = found.map(({ name }) => name)
    return `insert into ${table} (${names.map((name) => `"${name}"`).join(", ")})
      select ${names.map((name) => columns[name] ?? `like_it."${name}"`).join(", ")}
      from ${table} like_it, unnest($2::text[], $3::text[]) as other(id, feed_id) where like_it.id = $1`
  })

export const contestant: Contestant = {
  name: "Millrace",
  module: "millrace.ts",
  install: (place) =>
    Effect.gen(function* () {
      yield* PostgresStorage.migrate
      // The rows of the benchmark are no table of ours, and a server may write nothing else.
      yield* (yield* SqlClient.SqlClient).unsafe(`grant insert on public.page_row to ${serverRole}`)
    }).pipe(Effect.provide(client(place, place.database, 1)), Effect.runPromise),
  open: async (place, count) => {
    const runtime = ManagedRuntime.make(
      layerSocketClient.pipe(
        Layer.provideMerge(layerStorage(client(place, place.database, 10))),
        Layer.provideMerge(Ids.layer)
      )
    )
    const { elsewhere, feed, feeds } = await runtime.runPromise(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const workspace = yield* storeWorkspace()
        const first = yield* storeFeed(workspace, yield* makeFeed(workspace))
        const others = yield* (yield* Ids).batch("feed", count)
        yield* sql.unsafe(yield* cloned("feed", { id: "other.id" }), [first.id, others, others])
        return { feed: first, feeds: [...others], elsewhere: yield* storeFeed(yield* storeWorkspace()) }
      })
    )
    const feedOf = new Map<JobId, FeedId>()
    const trigger = (of: Feed, feedId: FeedId) =>
      runtime.runPromise(
        Effect.gen(function* () {
          const job = yield* makeJob(of, { feedId })
          yield* (yield* JobStore).create(job, { replacing: false })
          yield* (yield* JobEngine).poke(feedId, job.id)
          feedOf.set(job.id, feedId)
          return job.id
        })
      )
    return {
      trigger: () => trigger(feed, feeds.pop()!),
      triggerElsewhere: () => trigger(elsewhere, elsewhere.id),
      queue: (wanted) =>
        runtime.runPromise(
          Effect.gen(function* () {
            const sql = yield* SqlClient.SqlClient
            const first = yield* makeJob(feed, { feedId: feeds.pop()! })
            yield* (yield* JobStore).create(first, { replacing: false })
            const ids = yield* (yield* Ids).batch("job", wanted - 1)
            const taken = feeds.splice(0, wanted - 1)
            const columns = { id: "other.id", feed_id: "other.feed_id", queued_at: "store_now()" }
            yield* sql.unsafe(yield* cloned("job", columns), [first.id, ids, taken])
          })
        ),
      cancel: (job) =>
        runtime.runPromise(
          Effect.gen(function* () {
            const id = job as JobId
            yield* (yield* JobStore).cancel(id, "cancel", { kind: "system", reason: "bench" })
            yield* (yield* JobEngine).interrupt(feedOf.get(id)!, id)
          })
        ),
      unfinished: () =>
        runtime.runPromise(
          Effect.gen(function* () {
            const sql = yield* SqlClient.SqlClient
            const rows = yield* sql<{ readonly open: number; readonly failed: number }>`select
              (count(*) filter (where status in ('created', 'in_progress', 'paused')))::int as open,
              (count(*) filter (where status = 'failed'))::int as failed from job`
            if (rows[0]!.failed > 0) return yield* Effect.die(`${rows[0]!.failed} jobs have failed`)
            return rows[0]!.open
          })
        ),
      close: () => runtime.dispose()
    }
  },
  run: async (place, hooks) => {
    const runtime = ManagedRuntime.make(
      TaskRunner.layer().pipe(
        Layer.provide(TaskKinds.layer(...housekeeping)),
        Layer.provideMerge(Kernel.layerUseCases(Redacted.make("bench"))),
        Layer.provideMerge(layerSocket({ host: "127.0.0.1", port: place.ownPort }, { slots: place.slots })),
        Layer.provideMerge(layerPages(hooks)),
        Layer.provideMerge(Kernel.layerRun),
        Layer.provideMerge(Adapters.layer({ providers: [], folder: undefined })),
        // Behind the wall between workspaces, as a server: its work across them has connections of its own.
        Layer.provideMerge(
          layerStorage(walledClient(place, place.database, requestConnections + place.slots, acrossConnections))
        )
      )
    )
    await runtime.context()
    return () => runtime.dispose()
  }
}
