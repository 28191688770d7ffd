/** COPY of rows into PostgreSQL: the fastest way there is, and so the limit of a sync. */
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { PostgresAddress } from "@millrace/verification/postgres/PostgresServer"
import * as Effect from "effect/Effect"
import { Client } from "pg"
import { from as copyFrom, to as copyTo } from "pg-copy-streams"

/** What a sync writes row by row: the ledger, what is delivered, and the rows of the table it is delivered to. */
export const everyTable: ReadonlyArray<string> = ["record", "delivery", "table_row"]

export interface CopiedTable {
  readonly table: string
  readonly chunks: ReadonlyArray<Buffer>
}

export const client = (address: PostgresAddress) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const connection = new Client({
        host: "127.0.0.1",
        port: address.port,
        user: address.username,
        password: address.password,
        database: "postgres",
        // Ours are in a schema of their own.
        options: "-c search_path=millrace,public"
      })
      await connection.connect()
      return connection
    }),
    (connection) => Effect.promise(() => connection.end())
  )

/** The contents of the tables in COPY's own text form. */
export const take = (connection: Client, tables: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const taken: Array<CopiedTable> = []
    for (const table of tables) {
      const chunks: Array<Buffer> = []
      for await (const chunk of connection.query(copyTo(`copy ${table} to stdout`))) chunks.push(chunk as Buffer)
      taken.push({ table, chunks })
    }
    return taken
  })

/** Puts them back in one transaction, as a sync could at best. Answers the rows of the first table. */
export const put = (connection: Client, taken: ReadonlyArray<CopiedTable>) =>
  Effect.promise(async () => {
    const counts: Array<number> = []
    await connection.query("begin")
    for (const { chunks, table } of taken) {
      const copy = connection.query(copyFrom(`copy ${table} from stdin`))
      await pipeline(Readable.from(chunks), copy)
      counts.push(copy.rowCount)
    }
    await connection.query("commit")
    return counts[0]!
  })

/** What else a first sync has not found. */
const others =
  "feed_mark, record_pull, checkpoint, account_change, record_history, analysis, " +
  "analysis_mark, analysis_entry, analysis_partition, analysis_event, annotation, record_link, finding"

/** Back to before the first sync. */
export const forget = (connection: Client) =>
  Effect.promise(async () => {
    await connection.query(`truncate ${everyTable.join(", ")}, ${others}`)
    await connection.query("vacuum analyze")
    await connection.query("checkpoint")
  })
