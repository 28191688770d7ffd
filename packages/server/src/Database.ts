/** The server's database: the operator's, or one of our own in the data folder. */
import { join } from "node:path"
import * as PgClient from "@effect/sql-pg/PgClient"
import {
  checkRowLevelSecurity,
  chooseServerRole,
  keepsStartup,
  PostgresStorage,
  startupParameters,
  stored,
  TenantClient
} from "@millrace/adapters/postgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { type DataFolderUnsafe, safeDataFolder } from "./DataFolder.ts"
import { lock, userOf } from "./postgres/DataLock.ts"
import { addressOf, type PostgresAddress, start } from "./postgres/EmbeddedPostgres.ts"
import { PostgresFailure } from "./postgres/PostgresFailure.ts"
import type { Settings } from "./Settings.ts"

/** For requests of the API. */
const requestConnections = 8
/** For keys, the locks of the cluster, the wait for new jobs, handing them out, the heartbeat, and the waits for tasks. */
const acrossConnections = 8

/** Seconds that a transaction may wait for its client, at the least: everybody is slow now and then. */
const leastIdle = 5

const optionsOf = (
  { jobLease, slots }: Settings,
  { keeps, role }: { readonly role: string | undefined; readonly keeps: boolean }
) =>
  ({
    applicationName: "millrace",
    maxConnections: requestConnections + slots + (keeps ? 0 : acrossConnections),
    acrossConnections: keeps ? acrossConnections : 0,
    connectTimeout: "10 seconds",
    // A worker that stands still, or is cut off, keeps what its open transaction has locked. Once its lease has run
    // out, nobody else must have to wait for that.
    startupParameters: {
      ...startupParameters,
      ...(role === undefined ? {} : { role }),
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

/** How the database is reached. */
type Place = Pick<PgClient.PgClientConfig, "url" | "host" | "port" | "username" | "password" | "database">

const embedded = Effect.fnUntraced(function* (settings: Settings) {
  yield* safeDataFolder(settings.dataFolder)
  yield* lock(settings.dataFolder)
  const postgres = yield* start({ folder: join(settings.dataFolder, "postgres"), durable: true })
  // Without its database the server can do nothing; anyone who supervises it starts both again.
  yield* Effect.forkScoped(
    Effect.flatMap(postgres.ended, (why) =>
      Effect.sync(() => {
        process.stderr.write(`The built-in PostgreSQL ended unexpectedly; stopping. ${why}\n`)
        process.exit(1)
      })
    )
  )
  return placeOf(postgres)
})

type Unreachable = PostgresFailure | DataFolderUnsafe

/** Where the database is; the one that is built in is started, and ends with the scope. */
const reach = (settings: Settings): Effect.Effect<Place, Unreachable, Scope.Scope> =>
  settings.databaseUrl === undefined ? embedded(settings) : Effect.succeed({ url: settings.databaseUrl })

/** The same for a program that may run beside a server: the database that the server has started is used. */
const reachBeside = Effect.fnUntraced(function* (settings: Settings) {
  const server =
    settings.databaseUrl === undefined ? yield* Effect.promise(() => userOf(settings.dataFolder)) : undefined
  if (server === undefined) return yield* reach(settings)
  const address = yield* addressOf({ folder: join(settings.dataFolder, "postgres") })
  if (address !== undefined) return placeOf(address)
  return yield* new PostgresFailure({
    message: `The server that uses ${settings.dataFolder} (process ${server}) is about to start or stop. Try again.`
  })
})

/** The database cannot be reached or brought to the newest schema. The message says whose it is. */
export class DatabaseUnusable extends Schema.TaggedError<DatabaseUnusable>()("DatabaseUnusable", {
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

type Client = Layer.Layer<SqlClient | PgClient.PgClient, Unreachable | DatabaseUnusable>

const told =
  (settings: Settings) =>
  <A, E, R>(client: Layer.Layer<A, E | SqlError, R>) =>
    Layer.catchTag(client as Layer.Layer<A, SqlError, R>, "SqlError", (error) =>
      Layer.effectContext(Effect.fail(unusable(settings)(error)))
    )

/** For a program that does one thing for the whole installation, and may wait for a file meanwhile. */
const patient = {
  applicationName: "millrace",
  maxConnections: 1,
  connectTimeout: "10 seconds",
  startupParameters
} as const

const clientOf = (settings: Settings, place: Place): Client =>
  PgClient.layer({ ...patient, ...place }).pipe(told(settings))

/** A migrated database, and connections that see of it the workspaces that they work for. `beside`: a server may be running. */
export const layer = (settings: Settings, beside = false): Client =>
  Layer.unwrap(
    Effect.gen(function* () {
      const place = yield* beside ? reachBeside(settings) : reach(settings)
      const found = yield* Effect.andThen(
        PostgresStorage.migrate,
        Effect.all({ role: chooseServerRole, keeps: stored(keepsStartup) })
      ).pipe(Effect.mapError(unusable(settings)), Effect.provide(clientOf(settings, place)))
      return Layer.effectDiscard(Effect.mapError(stored(checkRowLevelSecurity), unusable(settings))).pipe(
        Layer.provideMerge(
          // Before a database of the operator's own there may be a pooler that hands connections on, unless it says not.
          TenantClient.layer({
            ...optionsOf(settings, found),
            ...place,
            direct: settings.databaseUrl === undefined || settings.databaseDirect === true
          }).pipe(told(settings))
        )
      )
    })
  )

/** The database as it is, for a program beside the server that works with it, or without one. */
export const layerBeside = (settings: Settings): Client =>
  Layer.unwrap(Effect.map(reachBeside(settings), (place) => clientOf(settings, place)))
