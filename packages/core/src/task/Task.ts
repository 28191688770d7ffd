/**
 * Durable tasks: work that has to happen once in effect, whatever dies meanwhile.
 *
 * A task is open until its work is done or is given up. An open task waits, or runs on one process at a time. One that is
 * done is removed; one that is given up is kept, with its last error, until it is opened again or purged.
 */
import * as Schema from "effect/Schema"
import { Id } from "../shared/Ids.ts"
import { Timestamp } from "../shared/Timestamp.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"

export type TaskId = Id<"task">

/** The name of a kind of task, provider, destination or enrichment. */
export const kindName = /^[a-z][a-z0-9_]{1,39}$/

/** What a task is about: an object, so that later releases can add to it. */
const Payload = Schema.Record(Schema.String, Schema.Json)

/** A task as storage shows it. */
export const Task = Schema.Struct({
  id: Id("task"),
  kind: Schema.String,
  /** Unique among the open tasks of the kind. */
  key: Schema.String,
  /** Absent for what is of the whole installation. */
  workspaceId: Schema.optionalKey(Id("workspace")),
  payload: Payload,
  /** When it should have begun, by the store's clock. */
  dueAt: Timestamp,
  /** When it can next be taken up: `dueAt`, the end of a wait before another try, or the end of the lease of who runs it. */
  readyAt: Timestamp,
  /** Tries that began and were not given back. */
  attempts: Schema.Int,
  /** The process that runs it, or was lost with it. */
  runner: Schema.optionalKey(Schema.String),
  lastError: Schema.optionalKey(Schema.String),
  createdAt: Timestamp,
  /** When it was given up; absent while it is open. */
  failedAt: Schema.optionalKey(Timestamp)
})
export type Task = typeof Task.Type

/** A task to be made. */
export interface NewTask {
  readonly id: TaskId
  readonly kind: string
  readonly key: string
  readonly workspaceId?: WorkspaceId
  readonly payload: Task["payload"]
  /** Seconds from now by the store's clock, or an instant; at once where neither is given. */
  readonly afterSeconds?: number
  readonly at?: Timestamp
}

/** The right to write for a task, until another process takes it up. */
export interface TaskFence {
  readonly taskId: TaskId
  readonly epoch: number
}

export interface ClaimedTask {
  readonly task: Task
  readonly fence: TaskFence
}

/** The tasks of one kind, for the operator of the installation. */
export interface TaskOverview {
  readonly kind: string
  /** Open tasks that run, whose process beats. */
  readonly running: number
  /** Open tasks that wait: for their time, for a place, or for another try. */
  readonly waiting: number
  /** Those of them that have failed before. */
  readonly retrying: number
  /** Tasks that were given up. */
  readonly failed: number
  /** Seconds since the oldest task that nobody runs could have been taken up; 0 where there is none. */
  readonly lateSeconds: number
  /** Of the open task that failed most often, or else of the one that was given up last. */
  readonly lastError?: string
}
