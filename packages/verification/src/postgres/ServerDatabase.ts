/** A database of its own on the PostgreSQL of the test run: cheaper for a server than a PostgreSQL of its own. */
import { randomBytes } from "node:crypto"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { everyRow, type RowText } from "./EveryRow.ts"
import { byFiles, client, migrated } from "./TestPostgres.ts"
import type { PostgresAddress } from "./PostgresServer.ts"

export interface ServerDatabase {
  /** For `DATABASE_URL`. */
  readonly url: string
  /** One statement on it, from outside. */
  readonly query: <Row extends object = Readonly<Record<string, unknown>>>(
    statement: string
  ) => Promise<ReadonlyArray<Row>>
  readonly everyRow: () => Promise<ReadonlyArray<RowText>>
  readonly drop: () => Promise<void>
}

/**
 * `as`: without tables, as a server finds it at its first start, or of the newest schema, as one left it. Only the PostgreSQL of
 * the test run has the latter.
 */
export const makeServerDatabase = async (
  address: PostgresAddress,
  as: "empty" | "migrated" = "empty"
): Promise<ServerDatabase> => {
  const database = `server_${randomBytes(8).toString("hex")}`
  const run = <Row extends object>(on: string, statement: string): Promise<ReadonlyArray<Row>> =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return yield* sql.unsafe<Row>(statement)
    }).pipe(Effect.provide(client(address, on, 1)), Effect.runPromise)
  await run("postgres", `create database ${database} ${as === "migrated" ? migrated : byFiles}`)
  return {
    url: `postgres://${address.username}:${address.password}@127.0.0.1:${address.port}/${database}`,
    query: (statement) => run(database, statement),
    everyRow: () => Effect.runPromise(Effect.provide(everyRow, client(address, database, 1))),
    drop: async () => {
      await run("postgres", `drop database ${database} with (force)`)
    }
  }
}
