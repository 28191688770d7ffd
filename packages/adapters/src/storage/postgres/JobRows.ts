/** Rows of jobs as the kernel sees them, and the pieces of statements that every change of a job shares. */
import type { FeedId } from "@millrace/core/feed"
import type { Job, JobCounts, JobError, JobId } from "@millrace/core/job"
import type { Progress } from "@millrace/core/storage"
import { limits } from "@millrace/core"
import type { WorkspaceId } from "@millrace/core/workspace"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { instant, optionalInstant, present } from "./Column.ts"

const countKeys = [
  "read",
  "vanished",
  "carried",
  "created",
  "updated",
  "removed",
  "unchanged",
  "filtered",
  "failed",
  "quarantined",
  "differs"
] as const satisfies ReadonlyArray<keyof JobCounts>

type CountColumns = { readonly [K in keyof JobCounts as `${K}_count`]: number }

export interface JobRow extends CountColumns {
  readonly id: JobId
  readonly feed_id: FeedId
  readonly workspace_id: WorkspaceId
  readonly user_id: string
  readonly started_by: Job["startedBy"]
  readonly status: Job["status"]
  readonly type: Job["type"]
  readonly mode: Job["mode"]
  readonly options: Job["options"]
  readonly errors: ReadonlyArray<JobError>
  readonly error_category: NonNullable<Job["errorCategory"]> | null
  readonly pause_reason: NonNullable<Job["pauseReason"]> | null
  readonly resume_at: Date | null
  readonly attempt: number
  readonly retry: number
  readonly forgot: boolean
  readonly epoch: number
  readonly created_at: Date
  readonly updated_at: Date
  readonly started_at: Date | null
  readonly completed_at: Date | null
}

export const toJob = (row: JobRow): Job => ({
  id: row.id,
  feedId: row.feed_id,
  workspaceId: row.workspace_id,
  userId: row.user_id,
  startedBy: row.started_by,
  status: row.status,
  type: row.type,
  mode: row.mode,
  options: row.options,
  counts: {
    read: row.read_count,
    vanished: row.vanished_count,
    carried: row.carried_count,
    created: row.created_count,
    updated: row.updated_count,
    removed: row.removed_count,
    unchanged: row.unchanged_count,
    filtered: row.filtered_count,
    failed: row.failed_count,
    quarantined: row.quarantined_count,
    differs: row.differs_count
  },
  errors: row.errors,
  attempt: row.attempt,
  createdAt: instant(row.created_at),
  updatedAt: instant(row.updated_at),
  ...present({
    errorCategory: row.error_category,
    pauseReason: row.pause_reason,
    resumeAt: optionalInstant(row.resume_at),
    startedAt: optionalInstant(row.started_at),
    completedAt: optionalInstant(row.completed_at),
    retry: row.retry === 0 ? null : row.retry,
    cursorsReset: row.forgot ? true : null
  })
})

/** The category of the first fatal error, else of the first one. */
export const categoryOf = (errors: ReadonlyArray<JobError>): string | null =>
  (errors.find((error) => error.severity === "fatal") ?? errors[0])?.category ?? null

/** `errors` with these appended. Of too many the oldest and the newest are kept: the newest tell why it ended. */
export const appended = (sql: SqlClient, errors: ReadonlyArray<JobError>): Fragment =>
  errors.length === 0
    ? sql`errors`
    : sql`(select coalesce(jsonb_agg(e order by n), '[]') from jsonb_array_elements(errors) with ordinality as t(e, n)
        where n <= ${Math.max(0, limits.jobErrors - errors.length)}::int)
        || ${JSON.stringify(errors.slice(-limits.jobErrors))}::jsonb`

/** The assignments of a progress, for `update job set`. */
export const progressed = (sql: SqlClient, progress: Progress): Fragment => {
  const { add, atLeast, errors, cursorsReset } = progress
  const counts = countKeys.flatMap((key) => {
    const more = add?.[key] ?? 0
    const least = atLeast?.[key] ?? 0
    const column = sql(`${key}_count`)
    return more === 0 && least === 0 ? [] : [sql`${column} = greatest(${column} + ${more}::int, ${least}::int)`]
  })
  return sql.csv([
    sql`updated_at = store_now()`,
    ...counts,
    ...(cursorsReset === true ? [sql`forgot = true`] : []),
    ...(errors === undefined || errors.length === 0 ? [] : [sql`errors = ${appended(sql, errors)}`])
  ])
}
