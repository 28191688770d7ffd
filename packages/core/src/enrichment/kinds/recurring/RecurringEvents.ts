/** What is reported about series (enrichments B3, D3.6). */
import * as Schema from "effect/Schema"
import { eventType } from "../../../event/EventType.ts"
import { CalendarDate } from "../../../shared/CalendarDate.ts"
import { Currency } from "../../../shared/Currency.ts"
import { DecimalText } from "../../../shared/Decimal.ts"
import { CadenceName } from "./Cadence.ts"

const series = {
  seriesId: Schema.String,
  /** As people named it, else the words of the merchant. */
  name: Schema.String,
  cadence: CadenceName,
  direction: Schema.Literals(["out", "in"]),
  currency: Currency,
  /** Of its last payment, signed. */
  amount: DecimalText,
  lastDate: CalendarDate
}
const payment = { ...series, recordId: Schema.String, date: CalendarDate }

export const recurringDetected = eventType({
  type: "recurring.detected",
  subject: "series",
  summary: "Payments were found that recur.",
  outbound: true,
  data: Schema.Struct({ ...series, expectedDate: CalendarDate })
})

export const recurringArrived = eventType({
  type: "recurring.arrived",
  subject: "series",
  summary: "A payment of a series has come; `deltaDays` after it was expected.",
  outbound: true,
  data: Schema.Struct({ ...payment, deltaDays: Schema.Int, pending: Schema.Boolean })
})

export const recurringPriceChanged = eventType({
  type: "recurring.price_changed",
  subject: "series",
  summary: "A payment of a series costs something else; it is `provisional` until a second one costs the same.",
  outbound: true,
  data: Schema.Struct({
    ...payment,
    before: DecimalText,
    after: DecimalText,
    percent: DecimalText,
    provisional: Schema.Boolean
  })
})

export const recurringLate = eventType({
  type: "recurring.late",
  subject: "series",
  summary: "A payment of a series was expected and has not come.",
  outbound: true,
  data: Schema.Struct({ ...series, expectedDate: CalendarDate })
})

export const recurringEnded = eventType({
  type: "recurring.ended",
  subject: "series",
  summary: "A series is over: nothing of it has come for long, or a person said so.",
  outbound: true,
  data: Schema.Struct(series)
})

export const recurringResumed = eventType({
  type: "recurring.resumed",
  subject: "series",
  summary: "A payment of a series has come after the series was over.",
  outbound: true,
  data: Schema.Struct(payment)
})

export const recurringEventTypes = [
  recurringDetected,
  recurringArrived,
  recurringPriceChanged,
  recurringLate,
  recurringEnded,
  recurringResumed
] as const
