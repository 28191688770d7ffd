/** What is told of transfers (enrichments B3, C8). */
import * as Schema from "effect/Schema"
import { eventType } from "../../../event/EventType.ts"

const Pair = Schema.Struct({
  linkId: Schema.String,
  outRecordId: Schema.String,
  inRecordId: Schema.String,
  kind: Schema.String
})

const told = { subject: "enrichment", outbound: false } as const

const transferLinked = eventType({
  ...told,
  type: "transfer.linked",
  summary: "Two records were found to be one transfer between accounts of one's own.",
  data: Pair
})

const transferSuggested = eventType({
  ...told,
  type: "transfer.suggested",
  summary: "Two records may be one transfer: a person is asked.",
  data: Pair
})

const transferUnlinked = eventType({
  ...told,
  type: "transfer.unlinked",
  summary: "Two records that were one transfer are not any more.",
  data: Schema.Struct({ linkId: Schema.String, outRecordId: Schema.String, inRecordId: Schema.String })
})

const transferUnmatched = eventType({
  ...told,
  type: "transfer.unmatched",
  summary: "A record says that it is a transfer, and its other side has not come.",
  data: Schema.Struct({ recordId: Schema.String, accountId: Schema.String, date: Schema.String })
})

export const transferEventTypes = [transferLinked, transferSuggested, transferUnlinked, transferUnmatched] as const
