/** What is told of alerts. */
import * as Schema from "effect/Schema"
import { eventType } from "../../../event/EventType.ts"

const Told = Schema.Struct({
  /** The alert by the name that it had. */
  name: Schema.String,
  /** The record, or the key of the event, that it is about. */
  subject: Schema.String,
  /** Counts what the alert told of it. */
  ordinal: Schema.Int,
  title: Schema.String
})
export const encodeTold = Schema.encodeSync(Told)

const fired = eventType({
  type: "alert.fired",
  subject: "enrichment",
  summary: "An alert matches something that it did not match before.",
  outbound: true,
  data: Told
})
const amended = eventType({
  type: "alert.amended",
  subject: "enrichment",
  summary: "What an alert had told is something else by now, such as another amount.",
  outbound: true,
  data: Told
})
const retracted = eventType({
  type: "alert.retracted",
  subject: "enrichment",
  summary: "What an alert had told does not hold any more, or is gone.",
  outbound: true,
  data: Told
})

export const alertEventTypes = [fired, amended, retracted] as const
export type AlertEventName = "alert.fired" | "alert.amended" | "alert.retracted"
