/** The server's database: the operator's, or one of our own in the data folder. */
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import * as PgClient from "@effect/sql-pg/PgClient"
import { migrate } from "@millrace/adapters/storage/postgres/PostgresStorage"
import { startupParameters } from "@millrace/adapters/storage/postgres/Schema"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { SqlClient } from "effect/sql/SqlClient"
import { lock } from "./postgres/DataLock.ts"
import { start } from "./postgres/EmbeddedPostgres.ts"
import { PostgresFailure } from "./postgres/PostgresFailure.ts"
import type { Settings } from "./Settings.ts"

/** For requests of the API, the locks of the cluster, the wait for new jobs and the heartbeat. */
const ownConnections = 16

/** Seconds that a transaction may wait for its client, at the least: everybody is slow now and then. */
const leastIdle = 5

const optionsOf = ({ jobLease, slots }: Settings) =>
  ({
    applicationName: "millrace",
    maxConnections: ownConnections + slots,
    connectTimeout: "10 seconds",
    // A worker that stands still, or is cut off, keeps what its open transaction has locked. Once its lease has run
    // out, nobody else must have to wait for that.
    startupParameters: {
      ...startupParameters,
      idle_in_transaction_session_timeout: `${Math.max(leastIdle, jobLease)}s`
    }
  }) as const

const embedded = Effect.fnUntraced(function* (settings: Settings) {
  yield* Effect.tryPromise({
    try: () => mkdir(settings.dataFolder, { recursive: true }),
    catch: (cause) =>
      new PostgresFailure({
        message: `The data folder ${settings.dataFolder} cannot be made. Set MILLRACE_DATA to one that can.`,
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
    ...optionsOf(settings),
    host: postgres.host,
    port: postgres.port,
    username: postgres.username,
    password: Redacted.make(postgres.password),
    database: "postgres"
  })
})

/** The database cannot be reached or brought to the newest schema. The message says whose it is. */
export class DatabaseUnusable extends Schema.TaggedError<DatabaseUnusable>()("DatabaseUnusable", {
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

const unusable = (settings: Settings) => (cause: { readonly message: string }) =>
  new DatabaseUnusable({
    message:
      settings.databaseUrl === undefined
        ? `The database in ${settings.dataFolder} cannot be used: ${cause.message}`
        : `The database that DATABASE_URL names cannot be used: ${cause.message}`,
    cause
  })

/** A migrated database. */
export const layer = (
  settings: Settings
): Layer.Layer<SqlClient | PgClient.PgClient, PostgresFailure | DatabaseUnusable> => {
  const client =
    settings.databaseUrl === undefined
      ? Layer.unwrap(embedded(settings))
      : PgClient.layer({ ...optionsOf(settings), url: settings.databaseUrl })
  return Layer.effectDiscard(Effect.mapError(migrate, unusable(settings))).pipe(
    Layer.provideMerge(client),
    Layer.catchTag("SqlError", (error) => Layer.effectContext(Effect.fail(unusable(settings)(error))))
  )
}
