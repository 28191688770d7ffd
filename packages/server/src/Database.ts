/** The server's database: the operator's, or one of our own in the data folder. */
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import * as PgClient from "@effect/sql-pg/PgClient"
import { PostgresStorage, startupParameters } from "@millrace/adapters/postgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { SqlClient } from "effect/sql/SqlClient"
import { lock, userOf } from "./postgres/DataLock.ts"
import { addressOf, type PostgresAddress, start } from "./postgres/EmbeddedPostgres.ts"
import { PostgresFailure } from "./postgres/PostgresFailure.ts"
import type { Settings } from "./Settings.ts"

/** For requests of the API, the locks of the cluster, the waits for new jobs and tasks, the heartbeat, and tasks. */
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

const placeOf = ({ host, password, port, username }: PostgresAddress) => ({
  host,
  port,
  username,
  password: Redacted.make(password),
  database: "postgres"
})

type ClientOptions = Omit<PgClient.PgClientConfig, "url" | "host" | "port" | "username" | "password" | "database">

const embedded = Effect.fnUntraced(function* (settings: Settings, options: ClientOptions) {
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
    Effect.flatMap(postgres.ended, (why) =>
      Effect.sync(() => {
        process.stderr.write(`The built-in PostgreSQL ended unexpectedly; stopping. ${why}\n`)
        process.exit(1)
      })
    )
  )
  return clientOf(settings, { ...options, ...placeOf(postgres) })
})

/** The database cannot be reached or brought to the newest schema. The message says whose it is. */
class DatabaseUnusable extends Schema.TaggedError<DatabaseUnusable>()("DatabaseUnusable", {
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

export const unusable = (settings: Settings) => (cause: { readonly message: string }) =>
  new DatabaseUnusable({
    message:
      settings.databaseUrl === undefined
        ? `The database in ${settings.dataFolder} cannot be used: ${cause.message}`
        : `The database that DATABASE_URL names cannot be used: ${cause.message}`,
    cause
  })

type Client = Layer.Layer<SqlClient | PgClient.PgClient, PostgresFailure | DatabaseUnusable>

const clientOf = (settings: Settings, config: PgClient.PgClientConfig): Client =>
  PgClient.layer(config).pipe(
    Layer.catchTag("SqlError", (error) => Layer.effectContext(Effect.fail(unusable(settings)(error))))
  )

/** The database as it is. */
const layerClient = (settings: Settings, options: ClientOptions): Client =>
  settings.databaseUrl === undefined
    ? Layer.unwrap(embedded(settings, options))
    : clientOf(settings, { ...options, url: settings.databaseUrl })

/** A migrated database. */
export const layer = (settings: Settings): Client =>
  Layer.effectDiscard(Effect.mapError(PostgresStorage.migrate, unusable(settings))).pipe(
    Layer.provideMerge(layerClient(settings, optionsOf(settings)))
  )

/** For a program that does one thing, and may wait for a file meanwhile. */
const patient = {
  applicationName: "millrace",
  maxConnections: 1,
  connectTimeout: "10 seconds",
  startupParameters
} as const

/** The database as it is, for a program beside the server that works with it, or without one. */
export const layerBeside = (settings: Settings): Client =>
  Layer.unwrap(
    Effect.gen(function* () {
      const server =
        settings.databaseUrl === undefined ? yield* Effect.promise(() => userOf(settings.dataFolder)) : undefined
      if (server === undefined) return layerClient(settings, patient)
      const address = yield* addressOf({ folder: join(settings.dataFolder, "postgres") })
      if (address === undefined) {
        return yield* new PostgresFailure({
          message: `The server that uses ${settings.dataFolder} (process ${server}) is about to start or stop. Try again.`
        })
      }
      return clientOf(settings, { ...patient, ...placeOf(address) })
    })
  )
