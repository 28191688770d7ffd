/** What is reported about alerts. */
import * as Schema from "effect/Schema"
import { eventTypes } from "../../../event/EventType.ts"

const EventData = Schema.Struct({
  /** The alert by the name that it had. */
  name: Schema.String,
  /** The record, or the key of the event, that it is about. */
  subject: Schema.String,
  /** Counts what the alert told of it. */
  ordinal: Schema.Int,
  title: Schema.String
})

export const alertEvents = eventTypes(
  { subject: "enrichment", outbound: true, data: EventData },
  {
    "alert.fired": "An alert matches something that it did not match before.",
    "alert.amended": "What an alert had told is something else by now, such as another amount.",
    "alert.retracted": "What an alert had told does not hold any more, or is gone."
  }
)
export type AlertEventName = keyof typeof alertEvents
