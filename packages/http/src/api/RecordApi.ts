/** What became of the records of a feed at its destination (decisions 4.3, 5.4 and 6.5). */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { Delivery, deliveryStates } from "@millrace/core/destination"
import { reopenableStates } from "@millrace/core/storage"
import { feedRecordStates as recordStates } from "@millrace/core/kernel"
import { Id, limits, Timestamp } from "@millrace/core"
import { ofBody, ofKey, ofPath } from "./ApiError.ts"
import { Many, One } from "./Envelope.ts"
import { paging, Text } from "./Parameters.ts"

export const DeliveredRecord = Schema.Struct({
  recordId: Schema.String,
  version: Schema.Int,
  op: Delivery.fields.op,
  state: Schema.Literals(deliveryStates),
  /** Refused for good: sent again only when it changes or somebody asks for it. */
  dead: Schema.Boolean,
  jobId: Id("job"),
  destinationRef: Schema.NullOr(Schema.String),
  /** Destination field -> value, as delivered. */
  values: Schema.Record(Schema.String, Schema.Unknown),
  attempts: Schema.Int,
  lastError: Schema.NullOr(Schema.String),
  updatedAt: Timestamp.Timestamp
}).annotate({ identifier: "FeedRecord" })

export const RedeliverBody = Schema.Struct({
  recordIds: Schema.optionalKey(
    Schema.Array(Text.check(Schema.isMaxLength(limits.mappingKeyLength))).check(
      Schema.isMinLength(1),
      Schema.isMaxLength(limits.redeliverIds)
    )
  ),
  state: Schema.optionalKey(Schema.Literals(reopenableStates))
}).annotate({ identifier: "RedeliverBody" })

export const Redelivery = Schema.Struct({
  /** Records that are sent again. */
  records: Schema.Int,
  /** There are more of them than one call takes up. */
  hasMore: Schema.Boolean,
  /** The job that was started for it; null when another one takes them. */
  jobId: Schema.NullOr(Id("job"))
}).annotate({ identifier: "Redelivery" })

const path = "/v1/feeds/:feed_id/records"
const params = { feed_id: Schema.String }

export const RecordApi = HttpApiGroup.make("records", { topLevel: true }).add(
  HttpApiEndpoint.get("listFeedRecords", path, {
    params,
    query: {
      jobId: Schema.optionalKey(Text),
      state: Schema.optionalKey(Schema.Literals(recordStates)),
      recordId: Schema.optionalKey(Text),
      ...paging
    },
    success: Many(DeliveredRecord),
    error: ofPath
  }),
  HttpApiEndpoint.post("redeliverFeedRecords", `${path}/redeliver`, {
    params,
    payload: RedeliverBody,
    success: One(Redelivery).pipe(HttpApiSchema.status(202)),
    error: [...ofPath, ...ofBody, ...ofKey]
  })
)
