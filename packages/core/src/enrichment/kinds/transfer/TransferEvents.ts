/** What is reported about transfers (enrichments B3, C8). */
import * as Schema from "effect/Schema"
import { eventTypes } from "../../../event/EventType.ts"

const Pair = Schema.Struct({
  linkId: Schema.String,
  outRecordId: Schema.String,
  inRecordId: Schema.String,
  kind: Schema.String
})

const about = { subject: "enrichment", outbound: false } as const

export const transferEvents = {
  ...eventTypes(
    { ...about, data: Pair },
    {
      "transfer.linked": "Two records were found to be one transfer between own accounts.",
      "transfer.suggested": "Two records may be one transfer: a person is asked."
    }
  ),
  ...eventTypes(
    {
      ...about,
      data: Schema.Struct({ linkId: Schema.String, outRecordId: Schema.String, inRecordId: Schema.String })
    },
    { "transfer.unlinked": "Two records that were one transfer are not any more." }
  ),
  ...eventTypes(
    {
      ...about,
      data: Schema.Struct({ recordId: Schema.String, accountId: Schema.String, date: Schema.String })
    },
    { "transfer.unmatched": "A record says that it is a transfer, and its other side has not come." }
  )
}
