/** The random lives of `SyncRun.property.test.ts`, fewer of them, on PostgreSQL. */
import { AesSecrets } from "@millrace/adapters/secrets"
import { PostgresStorage } from "@millrace/adapters/postgres"
import { limits } from "../../src/shared/Limits.ts"
import { layer as postgresClock } from "@millrace/verification/postgres/PostgresClock"
import { layer as database } from "@millrace/verification/postgres/TestPostgres"
import { StoreClock } from "@millrace/testing/suite/storage"
import { layer } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { afterAll, beforeAll, inject } from "vitest"
import { makeSimulation } from "@millrace/verification/simulation/Simulation"
import { VirtualClock } from "@millrace/verification/simulation/VirtualClock"
import { play } from "@millrace/verification/simulation/ScriptScenario"

const { layer: aesSecrets } = AesSecrets
const { layer: storage } = PostgresStorage

const scripts = process.env["MILLRACE_LONG"] === undefined ? 3 : 1_000

const sizes = limits as { commitChunk: number }
const { commitChunk } = limits
beforeAll(() => {
  sizes.commitChunk = 3
})
afterAll(() => {
  sizes.commitChunk = commitChunk
})

const secrets = aesSecrets({ key: Redacted.make(Buffer.alloc(32, 1).toString("base64")) })
const services = postgresClock.pipe(Layer.provideMerge(database(inject("postgres"))))

layer(services, { excludeTestServices: true, timeout: "60 seconds" })("sync on PostgreSQL", (it) => {
  for (const model of ["upsertByKey", "idempotencyKey", "readBack", "wholeFile"] as const) {
    it.effect(
      `ends with exactly what the bank says, at a table and at a destination that is ${model}`,
      () =>
        Effect.gen(function* () {
          const { pass } = yield* StoreClock
          const clock = new VirtualClock()
          const sql = Layer.succeed(SqlClient.SqlClient, yield* SqlClient.SqlClient)
          const simulation = makeSimulation({
            storage: storage.pipe(Layer.provide(Layer.orDie(secrets)), Layer.provide(sql)),
            clock,
            model,
            pass
          })
          yield* Effect.gen(function* () {
            for (let seed = 1; seed <= scripts; seed++) {
              clock.now = Date.now()
              yield* play(seed, simulation, { steps: 12 }).pipe(
                Effect.tapCause(() => Effect.sync(() => process.stderr.write(`failed: seed ${seed} (${model})\n`)))
              )
            }
          }).pipe(Effect.provideService(Clock.Clock, clock), Effect.provide(simulation.layer))
        }),
      600_000
    )
  }
})
