/** Subjects of connections that have ended: kept until the upstream has taken them back, beside the next one. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const endedSubjects = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`alter table connection_subject add column ended_at instant`
  yield* sql`alter table connection_subject drop constraint connection_subject_pkey`
  yield* sql`drop index connection_subject_ref`
  yield* sql`alter table connection_subject add primary key (instance_id, ref)`
  yield* sql`create unique index connection_subject_live on connection_subject (workspace_id, instance_id)
    where ended_at is null`
  yield* sql`create index connection_subject_ended on connection_subject (workspace_id, instance_id)
    where ended_at is not null`
})
