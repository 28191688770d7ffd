/** The key of records begins with the id. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { recordIdKey, useIdKey } from "./recordScope.ts"

export const recordIds = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`create unique index ${recordIdKey.name} on record ${recordIdKey.definition}`)
  yield* useIdKey
})
