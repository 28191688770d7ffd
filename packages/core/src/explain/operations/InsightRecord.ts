import * as Schema from "effect/Schema"
import * as CalendarDate from "../../shared/CalendarDate.ts"
import type { RecurringSeries } from "../EnrichmentInsights.ts"

export const Date = CalendarDate.CalendarDate

const DayText = Schema.String.annotate({ description: "YYYY-MM-DD" })

export const SeriesRecord = Schema.Struct({
  id: Schema.String,
  name: Schema.NullOr(Schema.String).annotate({ description: "As a person named it." }),
  merchant: Schema.String,
  direction: Schema.Literals(["out", "in"]),
  cadence: Schema.String,
  schedule: Schema.String.annotate({
    description: "How its days follow: cadence, anchor and shift to business days, such as monthly/12/none."
  }),
  state: Schema.Literals(["early", "mature", "late", "ended"]),
  first: DayText,
  last: DayText,
  expected: DayText.annotate({ description: "When the next payment is expected: YYYY-MM-DD." }),
  recordIds: Schema.Array(Schema.String).annotate({ description: "Its payments, by day." })
}).annotate({ identifier: "RecurringSeries" })

/** Without where it was found: nobody outside has a use for it. */
export const seriesToWire = ({ partition: _partition, ...series }: RecurringSeries) => series
