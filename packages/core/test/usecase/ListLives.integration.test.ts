/** Random lives of lists, on PostgreSQL. */
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
import { playAll, serve } from "./ListLives.ts"

const secrets = AesSecrets.layer({ key: Redacted.make(Buffer.alloc(32, 1).toString("base64")) })
const services = postgresClock.pipe(Layer.provideMerge(database(inject("postgres"))))
const isLong = process.env["MILLRACE_LONG"] === "1"

layer(services, { excludeTestServices: true, timeout: "120 seconds" })("on PostgreSQL", (it) => {
  playAll(
    (title, body) => {
      it.effect(title, () =>
        Effect.gen(function* () {
          const { pass } = yield* StoreClock
          const clock = new VirtualClock()
          clock.now = Date.now()
          const sql = Layer.succeed(SqlClient.SqlClient, yield* SqlClient.SqlClient)
          const storage = PostgresStorage.layer.pipe(Layer.provide(Layer.orDie(secrets)), Layer.provide(sql))
          const simulation = makeSimulation({ storage, clock, model: "upsertByKey", pass })
          yield* body(simulation).pipe(Effect.provideService(Clock.Clock, clock), Effect.provide(serve(simulation)))
        })
      )
    },
    isLong ? 20 : 2,
    isLong ? 40 : 20
  )
})
