/** A database of its own for every test file, copied from a migrated template. */
import { randomBytes } from "node:crypto"
import { PostgresStorage, serverRole, startupParameters, TenantClient } from "@millrace/adapters/postgres"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { PostgresAddress } from "./PostgresServer.ts"

const template = "millrace_template"

/**
 * How databases of tests are copied from the one they begin as: its files. By itself PostgreSQL writes every page into its
 * log, which takes the processor ten times as long.
 */
export const byFiles = "strategy file_copy"

/** What makes an empty database of the newest schema, on a server that has the template. */
export const migrated = `template ${template} ${byFiles}`

/** A client of one database of the server. */
export const client = (
  address: PostgresAddress,
  database: string,
  maxConnections = 10
): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, SqlError> =>
  PgClient.layer({
    host: "127.0.0.1",
    port: address.port,
    username: address.username,
    password: Redacted.make(address.password),
    database,
    maxConnections,
    startupParameters
  })

/** A client of one database of the server as a server has it: in its role, and behind the wall between workspaces. */
export const walledClient = (
  address: PostgresAddress,
  database: string,
  maxConnections = 10,
  acrossConnections = maxConnections,
  direct = acrossConnections > 0
): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, SqlError> =>
  TenantClient.layer({
    host: "127.0.0.1",
    port: address.port,
    username: address.username,
    password: Redacted.make(address.password),
    database,
    maxConnections,
    acrossConnections,
    direct,
    startupParameters: { ...startupParameters, role: serverRole }
  })

/** The same for a database that its owner brings to the newest schema first. */
export const serverClient = (
  address: PostgresAddress,
  database: string
): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, SqlError | Effect.Error<typeof PostgresStorage.migrate>> =>
  Layer.unwrap(
    Effect.as(Effect.provide(PostgresStorage.migrate, client(address, database, 1)), walledClient(address, database))
  )

/** The client of the owner of a database, for whom no wall stands. */
export class OwnerClient extends Context.Service<OwnerClient, SqlClient.SqlClient>()(
  "@millrace/verification/postgres/TestPostgres/OwnerClient"
) {}

const onServer = (address: PostgresAddress, statement: string): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql.unsafe(statement)
  }).pipe(Effect.provide(client(address, "postgres", 1)), Effect.asVoid)

/** Makes the template that `layer` copies. */
export const migrateTemplate = (address: PostgresAddress): Promise<void> =>
  onServer(address, `create database ${template} ${byFiles}`).pipe(
    Effect.andThen(PostgresStorage.migrate.pipe(Effect.provide(client(address, template, 1)))),
    Effect.asVoid,
    Effect.runPromise
  )

const makeDatabase = (address: PostgresAddress, options: string) =>
  Effect.gen(function* () {
    const name = `test_${randomBytes(8).toString("hex")}`
    yield* Effect.acquireRelease(onServer(address, `create database ${name} ${options}`), () =>
      Effect.orDie(onServer(address, `drop database ${name} with (force)`))
    )
    return name
  })

/** The name of an empty database of the newest schema; it is dropped when the scope ends. */
export const migratedDatabase = (address: PostgresAddress) => makeDatabase(address, migrated)

/** The URL of a database without tables; it is dropped when the scope ends. */
export const emptyDatabase = (address: PostgresAddress) =>
  Effect.map(makeDatabase(address, byFiles), (name) =>
    Redacted.make(`postgres://${address.username}:${address.password}@127.0.0.1:${address.port}/${name}`)
  )

/** An empty, migrated database and a client of it; dropped when the layer ends. */
export const layer = (address: PostgresAddress): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, SqlError> =>
  Layer.unwrap(Effect.map(migratedDatabase(address), (name) => client(address, name)))

/** The same with the client that a server has, and beside it that of the owner. */
export const walled = (
  address: PostgresAddress,
  direct = true
): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient | OwnerClient, SqlError> =>
  Layer.unwrap(
    Effect.map(migratedDatabase(address), (name) =>
      Layer.merge(
        walledClient(address, name, undefined, undefined, direct),
        Layer.effect(OwnerClient, SqlClient.SqlClient).pipe(Layer.provide(client(address, name, 4)))
      )
    )
  )
