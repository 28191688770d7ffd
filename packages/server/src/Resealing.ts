/** While former secrets are given: seals with the current one what they sealed, and says when that is done. */
import { reseal } from "@millrace/adapters/postgres"
import { Secrets } from "@millrace/core/bank"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"

/**
 * Processes that still seal with the former secret may come in between; each look is short once all is done. Every process
 * that has the former secrets looks itself, since others could not open what it finds.
 */
const everyMillis = 60_000

/** `where`: what holds the former secrets, as the operator knows it. */
export const layer = (where: string): Layer.Layer<never, never, SqlClient.SqlClient | Secrets> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const services = yield* Effect.context<SqlClient.SqlClient | Secrets>()
      let said = ""
      const look = Effect.gen(function* () {
        const { left, sealed } = yield* Effect.provide(reseal, services)
        const now = JSON.stringify(left)
        if (now !== said || sealed > 0) {
          yield* now === "{}"
            ? Effect.logInfo(
                `Everything that is stored is sealed with the current secret. Once all processes have it, remove ${where}`,
                { sealed }
              )
            : Effect.logWarning("Some of what is stored is still sealed with another secret than the current one", left)
        }
        said = now
      })
      yield* look.pipe(
        Effect.catchTag("StorageUnavailable", (error) =>
          Effect.logWarning("Database unavailable: what a former secret sealed is looked for later", error)
        ),
        Effect.catchDefect((defect) =>
          Effect.logError("What a former secret sealed could not be sealed again", Cause.die(defect))
        ),
        Effect.andThen(Effect.sleep(everyMillis)),
        Effect.forever,
        Effect.forkScoped
      )
    })
  )
