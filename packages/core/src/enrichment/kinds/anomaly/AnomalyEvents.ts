/** What is reported about unusual records (enrichments B3, C11). */
import * as Schema from "effect/Schema"
import { eventType } from "../../../event/EventType.ts"
import { CalendarDate } from "../../../shared/CalendarDate.ts"
import { Detector } from "./AnomalyConfig.ts"
import { severities } from "./Score.ts"

export const anomalyFlagged = eventType({
  type: "anomaly.flagged",
  subject: "record",
  summary: "Something about a record is unusual.",
  outbound: true,
  data: Schema.Struct({
    recordId: Schema.String,
    date: CalendarDate,
    kinds: Schema.Array(Detector),
    severity: Schema.Literals(severities),
    score: Schema.Finite,
    /** One sentence for people. */
    why: Schema.String
  })
})

export const anomalyCleared = eventType({
  type: "anomaly.cleared",
  subject: "record",
  summary: "What was unusual about a record is not any more: it settled otherwise, or a person said so.",
  outbound: true,
  data: Schema.Struct({ recordId: Schema.String, kinds: Schema.Array(Detector) })
})

export const anomalyEventTypes = [anomalyFlagged, anomalyCleared] as const
