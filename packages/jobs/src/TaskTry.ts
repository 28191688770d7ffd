/** One try of a task: runs its handler and writes down what came of it. */
import { Ids, limits, stretched } from "@millrace/core"
import { type StorageUnavailable, type TaskFenced, TaskStore, Transactor } from "@millrace/core/storage"
import {
  backoffSeconds,
  type ClaimedTask,
  type RunAgain,
  type RunningTask,
  type TaskError,
  TaskFailure,
  type TaskHandler
} from "@millrace/core/task"
import { withinWorkspaces, type WorkspaceId } from "@millrace/core/workspace"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"

/** Seconds until a task is tried again for which storage has no room: nothing is lost by asking. */
const fullSeconds = 15
/** Tries to write down that a task is done. After them its lease runs out, and it is done again. */
const endTries = 4

const brokenText = "The task stopped because of a fault in Millrace; the log has the details."

/** Why a task was stopped from outside: this process ends, or it is another one's now. */
export type Stop = "leaving" | "lost"

/** Returns the seconds until the task, or one that follows from it, is due again. */
export type TryTask = (
  claimed: ClaimedTask,
  handler: TaskHandler,
  stopped: () => Stop | undefined
) => Effect.Effect<number | undefined, StorageUnavailable>

/** A text that can be stored and is no longer than it may be. */
const kept = (text: string): string => text.replaceAll("\0", "").slice(0, limits.taskErrorLength)

/** What is done for a workspace sees that one; what is done for the installation, all of them. */
const ofItsWorkspace =
  (id: WorkspaceId | undefined) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    id === undefined ? work : withinWorkspaces(id)(work)

export const makeTryTask: Effect.Effect<TryTask, never, TaskStore | Transactor | Ids> = Effect.gen(function* () {
  const store = yield* TaskStore
  const { atomically } = yield* Transactor
  const ids = yield* Ids

  const complete = Effect.fnUntraced(function* ({ fence }: ClaimedTask, again: RunAgain | undefined) {
    if (again === undefined) return yield* store.complete(fence)
    return yield* store.complete(fence, { id: yield* ids.next("task"), afterSeconds: again.againSeconds })
  })

  const giveUp = Effect.fnUntraced(function* ({ fence }: ClaimedTask, error: string) {
    yield* Effect.logError("A task is given up", { error })
    yield* store.fail(fence, kept(error))
    return undefined
  })

  /** Waits for another try, or gives up after the last one. */
  const again = Effect.fnUntraced(function* (claimed: ClaimedTask, { kind }: TaskHandler, error: TaskFailure) {
    const { attempts } = claimed.task
    if (error.final === true || attempts >= kind.attempts) return yield* giveUp(claimed, error.message)
    const wait = Math.max(error.afterSeconds ?? 0, yield* stretched(backoffSeconds(kind.backoff, attempts)))
    yield* Effect.logWarning("A task failed and is tried again", { error: error.message, afterSeconds: wait })
    yield* store.retry(claimed.fence, kept(error.message), wait)
    return wait
  })

  const leave = ({ fence }: ClaimedTask, afterSeconds: number) =>
    Effect.as(store.release(fence, afterSeconds), undefined)

  /** What a try that did not end well leaves behind. */
  const settle = (
    claimed: ClaimedTask,
    handler: TaskHandler,
    cause: Cause.Cause<TaskError>,
    stopped: Stop | undefined
  ): Effect.Effect<number | undefined, TaskFenced | StorageUnavailable> => {
    if (stopped === "lost") return Effect.undefined
    if (stopped === "leaving") return leave(claimed, 0)
    const error = Option.getOrUndefined(Cause.findErrorOption(cause))
    if (error === undefined || Cause.hasDies(cause)) {
      return Effect.andThen(
        Effect.logError("Task crashed", cause),
        again(claimed, handler, new TaskFailure({ message: brokenText }))
      )
    }
    switch (error._tag) {
      case "TaskFenced":
        return Effect.as(Effect.logDebug("A task was shut out"), undefined)
      case "StorageUnavailable":
        if (error.full === true) return leave(claimed, fullSeconds)
        return again(claimed, handler, new TaskFailure({ message: `Storage was not available: ${error.message}` }))
      case "TaskFailure":
        return again(claimed, handler, error)
    }
  }

  return (claimed, handler, stopped) => {
    const { fence, task } = claimed
    const { kind } = handler
    return Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        // Every process that took it up was lost with it.
        if (task.attempts > kind.attempts) {
          return yield* giveUp(claimed, `The task was given up after ${kind.attempts} tries: its process was lost.`)
        }
        let ended: { readonly dueSeconds: number | undefined } | undefined
        const running: RunningTask<unknown> = {
          id: task.id,
          key: task.key,
          payload: task.payload,
          workspaceId: task.workspaceId,
          attempt: task.attempts,
          guard: store.fence(fence),
          finish: (writes, more) =>
            Effect.gen(function* () {
              const [written, dueSeconds] = yield* atomically(
                Effect.gen(function* () {
                  yield* store.fence(fence)
                  const result = yield* writes
                  return [result, yield* complete(claimed, more)] as const
                })
              )
              ended = { dueSeconds }
              return written
            })
        }
        const exit = yield* Effect.exit(
          restore(
            Effect.timeoutOrElse(ofItsWorkspace(task.workspaceId)(handler.run(running)), {
              duration: kind.timeoutSeconds * 1000,
              orElse: () =>
                Effect.fail(
                  new TaskFailure({
                    message: `The task took longer than the ${kind.timeoutSeconds} s that it may take.`
                  })
                )
            })
          )
        )
        if (ended !== undefined) return ended.dueSeconds
        if (Exit.isFailure(exit)) return yield* settle(claimed, handler, exit.cause, stopped())
        const more = exit.value ?? undefined
        return yield* Effect.retry(complete(claimed, more), {
          while: ({ _tag }) => _tag === "StorageUnavailable",
          schedule: Schedule.spaced(1_000),
          times: endTries
        })
      }).pipe(Effect.catchTag("TaskFenced", () => Effect.as(Effect.logDebug("A task was shut out"), undefined)))
    ).pipe(
      Effect.withSpan("TaskRunner.run", { attributes: { kind: kind.name, taskId: task.id, attempt: task.attempts } }),
      Effect.annotateLogs({ kind: kind.name, taskId: task.id, attempt: task.attempts })
    )
  }
})
