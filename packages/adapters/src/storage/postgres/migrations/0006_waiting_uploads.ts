/** Files that nobody has taken yet: few at any time, and looked for about once a second. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const waitingUploads = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`create index upload_waiting on upload (feed_id, created_at) where status = 'stored'`
})
