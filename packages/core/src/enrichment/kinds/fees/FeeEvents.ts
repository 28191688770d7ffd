/** What is reported about fees (enrichments B3, C9). */
import * as Schema from "effect/Schema"
import { eventType } from "../../../event/EventType.ts"

const fee = {
  recordId: Schema.String,
  kind: Schema.String,
  amount: Schema.String,
  currency: Schema.String
}

export const feeDetected = eventType({
  type: "fee.detected",
  subject: "enrichment",
  summary: "A record was found to be a fee of a bank or broker.",
  data: Schema.Struct(fee)
})

export const feeRefunded = eventType({
  type: "fee.refunded",
  subject: "enrichment",
  summary: "A fee was given back.",
  data: Schema.Struct({ ...fee, refundRecordId: Schema.String })
})

export const feeEventTypes = [feeDetected, feeRefunded] as const
