import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { audits, operation } from "../../operation/Definition.ts"
import { exampleIds } from "../../operation/Examples.ts"
import { Text } from "../../operation/Parameters.ts"
import { record } from "../../operation/Success.ts"
import { Id } from "../../shared/Ids.ts"
import { limits } from "../../shared/Limits.ts"
import { reopenableStates } from "../DeliveryStore.ts"
import { FeedRecords } from "../FeedRecords.ts"

const RedeliverBody = Schema.Struct({
  recordIds: Schema.optionalKey(
    Schema.Array(Text.check(Schema.isMaxLength(limits.mappingKeyLength))).check(
      Schema.isMinLength(1),
      Schema.isMaxLength(limits.redeliverIds)
    )
  ),
  state: Schema.optionalKey(Schema.Literals(reopenableStates))
}).annotate({ identifier: "RedeliverBody" })

const Redelivery = Schema.Struct({
  /** Records that are sent again. */
  records: Schema.Int,
  /** There are more of them than one call takes up. */
  hasMore: Schema.Boolean,
  /** The job that was started for it; null when another one takes them. */
  jobId: Schema.NullOr(Id("job"))
}).annotate({ identifier: "Redelivery" })

export const redeliverFeedRecords = operation({
  noun: "records",
  id: "redeliverFeedRecords",
  post: "/v1/feeds/:feed_id/records/redeliver",
  summary: "Send records of a feed again",
  description: "Sends records again that failed or were given up, by id or by state, and starts a sync for it.",
  access: { anyOf: ["jobs:write"], role: "editor", app: "own" },
  repeats: "key",
  command: "feeds redeliver",
  tool: { absent: "A person decides what a destination gets twice." },
  body: RedeliverBody,
  success: record(Redelivery, { status: 202 }),
  example: { body: { state: "failed" }, data: { records: 3, hasMore: false, jobId: exampleIds.job } },
  audits: audits(FeedRecords, "redeliver"),
  run: ({ caller, ids, body }) =>
    FeedRecords.use((records) =>
      Effect.map(records.redeliver(caller, ids.feed, body), ({ hasMore, jobId, records: count }) => ({
        records: count,
        hasMore,
        jobId: jobId ?? null
      }))
    )
})
