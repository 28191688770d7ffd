import * as Schema from "effect/Schema"
import { Id } from "../../shared/Ids.ts"
import * as Timestamp from "../../shared/Timestamp.ts"
import { Delivery, deliveryStates } from "../Delivery.ts"

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
