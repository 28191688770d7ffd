/**
 * Port: the log of events, one for each workspace, and how far consumers have read it.
 *
 * An event is written in the transaction of the change that it tells, and is in the log exactly when that took effect.
 * Events are numbered after they took effect: 1, 2, 3 and so on in each workspace. So anyone who has read up to a number
 * has missed nothing below it, however many write at the same time.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import type { LoggedEvent, NewEvent } from "./Event.ts"

/** Events after that number are not kept any more. */
export class EventsForgotten extends Schema.TaggedError<EventsForgotten>()("EventsForgotten", {
  workspaceId: Schema.String,
  /** The newest event that was forgotten: reading can go on after it. */
  forgotten: Schema.Number
}) {}

/** A consumer that has events of a workspace to read. */
export interface Backlog {
  readonly consumer: string
  readonly workspaceId: WorkspaceId
}

export class EventStore extends Context.Service<
  EventStore,
  {
    /**
     * Adds events in the transaction of the caller. They belong after the change that they tell: the lock of what was
     * changed then keeps the events of one subject in order.
     */
    readonly append: (events: ReadonlyArray<NewEvent>) => Effect.Effect<void, StorageUnavailable>
    /**
     * At most `limit` events after number `after`, oldest first. 0 is the beginning of what is kept. Must not be called
     * inside a transaction.
     */
    readonly read: (
      workspaceId: WorkspaceId,
      after: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<LoggedEvent>, EventsForgotten | StorageUnavailable>
    /** The number of the newest event; 0 where there is none. Must not be called inside a transaction. */
    readonly newest: (workspaceId: WorkspaceId) => Effect.Effect<number, StorageUnavailable>
    /**
     * An element when events may have arrived. The first one says that it listens from now on. Elements may be lost or
     * say too much; it fails when it can listen no longer.
     */
    readonly arrivals: Stream.Stream<void, StorageUnavailable>

    /**
     * Makes a consumer known. One that is new begins with the events that come from `now` on, or at the `beginning` of
     * what is kept; one that is known goes on where it is.
     */
    readonly register: (consumer: string, start: "now" | "beginning") => Effect.Effect<void, StorageUnavailable>
    /** Forgets a consumer and how far it has read. */
    readonly unregister: (consumer: string) => Effect.Effect<void, StorageUnavailable>
    /** At most `limit` of the workspaces in which these consumers have not had the newest event. Not in a transaction. */
    readonly behind: (
      consumers: ReadonlyArray<string>,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Backlog>, StorageUnavailable>
    /** The number of the newest event that the consumer has had; 0 for none. */
    readonly position: (backlog: Backlog) => Effect.Effect<number, StorageUnavailable>
    /** Notes that the consumer has had all events up to `position`; never less than it was. Nothing for one that is unknown. */
    readonly advance: (backlog: Backlog, position: number) => Effect.Effect<void, StorageUnavailable>

    /**
     * Forgets at most `limit` events that are older than `limits.eventDays` and that every known consumer has had, or
     * that are older than `limits.eventWaitDays`. Returns how many.
     */
    readonly purge: (limit: number) => Effect.Effect<number, StorageUnavailable>
  }
>()("@millrace/core/event/EventStore") {}
