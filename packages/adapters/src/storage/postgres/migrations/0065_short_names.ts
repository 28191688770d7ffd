/**
 * From here on rows have characters in place of names of fields (`FieldCodes.ts`): what is there stays as it is, but a version that
 * knows no codes must not start on it any more. Cells are merged by the statement that knows them.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const shortNames = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`drop function cells_merged(jsonb, jsonb, jsonb)`
})
