/** Reading and following the events of workspaces (decisions 5.10). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as PubSub from "effect/PubSub"
import * as RcRef from "effect/RcRef"
import * as Stream from "effect/Stream"
import { Digest } from "../shared/Digest.ts"
import { prefixes, ulid } from "../shared/Ids.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import type { Event, EventId, LoggedEvent } from "./Event.ts"
import { EventStore, type EventsForgotten } from "./EventStore.ts"

/** Events read from storage in one go. */
const batch = 200
/** Milliseconds after which a follower looks by itself: a signal may be lost. */
const lookEvery = 5_000
/** Milliseconds until it is tried again to listen. */
const listenAgain = 1_000

export interface FollowOptions {
  /**
   * The number of the newest event that the reader has; `now` begins with what happens from now on, `beginning` with the
   * oldest event that is kept.
   */
  readonly after: number | "now" | "beginning"
  /** Only events of these types. */
  readonly types?: ReadonlyArray<string>
}

export class Events extends Context.Service<
  Events,
  {
    /** At most `limit` events after number `after`, oldest first; 0 is the beginning of what is kept. */
    readonly read: (
      workspaceId: WorkspaceId,
      after: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Event>, EventsForgotten | StorageUnavailable>
    /**
     * The events of a workspace in the order of its log, those that come later included: it ends with its reader.
     * Reads again when it hears that something happened, and every five seconds. Fails where storage is away; the
     * reader goes on after the last number it got.
     */
    readonly follow: (
      workspaceId: WorkspaceId,
      options: FollowOptions
    ) => Stream.Stream<Event, EventsForgotten | StorageUnavailable>
    /**
     * An element now and whenever events may have arrived in any workspace, at the latest after five seconds. All who
     * wait in one process share one connection to storage.
     */
    readonly signals: Stream.Stream<void>
  }
>()("@millrace/core/event/Events") {
  static readonly layer: Layer.Layer<Events, never, EventStore | Digest> = Layer.effect(
    Events,
    Effect.gen(function* () {
      const store = yield* EventStore
      const { sha256 } = yield* Digest

      const listening = yield* RcRef.make({
        acquire: Effect.gen(function* () {
          const arrived = yield* Effect.acquireRelease(PubSub.sliding<void>(1), PubSub.shutdown)
          yield* store.arrivals.pipe(
            Stream.runForEach(() => PubSub.publish(arrived, undefined)),
            Effect.catchCause((cause) => Effect.logDebug("Events are looked for, not heard, for a while", cause)),
            Effect.andThen(Effect.sleep(listenAgain)),
            Effect.forever,
            Effect.forkScoped
          )
          return arrived
        })
      })

      const signals = Stream.unwrap(
        Effect.gen(function* () {
          const arrived = yield* PubSub.subscribe(yield* RcRef.get(listening))
          // `tick` has its first element at once.
          return Stream.merge(Stream.fromSubscription(arrived), Stream.tick(lookEvery))
        })
      )

      const withId = (event: LoggedEvent): Event => ({ ...event, id: idOf(sha256, event) })

      const read: Events["Service"]["read"] = Effect.fn("Events.read")(function* (workspaceId, after, limit) {
        return (yield* store.read(workspaceId, after, limit)).map(withId)
      })

      const follow: Events["Service"]["follow"] = (workspaceId, { after, types }) =>
        Stream.unwrap(
          Effect.gen(function* () {
            let position =
              typeof after === "number" ? after : after === "beginning" ? 0 : yield* store.newest(workspaceId)
            const wanted = types === undefined ? undefined : new Set(types)
            const backlog = Stream.paginate(undefined, () =>
              Effect.map(read(workspaceId, position, batch), (events) => {
                position = events[events.length - 1]?.sequence ?? position
                const some = wanted === undefined ? events : events.filter(({ type }) => wanted.has(type))
                return [some, events.length < batch ? Option.none() : Option.some(undefined)] as const
              })
            )
            return Stream.flatMap(signals, () => backlog)
          })
        )

      return Events.of({ read, follow, signals })
    })
  )
}

/** Follows from the place of the event, so that it is the same for each reader, at any time. */
const idOf = (sha256: Digest["Service"]["sha256"], { at, sequence, workspaceId }: LoggedEvent): EventId => {
  const hash = sha256(`${workspaceId}:${sequence}`)
  const digits = Array.from({ length: 16 }, (_, n) => Number.parseInt(hash.slice(2 * n, 2 * n + 2), 16) % 32)
  return `${prefixes.event}_${ulid(Timestamp.toMillis(at), digits)}` as EventId
}
