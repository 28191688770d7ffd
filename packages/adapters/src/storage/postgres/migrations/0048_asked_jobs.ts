/** Jobs that wait, those first that people have triggered. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const askedJobs = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`drop index job_waiting`
  yield* sql`create index job_waiting on job (workspace_id, (type <> 'manual'), created_at, id)
    where status in ('created', 'in_progress') and not touched`
  yield* sql`drop index job_waiting_bank`
  yield* sql`create index job_waiting_bank on job ((banks[1]), (type <> 'manual'), created_at, id)
    where status in ('created', 'in_progress') and not touched`
})
