/** The server's database: the operator's, or one of our own in the data folder. */
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import * as PgClient from "@effect/sql-pg/PgClient"
import { migrate } from "@millrace/adapters/storage/postgres/PostgresStorage"
import type { StorageUnavailable } from "@millrace/core/storage/StorageUnavailable"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { lock } from "./postgres/DataLock.ts"
import { start } from "./postgres/EmbeddedPostgres.ts"
import { PostgresFailure } from "./postgres/PostgresFailure.ts"
import type { Settings } from "./Settings.ts"

type MigrationError = typeof migrate extends Effect.Effect<unknown, infer E, unknown> ? E : StorageUnavailable

const options = { applicationName: "millrace", maxConnections: 20, connectTimeout: "10 seconds" } as const

const embedded = Effect.fnUntraced(function* (settings: Settings) {
  yield* Effect.tryPromise({
    try: () => mkdir(settings.dataFolder, { recursive: true }),
    catch: (cause) =>
      new PostgresFailure({
        message: `The data folder ${settings.dataFolder} cannot be made. Set MILLRACE_DATA.`,
        cause
      })
  })
  yield* lock(settings.dataFolder)
  const postgres = yield* start({ folder: join(settings.dataFolder, "postgres"), durable: true })
  // Without its database the server can do nothing; whoever supervises it starts both again.
  yield* Effect.forkScoped(
    Effect.andThen(
      postgres.ended,
      Effect.sync(() => {
        process.stderr.write("The built-in PostgreSQL ended unexpectedly; stopping.\n")
        process.exit(1)
      })
    )
  )
  return PgClient.layer({
    ...options,
    host: postgres.host,
    port: postgres.port,
    username: postgres.username,
    password: Redacted.make(postgres.password),
    database: "postgres"
  })
})

/** A migrated database. */
export const layer = (
  settings: Settings
): Layer.Layer<SqlClient | PgClient.PgClient, PostgresFailure | SqlError | MigrationError> => {
  const client =
    settings.databaseUrl === undefined
      ? Layer.unwrap(embedded(settings))
      : PgClient.layer({ ...options, url: settings.databaseUrl })
  return Layer.effectDiscard(migrate).pipe(Layer.provideMerge(client))
}
