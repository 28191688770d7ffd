/**
 * The state machine of a sync job as a table (decisions 6.4).
 *
 * The same table is enforced by the stores and enumerated by the tests: a pair that is not listed is refused.
 */
import type { JobStatus } from "./Job.ts"

export const jobEvents = [
  /** A worker takes it up, also again after its worker was lost. */
  "dispatch",
  "complete",
  "fail",
  "cancel",
  "pause",
  "resume",
  /** forceCancelActive and deleteFeed: also cancels a paused job. */
  "forceCancel"
] as const
export type JobEvent = (typeof jobEvents)[number]

export interface JobTransition {
  readonly from: JobStatus
  readonly event: JobEvent
  readonly to: JobStatus
  /** A new epoch shuts out the run that held the job before. */
  readonly newEpoch: boolean
}

export const jobTransitions: ReadonlyArray<JobTransition> = [
  { from: "created", event: "dispatch", to: "in_progress", newEpoch: true },
  { from: "created", event: "cancel", to: "cancelled", newEpoch: true },
  { from: "created", event: "forceCancel", to: "cancelled", newEpoch: true },
  { from: "created", event: "fail", to: "failed", newEpoch: true },
  { from: "in_progress", event: "dispatch", to: "in_progress", newEpoch: true },
  { from: "in_progress", event: "complete", to: "completed", newEpoch: false },
  { from: "in_progress", event: "fail", to: "failed", newEpoch: true },
  { from: "in_progress", event: "cancel", to: "cancelled", newEpoch: true },
  { from: "in_progress", event: "forceCancel", to: "cancelled", newEpoch: true },
  { from: "in_progress", event: "pause", to: "paused", newEpoch: true },
  // Without a heartbeat it is due at once, so that a worker takes it up like a lost one.
  { from: "paused", event: "resume", to: "in_progress", newEpoch: true },
  { from: "paused", event: "fail", to: "failed", newEpoch: true },
  { from: "paused", event: "forceCancel", to: "cancelled", newEpoch: true }
]

/** The transition of an event, or `undefined` where the pair is refused. */
export const transition = (from: JobStatus, event: JobEvent): JobTransition | undefined =>
  jobTransitions.find((row) => row.from === from && row.event === event)

/** Statuses from which an event is possible: what a guarded statement names in its `where`. */
export const sourcesOf = (event: JobEvent): ReadonlyArray<JobStatus> =>
  jobTransitions.filter((row) => row.event === event).map((row) => row.from)
