/** Rows of tables are looked up by the number of their key. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { addRowKeys, rowKeys, useRowKeys } from "./rowKey.ts"

export const numberedRowKeys = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* addRowKeys
  for (const { definition, name, table, unique } of rowKeys)
    yield* sql.unsafe(`create ${unique === true ? "unique " : ""}index ${name} on ${table} ${definition}`)
  yield* useRowKeys
  yield* sql`update table_row set key_no = row_key_no(table_id, external_key) where external_key is not null`
})
