/** Events: what happened in a workspace, one entry of its log each (decisions 5.10). */
import type * as Schema from "effect/Schema"
import type { ActorRef } from "../access/ActorRef.ts"
import type { Id } from "../shared/Ids.ts"
import type { Timestamp } from "../shared/Timestamp.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"

export type EventId = Id<"event">

/** What the event is about. Events of one subject are in the order in which it changed. */
export interface EventSubject {
  /** The noun: `job`, `feed`, `bank` ... */
  readonly kind: string
  readonly id: string
}

/** An event that is not in the log yet. */
export interface NewEvent {
  readonly workspaceId: WorkspaceId
  /** The name of an `EventType`, such as `feed.sync.completed`. */
  readonly type: string
  readonly subject: EventSubject
  /** Who or what made it happen. */
  readonly cause: ActorRef
  readonly data: Schema.Json
}

/** An event as stores keep it. */
export interface LoggedEvent extends NewEvent {
  /** Its place in the log of the workspace: 1, 2, 3 and so on, without a hole. */
  readonly sequence: number
  /** By the clock of the store. */
  readonly at: Timestamp
}

export interface Event extends LoggedEvent {
  readonly id: EventId
}
