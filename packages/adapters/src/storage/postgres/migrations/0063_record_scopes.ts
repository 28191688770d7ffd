/** Numbers for the accounts and types of records; those of a large table are given while the server works. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isSmall } from "./lateIndex.ts"
import { addScopes, recordKey, scopedIndexes, useScopes } from "./recordScope.ts"

export const recordScopes = (small?: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* addScopes
    if (!(yield* isSmall("record", small))) return
    yield* sql`update record set scope_no = record_scope(account_id, data_type)`
    yield* sql.unsafe(`create unique index ${recordKey.name} on record ${recordKey.definition}`)
    yield* useScopes
    for (const { definition, name, replaces = [], table } of scopedIndexes) {
      yield* sql.unsafe(`create index ${name} on ${table} ${definition}`)
      for (const other of replaces) yield* sql.unsafe(`drop index if exists ${other}`)
    }
  })
