/** The events of all workspaces in memory, for every store that writes some. */
import type { LoggedEvent, NewEvent } from "@millrace/core/event"
import type { Timestamp } from "@millrace/core"
import type { WorkspaceId } from "@millrace/core/workspace"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import { frozen } from "./Frozen.ts"
import { Memory } from "./MemoryTransactor.ts"

export interface Log {
  readonly newest: number
  readonly forgotten: number
}

export class EventTable extends Context.Service<
  EventTable,
  {
    readonly logs: Map<WorkspaceId, Log>
    /** By number, of one workspace. */
    readonly ofWorkspace: (id: WorkspaceId) => Map<number, LoggedEvent>
    /** Transactions follow each other here, so that an event has its number at once. */
    readonly append: (event: NewEvent, at: Timestamp.Timestamp) => void
    /** Has an element when events were added. */
    readonly arrivals: PubSub.PubSub<void>
  }
>()("@millrace/adapters/storage/memory/MemoryEventTable/EventTable") {
  static readonly layer: Layer.Layer<EventTable, never, Memory> = Layer.effect(
    EventTable,
    Effect.gen(function* () {
      const { set } = yield* Memory
      const logs = new Map<WorkspaceId, Log>()
      const events = new Map<WorkspaceId, Map<number, LoggedEvent>>()
      const arrivals = yield* PubSub.sliding<void>(1)

      const ofWorkspace = (id: WorkspaceId) => {
        let own = events.get(id)
        if (own === undefined) events.set(id, (own = new Map()))
        return own
      }

      return EventTable.of({
        logs,
        ofWorkspace,
        arrivals,
        append: (event, at) => {
          const { forgotten, newest } = logs.get(event.workspaceId) ?? { newest: 0, forgotten: 0 }
          const sequence = newest + 1
          set(logs, event.workspaceId, { newest: sequence, forgotten })
          set(ofWorkspace(event.workspaceId), sequence, frozen({ ...event, sequence, at }))
          PubSub.publishUnsafe(arrivals, undefined)
        }
      })
    })
  )
}
