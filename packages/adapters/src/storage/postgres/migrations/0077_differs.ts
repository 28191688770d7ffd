/** Jobs count older rows that would be others by now, and were left as they are. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const differs = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table job add column differs_count int not null default 0`
  // A job as the kernel writes it as JSON.
  yield* sql`create or replace function job_json(j job) returns jsonb language sql stable as $$
    select jsonb_build_object(
        'id', j.id, 'feedId', j.feed_id, 'workspaceId', j.workspace_id, 'userId', j.user_id, 'startedBy', j.started_by,
        'status', j.status, 'type', j.type, 'mode', j.mode, 'options', j.options,
        'counts', jsonb_build_object(
          'read', j.read_count, 'vanished', j.vanished_count, 'carried', j.carried_count, 'created', j.created_count,
          'updated', j.updated_count, 'removed', j.removed_count, 'unchanged', j.unchanged_count,
          'filtered', j.filtered_count, 'failed', j.failed_count, 'quarantined', j.quarantined_count,
          'differs', j.differs_count
        ),
        'errors', j.errors, 'attempt', j.attempt,
        'createdAt', wire_instant(j.created_at), 'updatedAt', wire_instant(j.updated_at)
      ) || jsonb_strip_nulls(jsonb_build_object(
        'errorCategory', j.error_category, 'pauseReason', j.pause_reason, 'resumeAt', wire_instant(j.resume_at),
        'retry', nullif(j.retry, 0), 'cursorsReset', nullif(j.forgot, false),
        'startedAt', wire_instant(j.started_at), 'completedAt', wire_instant(j.completed_at)
      ))
  $$`
})
