/**
 * A number for the key by which a feed or a program knows a row of a table. Rows are looked up by it: it takes 8 bytes in the
 * index, where table and key take 75. Other rows can have the same number, so whoever looks it up names both as well.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { LateIndex } from "./lateIndex.ts"

export const rowKeys: ReadonlyArray<LateIndex> = [
  { name: "table_row_key", table: "table_row", definition: "(key_no) where key_no is not null" },
  // Cells that people wrote over, in the order of keys.
  {
    name: "table_row_held",
    table: "table_row",
    definition: "(table_id, external_key) where held <> '[]'"
  },
  {
    name: "table_row_old_key",
    table: "table_row",
    definition: "(table_id, external_key) where key_no is null and external_key is not null",
    unique: true
  }
]

/** Made for rows of earlier versions, of which it holds the keys; those of later rows it would hold as well. */
const formerKey = "table_row_table_id_external_key_key"

const saying = (number: string, has: string): ReadonlyArray<string> => [
  `create or replace function row_key_no(table_id text, key text) returns bigint language sql immutable parallel safe
    return ${number}`,
  `create or replace function has_key_no(no bigint, wanted bigint[]) returns boolean language sql immutable parallel safe
    return ${has}`
]

const run = Effect.fnUntraced(function* (statements: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})

/** The column, and the functions as they are while there is no index. */
export const addRowKeys = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table table_row add column key_no bigint`
  yield* run(saying("null::bigint", "no = any(wanted) and false"))
})

/** The indexes are there: rows get their number from now on. */
export const useRowKeys = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* run(saying("('x' || left(md5(table_id || ' ' || key), 16))::bit(64)::bigint", "no = any(wanted)"))
  yield* sql.unsafe(`alter table table_row drop constraint ${formerKey}`)
})
