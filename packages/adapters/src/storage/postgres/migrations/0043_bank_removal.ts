/** Banks that are being removed for good, and connections as callbacks of providers name them. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const bankRemoval = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`alter table bank add column removal json`
  yield* sql`create index bank_deleted on bank (deleted_at) where deleted_at is not null and removal is null`
  yield* sql`create index bank_called on bank (connection_instance, connection_ref) where connection_ref is not null`
})
