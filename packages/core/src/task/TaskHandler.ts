/** What runs the tasks of one kind. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import type { TaskId } from "./Task.ts"
import { NoPayload, type TaskKind, taskKind } from "./TaskKind.ts"
import type { TaskFenced } from "./TaskStore.ts"

/**
 * A try failed. The message is kept with the task, for the operator of the installation: it says what to do and holds
 * no secret.
 */
export class TaskFailure extends Schema.TaggedError<TaskFailure>()("TaskFailure", {
  message: Schema.String,
  /** No other try can succeed: the task is given up at once. */
  final: Schema.optionalKey(Schema.Literal(true)),
  /** Seconds to wait at least before the next try. */
  afterSeconds: Schema.optionalKey(Schema.Number)
}) {}

/** Asks for the same work again, as a task with another id, after so many seconds. */
export interface RunAgain {
  readonly againSeconds: number
}

/** One try of a task. */
export interface RunningTask<A> {
  /** Stays the same over all tries: what is sent elsewhere carries it as its idempotency key. */
  readonly id: TaskId
  readonly key: string
  readonly payload: A
  readonly workspaceId: WorkspaceId | undefined
  /** From 1. */
  readonly attempt: number
  /** First call of a writing transaction: until it ends nobody can take the task over. Fails where that has happened. */
  readonly guard: Effect.Effect<void, TaskFenced | StorageUnavailable>
  /** Runs the writes and ends the task, in one transaction: both happen, or neither. */
  readonly finish: <B, E, R>(
    writes: Effect.Effect<B, E, R>,
    again?: RunAgain
  ) => Effect.Effect<B, E | TaskFenced | StorageUnavailable, R>
}

export type TaskError = TaskFailure | TaskFenced | StorageUnavailable

/**
 * Runs tasks of a kind. A try may be cut off anywhere and repeated from the beginning, by another process too, so the
 * work has to be one of these:
 * - writes to storage inside of `RunningTask.finish`: they happen once, together with the end of the task
 * - calls to the outside that carry `RunningTask.id`, at a place that takes the same id twice for one
 * - work that has the same result when it is done twice
 *
 * A long try writes in several transactions, each of which begins with `RunningTask.guard`.
 */
export interface TaskHandler {
  readonly kind: TaskKind<unknown>
  readonly run: (task: RunningTask<unknown>) => Effect.Effect<RunAgain | void, TaskError>
  /** Seconds between runs of a kind that always has one task; it is made where there is none. */
  readonly everySeconds?: number
}

/** Handles tasks of the kind. A payload that does not decode is given up, never run. */
export const handleTask = <A>(
  kind: TaskKind<A>,
  run: (task: RunningTask<A>) => Effect.Effect<RunAgain | void, TaskError>
): TaskHandler => {
  const decode = Schema.decodeUnknownEffect(kind.payload)
  return {
    kind,
    run: (task) =>
      decode(task.payload).pipe(
        Effect.mapError(
          ({ message }) =>
            new TaskFailure({ message: `The payload of the task cannot be read: ${message}`, final: true })
        ),
        Effect.flatMap((payload) => run({ ...task, payload }))
      )
  }
}

/** A second between runs while there is work: what made it mostly makes more. */
const busySeconds = 1

/**
 * Work that happens now and then on one process of the installation, whichever it is: a second after a run that found
 * something to do, and each time twice as long after it while there is nothing, up to `everySeconds`. It must come to the
 * same when it is done twice.
 */
export const recurringTask = (
  name: string,
  everySeconds: number,
  /** Returns how much there was to do. */
  work: Effect.Effect<number, StorageUnavailable>
): TaskHandler => {
  const kind = taskKind(name, {
    payload: NoPayload,
    concurrency: 1,
    attempts: Infinity,
    backoff: { firstSeconds: busySeconds, mostSeconds: Math.max(busySeconds, Math.min(everySeconds, 60)) }
  })
  let wait = everySeconds
  return {
    ...handleTask(kind, () =>
      Effect.map(work, (found) => {
        wait = found > 0 ? Math.min(busySeconds, everySeconds) : Math.min(everySeconds, wait * 2)
        return { againSeconds: wait }
      })
    ),
    everySeconds
  }
}
