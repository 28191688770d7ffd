/**
 * The handlers that send messages.
 *
 * A message is marked as being sent before it is handed to its channel, and as sent after. A process that is lost in between
 * leaves one that is handed over again, with the same id and to the letter the same: whether it arrives once is up to the
 * channel then (`Channels`).
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { derivedId } from "../shared/DerivedId.ts"
import { Digest } from "../shared/Digest.ts"
import { limits } from "../shared/Limits.ts"
import { EventStore } from "../event/EventStore.ts"
import { Transactor } from "../storage/Transactor.ts"
import { handleTask, type RunningTask, TaskFailure } from "../task/TaskHandler.ts"
import { Tasks } from "../task/Tasks.ts"
import { Channels } from "./Channels.ts"
import type { Message } from "./Message.ts"
import { messageFailed } from "./MessageEvents.ts"
import { laneTask, sendTask } from "./MessageTasks.ts"
import { OutboxStore } from "./OutboxStore.ts"
import { Phrasing, worded } from "./Phrasing.ts"
import { summaryOf } from "./Summary.ts"

/** Sends a message. */
const sendingMessages = Effect.gen(function* () {
  const store = yield* OutboxStore
  const channels = yield* Channels
  const events = yield* EventStore
  const tasks = yield* Tasks
  const { atomically } = yield* Transactor
  const { phrase } = yield* Phrasing
  /** Its words are kept before it is handed over: another try says the same to the letter. */
  const wordedOnce = Effect.fnUntraced(function* ({ guard }: Pick<RunningTask<unknown>, "guard">, message: Message) {
    const content = worded(message.content, yield* phrase(message))
    return yield* atomically(Effect.andThen(guard, store.reword(message.workspaceId, message.id, content)))
  })
  return handleTask(sendTask, (task) =>
    Effect.gen(function* () {
      const { id, workspaceId } = task.payload
      const started = yield* atomically(Effect.andThen(task.guard, store.start(workspaceId, id)))
      if (started === undefined) return
      const message = started.content.rephrase === undefined ? started : yield* wordedOnce(task, started)
      if (message === undefined) return
      /** Others of its lane come when its silence is over. */
      const followed = Effect.gen(function* () {
        const { cooldownSeconds, lane } = message
        if (cooldownSeconds === 0) return
        const { held } = yield* store.lane(workspaceId, lane, 1)
        if (held.length === 0) return
        yield* tasks.enqueue(laneTask, { payload: { workspaceId, lane }, workspaceId, key: lane })
      })
      const sent = yield* Effect.result(channels.send(message))
      if (Result.isSuccess(sent)) {
        return yield* task.finish(Effect.andThen(store.settle(workspaceId, id, { state: "sent" }), followed))
      }
      const error = sent.failure
      if (!error.final && task.attempt < sendTask.attempts) {
        return yield* new TaskFailure({
          message: error.message,
          ...(error.afterSeconds === undefined ? {} : { afterSeconds: error.afterSeconds })
        })
      }
      yield* Effect.logError("A message could not be sent", {
        channel: message.endpoint.channel,
        error: error.message
      })
      return yield* task.finish(
        Effect.gen(function* () {
          yield* store.settle(workspaceId, id, { state: "failed", error: error.message })
          yield* events.append([messageFailed(message, error.message)])
          yield* followed
        })
      )
    })
  )
})

/** Lets a lane speak: what it holds is sent once it has been silent long enough, several messages as one. */
const speakingLanes = Effect.gen(function* () {
  const store = yield* OutboxStore
  const tasks = yield* Tasks
  const { sha256 } = yield* Digest
  return handleTask(laneTask, (task) =>
    Effect.gen(function* () {
      const { lane, workspaceId } = task.payload
      const { busy, held, silentSeconds } = yield* store.lane(workspaceId, lane, limits.collectedMessages)
      const first = held[0]
      if (first === undefined) return
      // What is under way decides when the silence begins.
      if (busy) return { againSeconds: busySeconds }
      const wait = silentSeconds === undefined ? 0 : Math.ceil(first.cooldownSeconds - silentSeconds)
      if (wait > 0) return { againSeconds: wait }
      return yield* task.finish(
        Effect.gen(function* () {
          const ids = held.map(({ id }) => id)
          let id = first.id
          if (held.length === 1) yield* store.release(workspaceId, id)
          else {
            id = derivedId(sha256, workspaceId, lane, ...ids)
            const { cooldownSeconds, endpoint, enrichmentId } = first
            const content = summaryOf(held.map((one) => one.content))
            yield* store.insert([
              { id, workspaceId, enrichmentId, endpoint, content, lane, cooldownSeconds, state: "ready" }
            ])
            yield* store.collect(workspaceId, ids, id)
          }
          yield* tasks.enqueue(sendTask, { payload: { workspaceId, id }, workspaceId, key: id })
        })
      )
    })
  )
})

const busySeconds = 30

/** All that sends messages, for `TaskKinds`. */
export const messageHandlers = [sendingMessages, speakingLanes] as const
