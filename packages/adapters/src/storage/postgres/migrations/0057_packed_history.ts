/** Entries of a row that are added together are kept together: what they share is written and indexed once. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const packedHistory = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Of several entries; those that were written one by one before have their one field.
  yield* sql`alter table record_history add column fields text[], alter column field drop not null,
    add check ((field is null) <> (fields is null))`
})
