/** Rows of tasks. */
import type { Task, TaskId } from "@millrace/core/task"
import type { WorkspaceId } from "@millrace/core/workspace"
import { instant, optionalInstant, present } from "./Column.ts"

export interface TaskRow {
  readonly id: TaskId
  readonly kind: string
  readonly key: string
  readonly workspace_id: WorkspaceId | null
  readonly payload: Task["payload"]
  readonly due_at: Date
  readonly ready_at: Date
  readonly epoch: number
  readonly attempts: number
  readonly runner: string | null
  readonly last_error: string | null
  readonly created_at: Date
  readonly failed_at: Date | null
}

export const toTask = (row: TaskRow): Task => ({
  id: row.id,
  kind: row.kind,
  key: row.key,
  payload: row.payload,
  dueAt: instant(row.due_at),
  readyAt: instant(row.ready_at),
  attempts: row.attempts,
  createdAt: instant(row.created_at),
  ...present({
    workspaceId: row.workspace_id,
    runner: row.runner,
    lastError: row.last_error,
    failedAt: optionalInstant(row.failed_at)
  })
})
