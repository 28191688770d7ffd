/** The dispatcher hears of new jobs, and listens again when it was cut off. */
import { AesSecrets } from "@millrace/adapters/secrets"
import { PostgresStorage } from "@millrace/adapters/postgres"
import { JobStore } from "@millrace/core/storage"
import { Ids } from "@millrace/core"
import { SyncRun } from "@millrace/core/kernel"
import { makeScriptedRun, storeFeed, storeJob, storeWorkspace } from "@millrace/testing/fixture"
import { layer as database } from "@millrace/verification/postgres/TestPostgres"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { inject } from "vitest"
import { layerCluster } from "../src/ClusterEngine.ts"

const { layer: aesSecrets } = AesSecrets
const { layer: storage } = PostgresStorage

const world = storage.pipe(
  Layer.provide(aesSecrets({ key: Redacted.make(Buffer.alloc(32, 7).toString("base64")) })),
  Layer.provideMerge(database(inject("postgres"))),
  Layer.merge(Ids.layer)
)

const listeners = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ readonly pid: number }>`select pid from pg_stat_activity
    where datname = current_database() and query ilike 'listen%'`
})

const until = Effect.fnUntraced(function* <E, R>(condition: Effect.Effect<boolean, E, R>) {
  for (let waited = 0; waited < 20_000; waited += 50) {
    if (yield* condition) return
    yield* Effect.sleep("50 millis")
  }
  expect(yield* condition).toBe(true)
})

it.live(
  "a dispatcher that was cut off from the news finds what it missed, and listens again",
  () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const runs = makeScriptedRun(yield* JobStore)
      yield* Layer.build(Layer.provide(layerCluster(), Layer.succeed(SyncRun, runs.service)))
      const isListening = Effect.map(listeners, (list) => list.length === 1)
      yield* until(isListening)
      const [cut] = yield* listeners
      yield* sql`select pg_terminate_backend(${cut!.pid}::int)`
      const workspace = yield* storeWorkspace()
      const missed = yield* storeJob(yield* storeFeed(workspace))
      yield* until(Effect.sync(() => runs.started.includes(missed.id)))
      yield* until(isListening)
      expect((yield* listeners)[0]!.pid).not.toBe(cut!.pid)
      const heard = yield* storeJob(yield* storeFeed(workspace))
      yield* until(Effect.sync(() => runs.started.includes(heard.id)))
    }).pipe(Effect.scoped, Effect.provide(world)),
  300_000
)
