/** What is reported about digests. */
import * as Schema from "effect/Schema"
import { eventTypes } from "../../../event/EventType.ts"
import * as CalendarDate from "../../../shared/CalendarDate.ts"

const EventData = Schema.Struct({
  name: Schema.String,
  /** First and last day. */
  from: CalendarDate.CalendarDate,
  to: CalendarDate.CalendarDate,
  title: Schema.String
})

export const digestEvents = eventTypes(
  { subject: "enrichment", outbound: true, data: EventData },
  {
    "digest.issued": "A period is over, and its digest was made.",
    "digest.amended": "A period became another after its digest was made."
  }
)
export type DigestEventName = keyof typeof digestEvents
