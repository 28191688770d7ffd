/** Consumers of events: whatever has to do something for each of them, however often processes stop in between. */
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { Event } from "./Event.ts"

/**
 * The event could not be handled now: it is handled again later, and those behind it in its workspace wait. The message
 * is for the operator of the installation: it says what to do and holds no secret.
 */
export class EventNotHandled extends Schema.TaggedError<EventNotHandled>()("EventNotHandled", {
  message: Schema.String,
  /** Seconds to wait at least. */
  afterSeconds: Schema.optionalKey(Schema.Number)
}) {}

/**
 * Every event is handed to it at least once, none is left out, and those of a workspace come one after the other in the
 * order of the log. A process that was held up may hand one over again after later ones: such an event has the number and
 * the id that it had the first time.
 */
export interface EventConsumer {
  /** 1 to 30 of `a-z`, `0-9` and `_`. How far it came is kept under its name. */
  readonly name: string
  /** Where a consumer begins that is new: with what happens from now on, or with the oldest event that is kept. */
  readonly start: "now" | "beginning"
  /** Only events of these types; all where it is absent. */
  readonly types?: ReadonlyArray<string>
  /** Workspaces whose events are handled at the same time in one process; 4 unless given. */
  readonly concurrency?: number
  /**
   * `transaction`: it writes to storage and does nothing else; its writes and the note that it has had the event are one
   * transaction, so they are there once. `outside`: it calls elsewhere, and carries the id of the event there.
   */
  readonly effects: "transaction" | "outside"
  readonly handle: (event: Event) => Effect.Effect<void, EventNotHandled | StorageUnavailable>
}

/** Names begin the names of kinds of tasks. */
const form = /^[a-z0-9_]{1,30}$/

/** A consumer whose name is checked: another one is a defect of the program. */
export const eventConsumer = (consumer: EventConsumer): EventConsumer => {
  if (form.test(consumer.name)) return consumer
  throw new RangeError(`The consumer of events "${consumer.name}" needs a name of 1 to 30 characters: a-z, 0-9 and _.`)
}
