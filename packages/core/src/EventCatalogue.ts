/** Every type of event that the kernel writes, for subscriptions and the reference. */
import type { EventType } from "./event/EventType.ts"
import { jobEventTypes } from "./job/JobEvents.ts"

/** By noun, in the order of the reference. */
export const eventCatalogue: ReadonlyArray<Pick<EventType<never>, "type" | "subject" | "summary" | "outbound">> = [
  ...jobEventTypes
]
