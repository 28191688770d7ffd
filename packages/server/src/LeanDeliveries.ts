/** After an update from an older version: lets go of values that the delivery ledger keeps for nothing, while all else goes on. */
import { leanDeliveries } from "@millrace/adapters/postgres"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as SqlClient from "effect/sql/SqlClient"

/** Rows of one transaction: short, so that no run waits for it. */
const chunk = 1_000
/** Between two of them. */
const pauseMillis = 20
/** Where another process is at it, which may stop. */
const othersMillis = 1_000
/** After an outage. */
const againMillis = 60_000

export const layer: Layer.Layer<never, never, SqlClient.SqlClient> = Layer.effectDiscard(
  Effect.gen(function* () {
    const services = yield* Effect.context<SqlClient.SqlClient>()
    const work = Effect.gen(function* () {
      let rows = 0
      for (;;) {
        const done = yield* Effect.provide(leanDeliveries(chunk), services)
        if (done === undefined) break
        rows += done
        yield* Effect.sleep(done === 0 ? othersMillis : pauseMillis)
      }
      if (rows > 0) yield* Effect.logInfo("Let go of values of deliveries that tables have", { rows })
    })
    yield* work.pipe(
      Effect.tapError((error) => Effect.logWarning("Storage is away: values of deliveries are let go of later", error)),
      Effect.retry({ schedule: Schedule.spaced(againMillis) }),
      Effect.catchDefect((defect) => Effect.logError("Values of deliveries could not be let go of", Cause.die(defect))),
      Effect.forkScoped
    )
  })
)
