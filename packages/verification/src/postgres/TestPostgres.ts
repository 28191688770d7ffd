/** A database of its own for every test file, copied from a migrated template. */
import { randomBytes } from "node:crypto"
import { PostgresStorage, startupParameters } from "@millrace/adapters/postgres"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { PostgresAddress } from "./PostgresServer.ts"

const template = "millrace_template"

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

const onServer = (address: PostgresAddress, statement: string): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql.unsafe(statement)
  }).pipe(Effect.provide(client(address, "postgres", 1)), Effect.asVoid)

/** Makes the template that `layer` copies. */
export const migrateTemplate = (address: PostgresAddress): Promise<void> =>
  onServer(address, `create database ${template}`).pipe(
    Effect.andThen(PostgresStorage.migrate.pipe(Effect.provide(client(address, template, 1)))),
    Effect.asVoid,
    Effect.runPromise
  )

/** An empty, migrated database and a client of it; dropped when the layer ends. */
export const layer = (address: PostgresAddress): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, SqlError> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const database = `test_${randomBytes(8).toString("hex")}`
      yield* Effect.acquireRelease(onServer(address, `create database ${database} template ${template}`), () =>
        Effect.orDie(onServer(address, `drop database ${database} with (force)`))
      )
      return client(address, database)
    })
  )
