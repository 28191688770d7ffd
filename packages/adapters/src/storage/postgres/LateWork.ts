/** What migrations leave to a server that works, because it takes as long as a large table is large. */
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as SqlClient from "effect/sql/SqlClient"
import { keyRows } from "./KeyedRows.ts"
import { makeLate } from "./LateIndexes.ts"
import { scopeRecords } from "./ScopedRecords.ts"

const work = Effect.gen(function* () {
  const made = yield* makeLate()
  if (made.length > 0) yield* Effect.logInfo("Indexes of large tables were made", { indexes: made })
  if (yield* scopeRecords) yield* Effect.logInfo("Records are looked up by the number of their account and type")
  if (yield* keyRows) yield* Effect.logInfo("Rows of tables are looked up by the number of their key")
})

/**
 * Does it beside whatever else the scope does, through connections of the owner. The server is of use without it, so
 * a failure is told in the log, and the next start tries again.
 */
export const makeLateBeside = <E>(owner: Layer.Layer<SqlClient.SqlClient, E>) =>
  work.pipe(
    Effect.provide(owner),
    Effect.catchCause((cause) =>
      Effect.logWarning("What large tables need could not be made; the next start tries again", cause)
    ),
    Effect.forkScoped
  )
