/** The statuses of a sync job. Only the types come from the API: its schemas would cost every start time. */
import type { JobRecord } from "@millrace/core/operations"

type JobStatus = (typeof JobRecord.Type)["status"]

export const jobStatuses = [
  "created",
  "in_progress",
  "paused",
  "completed",
  "failed",
  "cancelled"
] as const satisfies ReadonlyArray<JobStatus>

const active: ReadonlyArray<string> = ["created", "in_progress", "paused"] satisfies ReadonlyArray<JobStatus>

export const isActive = (status: string): boolean => active.includes(status)
