/** What the database says of the work that a server has done in it; asked from another database, so that asking is not counted. */
import type { PostgresAddress } from "@millrace/verification/postgres/PostgresServer"
import { Client } from "pg"
import { parentOf, secondsOfFamily } from "./CpuTime.ts"

export interface Books {
  /** Statements so far, those that begin and end transactions included. */
  readonly statements: () => Promise<number>
  /** Bytes of the write-ahead log so far, of all databases. */
  readonly log: () => Promise<number>
  /** Bytes of the database on disk. */
  readonly disk: () => Promise<number>
  /** Processor time of all processes of the database so far, in seconds. */
  readonly processorSeconds: () => Promise<number>
  readonly close: () => Promise<void>
}

export const connect = async (address: PostgresAddress, database: string): Promise<Client> => {
  const { password, port, username } = address
  const client = new Client({
    host: "127.0.0.1",
    port,
    user: username,
    password,
    database,
    options: "-c search_path=millrace,public"
  })
  await client.connect()
  return client
}

/** The server must have loaded `pg_stat_statements`. */
export const booksOf = async (address: PostgresAddress, database: string): Promise<Books> => {
  const admin = await connect(address, "postgres")
  await admin.query("create extension if not exists pg_stat_statements")
  const one = async (statement: string, ...given: ReadonlyArray<string>): Promise<number> => {
    const { rows } = await admin.query(statement, [...given])
    return Number((rows[0] as { readonly n: string }).n)
  }
  const postmaster = await parentOf(await one("select pg_backend_pid() as n"))
  const own = "from pg_stat_statements s join pg_database d on d.oid = s.dbid where d.datname = $1"
  return {
    statements: () => one(`select coalesce(sum(calls), 0) as n ${own}`, database),
    log: () => one("select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as n"),
    disk: async () => {
      await admin.query("checkpoint")
      return one("select pg_database_size($1) as n", database)
    },
    processorSeconds: () => secondsOfFamily(postmaster),
    close: () => admin.end()
  }
}
