/** A second change number of records: the one with which readers were last shown something else of them. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { makeIndexes, publicChangeIndexes } from "./lateIndex.ts"

export const publicChanges = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table record add column public_change_no bigint`
  yield* sql`update record set public_change_no = change_no`
  yield* sql`alter table record alter column public_change_no set not null`
  yield* makeIndexes(publicChangeIndexes)
})
