/** The log of events in memory. */
import type { LoggedEvent } from "@millrace/core/event"
import { type Backlog, EventsForgotten, EventStore } from "@millrace/core/storage"
import { limits, Timestamp } from "@millrace/core"
import type { WorkspaceId } from "@millrace/core/workspace"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import { EventTable } from "./MemoryEventTable.ts"
import { Memory } from "./MemoryTransactor.ts"

const day = 86_400_000

export const layer: Layer.Layer<EventStore, never, Memory | EventTable> = Layer.effect(
  EventStore,
  Effect.gen(function* () {
    const { call, attempt, remove, set } = yield* Memory
    const { append, arrivals, logs, ofWorkspace } = yield* EventTable
    const consumers = new Map<string, Map<WorkspaceId, number>>()

    const positionOf = (consumer: string, id: WorkspaceId): number => consumers.get(consumer)?.get(id) ?? 0

    return EventStore.of({
      append: (events) => call((now) => events.forEach((event) => append(event, Timestamp.fromMillis(now)))),
      read: (workspaceId, after, limit) =>
        attempt((): Exit.Exit<ReadonlyArray<LoggedEvent>, EventsForgotten> => {
          const { forgotten, newest } = logs.get(workspaceId) ?? { newest: 0, forgotten: 0 }
          if (after > 0 && after < forgotten) return Exit.fail(new EventsForgotten({ workspaceId, forgotten }))
          const found: Array<LoggedEvent> = []
          const events = ofWorkspace(workspaceId)
          for (let n = Math.max(after, forgotten) + 1; n <= newest && found.length < limit; n++)
            found.push(events.get(n)!)
          return Exit.succeed(found)
        }),
      newest: (workspaceId) => call(() => logs.get(workspaceId)?.newest ?? 0),
      arrivals: Stream.unwrap(
        Effect.map(PubSub.subscribe(arrivals), (arrived) =>
          Stream.prepend(Stream.fromSubscription(arrived), [undefined])
        )
      ),

      register: (consumer, start) =>
        call(() => {
          if (consumers.has(consumer)) return
          const positions = new Map<WorkspaceId, number>()
          if (start === "now") for (const [id, { newest }] of logs) positions.set(id, newest)
          set(consumers, consumer, positions)
        }),
      unregister: (consumer) => call(() => remove(consumers, consumer)),
      behind: (asked, limit) =>
        call(() =>
          asked
            .filter((consumer) => consumers.has(consumer))
            .flatMap((consumer) =>
              [...logs]
                .filter(([id, { newest }]) => positionOf(consumer, id) < newest)
                .map(([workspaceId]): Backlog => ({ consumer, workspaceId }))
            )
            .slice(0, limit)
        ),
      position: ({ consumer, workspaceId }) => call(() => positionOf(consumer, workspaceId)),
      advance: ({ consumer, workspaceId }, position) =>
        call(() => {
          const positions = consumers.get(consumer)
          if (positions !== undefined && position > positionOf(consumer, workspaceId))
            set(positions, workspaceId, position)
        }),

      purge: (limit) =>
        call((now) => {
          let count = 0
          for (const [id, log] of logs) {
            const passed = Math.min(log.newest, ...[...consumers.keys()].map((name) => positionOf(name, id)))
            const events = ofWorkspace(id)
            let { forgotten } = log
            while (count < limit) {
              const event = events.get(forgotten + 1)
              const age = event === undefined ? 0 : now - Timestamp.toMillis(event.at)
              if (age <= limits.eventDays * day) break
              if (forgotten + 1 > passed && age <= limits.eventWaitDays * day) break
              remove(events, ++forgotten)
              count++
            }
            if (forgotten > log.forgotten) set(logs, id, { ...log, forgotten })
          }
          return count
        })
    })
  })
)
