/**
 * Hands events to consumers, as durable tasks: one for each consumer and workspace that has something to read.
 *
 * A program with consumers runs the handlers of `deliveryOf` among its kinds of tasks, and `layerDelivery`, which makes
 * the tasks as soon as events arrive.
 */
import type { Event } from "@millrace/core/event"
import { eventConsumer, type EventConsumer, type EventNotHandled } from "@millrace/core/event"
import { Events } from "@millrace/core/event"
import { EventStore, type EventsForgotten } from "@millrace/core/storage"
import { Id } from "@millrace/core"
import type { StorageUnavailable } from "@millrace/core/storage"
import { Transactor } from "@millrace/core/storage"
import { handleTask, TaskFailure, type TaskHandler } from "@millrace/core/task"
import { taskKind, type TaskKind } from "@millrace/core/task"
import { Tasks } from "@millrace/core/task"
import { acrossTenants, type WorkspaceId } from "@millrace/core/workspace"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

interface Payload {
  readonly workspaceId: WorkspaceId
}

const Payload: Schema.Codec<Payload, { readonly workspaceId: string }> = Schema.Struct({ workspaceId: Id("workspace") })

/** Events read in one go, and handled in one transaction where the consumer writes to storage alone. */
const batch = 50
/** Milliseconds after which a task lets others take their turn. */
const turn = 10_000
/** Workspaces for which tasks are made in one go; the rest follows with the next signal. */
const spotted = 500
/** Milliseconds until it is tried again while storage is away. */
const awayWait = 2_000

const kindOf = ({ concurrency = 4, name }: EventConsumer): TaskKind<Payload> =>
  taskKind(`events_${name}`, {
    payload: Payload,
    concurrency,
    attempts: Infinity,
    backoff: { firstSeconds: 1, mostSeconds: 600 }
  })

const failed = ({ afterSeconds, message }: EventNotHandled) =>
  new TaskFailure({ message, ...(afterSeconds === undefined ? {} : { afterSeconds }) })

/** What hands events to this consumer. */
export const deliveryOf = (asked: EventConsumer): Effect.Effect<TaskHandler, never, Events | EventStore | Transactor> =>
  Effect.gen(function* () {
    const consumer = eventConsumer(asked)
    const events = yield* Events
    const store = yield* EventStore
    const { atomically } = yield* Transactor
    const wanted = consumer.types === undefined ? undefined : new Set(consumer.types)

    return handleTask(
      kindOf(consumer),
      Effect.fnUntraced(
        function* ({ guard, payload: { workspaceId } }) {
          const backlog = { consumer: consumer.name, workspaceId }
          const began = yield* Clock.currentTimeMillis
          let position = yield* store.position(backlog)

          /** Writes together with how far it came; nothing when another process has taken the task over. */
          const note = <E>(to: number, writes: Effect.Effect<void, E>) =>
            Effect.tap(atomically(Effect.andThen(guard, Effect.andThen(writes, store.advance(backlog, to)))), () =>
              Effect.sync(() => void (position = to))
            )

          const handleAll = Effect.fnUntraced(function* (some: ReadonlyArray<Event>) {
            const last = some[some.length - 1]!.sequence
            const own = wanted === undefined ? some : some.filter(({ type }) => wanted.has(type))
            if (consumer.effects === "transaction") {
              return yield* note(last, Effect.forEach(own, consumer.handle, { discard: true }))
            }
            for (const event of own) {
              yield* consumer.handle(event)
              yield* note(event.sequence, Effect.void)
            }
            if (position < last) yield* note(last, Effect.void)
          })

          const passForgotten = ({ forgotten }: EventsForgotten) =>
            Effect.andThen(
              Effect.logError("Events were forgotten before they were handled", {
                ...backlog,
                from: position,
                forgotten
              }),
              note(forgotten, Effect.void)
            )

          const step = Effect.gen(function* () {
            const some = yield* events.read(workspaceId, position, batch)
            if (some.length > 0) yield* handleAll(some)
            return some.length
          }).pipe(Effect.catchTag("EventsForgotten", (forgotten) => Effect.as(passForgotten(forgotten), batch)))

          for (;;) {
            const count = yield* step
            if (count < batch) return
            if ((yield* Clock.currentTimeMillis) - began > turn) return { againSeconds: 0 }
          }
        },
        Effect.catchTag("EventNotHandled", (error) => Effect.fail(failed(error)))
      )
    )
  })

/** Makes the consumers known, and tasks for those that have something to read: at once when events arrive. */
export const layerDelivery = (
  consumers: ReadonlyArray<EventConsumer>
): Layer.Layer<never, never, Events | EventStore | Tasks> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const store = yield* EventStore
      const tasks = yield* Tasks
      const { signals } = yield* Events
      const kinds = new Map(consumers.map((consumer) => [consumer.name, kindOf(eventConsumer(consumer))]))

      const register = Effect.forEach(consumers, ({ name, start }) => store.register(name, start), { discard: true })
      const spot = Effect.gen(function* () {
        for (const { consumer, workspaceId } of yield* store.behind([...kinds.keys()], spotted)) {
          yield* tasks.enqueue(kinds.get(consumer)!, { payload: { workspaceId }, key: workspaceId, workspaceId })
        }
      })

      const withRetries = <A>(work: Effect.Effect<A, StorageUnavailable>): Effect.Effect<A> =>
        Effect.catchTag(work, "StorageUnavailable", (error) =>
          Effect.logDebug("Events are delivered once storage is back", error).pipe(
            Effect.andThen(Effect.sleep(awayWait)),
            Effect.andThen(Effect.suspend(() => withRetries(work)))
          )
        )

      if (consumers.length === 0) return
      yield* withRetries(register).pipe(
        Effect.andThen(Stream.runForEach(signals, () => withRetries(spot))),
        acrossTenants("task engine"),
        Effect.forkScoped
      )
    })
  )
