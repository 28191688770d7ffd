/** What is told of digests. */
import * as Schema from "effect/Schema"
import { eventType } from "../../../event/EventType.ts"
import * as CalendarDate from "../../../shared/CalendarDate.ts"

const Told = Schema.Struct({
  name: Schema.String,
  /** First and last day. */
  from: CalendarDate.CalendarDate,
  to: CalendarDate.CalendarDate,
  title: Schema.String
})
export const encodeTold = Schema.encodeSync(Told)

const issued = eventType({
  type: "digest.issued",
  subject: "enrichment",
  summary: "A period is over, and its digest was made.",
  outbound: true,
  data: Told
})
const amended = eventType({
  type: "digest.amended",
  subject: "enrichment",
  summary: "A period became another after its digest was made.",
  outbound: true,
  data: Told
})
export const digestEventTypes = [issued, amended] as const
