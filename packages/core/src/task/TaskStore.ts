/**
 * Port: durable tasks.
 *
 * Due times, leases and lateness are by the store's own clock. A task runs on one process at a time: `claim` takes it
 * with a lease, and every later call of that process names the fence it was given.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import type { ClaimedTask, NewTask, Task, TaskFence, TaskId, TaskOverview } from "./Task.ts"

/** The task was taken over by another process, withdrawn, or has ended. Anyone who ran it stops without a trace. */
export class TaskFenced extends Schema.TaggedError<TaskFenced>()("TaskFenced", { taskId: Schema.String }) {}

/** How many more tasks of a kind a process would run. */
export interface TaskRoom {
  readonly kind: string
  readonly limit: number
}

export interface Claims {
  readonly tasks: ReadonlyArray<ClaimedTask>
  /**
   * Seconds until another task of these kinds can be taken up, as far as it is known now; 0 or less when some can
   * already, absent when there are none.
   */
  readonly nextSeconds?: number
}

/** The same work again, as a new task. */
export interface Again {
  readonly id: TaskId
  readonly afterSeconds: number
}

export interface TaskQuery {
  readonly state?: "open" | "failed"
  readonly kind?: string
  readonly workspaceId?: WorkspaceId
  readonly limit: number
  /** The last id of the page before. */
  readonly before?: TaskId
}

export class TaskStore extends Context.Service<
  TaskStore,
  {
    /**
     * Makes tasks, as part of the transaction it is called in. Where a task of that kind and key is open already none is
     * made, and nothing is lost:
     * - one that waits takes the newer payload, and the earlier of both times unless it waits for another try
     * - one that runs is done again after this run, with the newer payload
     *
     * `keep` leaves what is open as it is. Until the transaction ends nobody else can end these tasks or add to them.
     */
    readonly enqueue: (
      tasks: ReadonlyArray<NewTask>,
      options?: { readonly keep?: boolean }
    ) => Effect.Effect<void, StorageUnavailable>
    /**
     * Takes tasks that are ready, for `leaseSeconds`, and at most `limit` of each kind. Workspaces take turns: first
     * comes the one who has the least of that kind under way, then the task that was ready first. Each claim counts an
     * attempt.
     */
    readonly claim: (
      runner: string,
      rooms: ReadonlyArray<TaskRoom>,
      leaseSeconds: number
    ) => Effect.Effect<Claims, StorageUnavailable>
    /** Prolongs the leases of those that are still held, and returns them. Late, but before anybody else, is in time. */
    readonly beat: (
      fences: ReadonlyArray<TaskFence>,
      leaseSeconds: number
    ) => Effect.Effect<ReadonlyArray<TaskId>, StorageUnavailable>
    /** First call of a writing transaction of a task: until that ends nobody can take the task over or withdraw it. */
    readonly fence: (fence: TaskFence) => Effect.Effect<void, TaskFenced | StorageUnavailable>
    /**
     * The work is done: the task is removed. With `again`, or when the same key was enqueued meanwhile, the key stays open
     * as a new task. Returns the seconds until that is due.
     */
    readonly complete: (
      fence: TaskFence,
      again?: Again
    ) => Effect.Effect<number | undefined, TaskFenced | StorageUnavailable>
    /** The try failed: the task waits for another one. */
    readonly retry: (
      fence: TaskFence,
      error: string,
      afterSeconds: number
    ) => Effect.Effect<void, TaskFenced | StorageUnavailable>
    /** The task is given up. What was enqueued under its key meanwhile becomes a new task. */
    readonly fail: (fence: TaskFence, error: string) => Effect.Effect<void, TaskFenced | StorageUnavailable>
    /** Gives the task back, without counting the attempt. Does nothing when the fence does not hold. */
    readonly release: (fence: TaskFence, afterSeconds: number) => Effect.Effect<void, StorageUnavailable>
    /** Removes the open task of that key, if there is one: who runs it can write no more. */
    readonly withdraw: (kind: string, key: string) => Effect.Effect<boolean, StorageUnavailable>

    readonly get: (id: TaskId) => Effect.Effect<Option.Option<Task>, StorageUnavailable>
    /** Newest first. */
    readonly list: (query: TaskQuery) => Effect.Effect<ReadonlyArray<Task>, StorageUnavailable>
    /** Opens a task that was given up, from its first attempt. `false` when it was not, or its key is open again. */
    readonly reopen: (id: TaskId) => Effect.Effect<boolean, StorageUnavailable>
    /** Every kind that has a task, by name. */
    readonly overview: Effect.Effect<ReadonlyArray<TaskOverview>, StorageUnavailable>
    /** Removes at most `limit` tasks that were given up more than `limits.taskHistoryDays` ago. Returns how many. */
    readonly purge: (limit: number) => Effect.Effect<number, StorageUnavailable>
    /**
     * An element for tasks that became due by being made. The first one says that it listens from now on. Elements may be
     * lost or say too much; it fails when it can listen no longer.
     */
    readonly arrivals: Stream.Stream<void, StorageUnavailable>
  }
>()("@millrace/core/task/TaskStore") {}
