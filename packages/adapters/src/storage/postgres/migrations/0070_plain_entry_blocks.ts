/** Blocks of entries are no longer compressed: that was half of what it cost to add them. Those that are there are read as before. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const plainEntryBlocks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`alter table analysis_block alter column body set storage external`
})
