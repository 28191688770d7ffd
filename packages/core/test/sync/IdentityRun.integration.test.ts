/** The scenes of identity on PostgreSQL. */
import { AesSecrets } from "@millrace/adapters/secrets"
import { PostgresStorage } from "@millrace/adapters/postgres"
import { layer as postgresClock } from "@millrace/verification/postgres/PostgresClock"
import { layer as database } from "@millrace/verification/postgres/TestPostgres"
import { StoreClock } from "@millrace/testing/suite/storage"
import { makeSimulation } from "@millrace/verification/simulation/Simulation"
import { VirtualClock } from "@millrace/verification/simulation/VirtualClock"
import { layer } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { inject } from "vitest"
import { playAll as playHistory } from "./HistoryScenes.ts"
import { playAll, serve, type Scene } from "./IdentityScenes.ts"

const { layer: aesSecrets } = AesSecrets
const { layer: storage } = PostgresStorage

const secrets = aesSecrets({ key: Redacted.make(Buffer.alloc(32, 1).toString("base64")) })
const services = postgresClock.pipe(Layer.provideMerge(database(inject("postgres"))))

layer(services, { excludeTestServices: true, timeout: "60 seconds" })("identity on PostgreSQL", (it) => {
  let passed = 0
  const scene: Scene = (title, body) => {
    it.effect(title, () =>
      Effect.gen(function* () {
        const { pass } = yield* StoreClock
        const clock = new VirtualClock()
        // Scenes that were played before made the store's clock run ahead.
        clock.now = Date.now() + passed * 1_000
        const sql = Layer.succeed(SqlClient.SqlClient, yield* SqlClient.SqlClient)
        const simulation = makeSimulation({
          storage: storage.pipe(Layer.provide(Layer.orDie(secrets)), Layer.provide(sql)),
          clock,
          model: "upsertByKey",
          pass: (seconds) => {
            passed += seconds
            return pass(seconds)
          }
        })
        yield* body(simulation).pipe(Effect.provideService(Clock.Clock, clock), Effect.provide(serve(simulation)))
      })
    )
  }
  playAll(scene)
  // Fewer syncs, and the same history.
  playHistory(scene, { stride: process.env["MILLRACE_LONG"] === undefined ? 20 : 9, few: true })
})
