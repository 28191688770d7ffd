/** The key of records begins with the id; that of a large table is made while the server works (`ScopedRecords.ts`). */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isSmall } from "./lateIndex.ts"
import { areScoped, recordIdKey, useIdKey } from "./recordScope.ts"

export const recordIds = (small?: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    if (!(yield* areScoped) || !(yield* isSmall("record", small))) return
    yield* sql.unsafe(`create unique index ${recordIdKey.name} on record ${recordIdKey.definition}`)
    yield* useIdKey
  })
