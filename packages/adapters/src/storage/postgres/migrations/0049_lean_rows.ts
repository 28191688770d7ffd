/**
 * Rows of tables say who changed them only where that is somebody else than who made them. Folded text that is the text
 * with ASCII letters in lower case is kept no longer; that of older rows says the same and stays.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const leanRows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`alter table table_row alter column updated_by drop not null`
})
