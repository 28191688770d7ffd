/** Feeds (decisions 4.3, 5.4 and 7). */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { ActorRef } from "@millrace/core/access"
import { Feed, FeedSource, FeedState } from "@millrace/core/feed"
import { schemaModes } from "@millrace/core/kernel"
import { DataType, fieldTypes } from "@millrace/core/record"
import { CalendarDate, Id, limits, Name, Timestamp } from "@millrace/core"
import { always, ofBody, ofKey, ofPath, NotAvailable, Stale, StateConflict, Unprocessable } from "./ApiError.ts"
import { Done, Many, One, OneWith } from "./Envelope.ts"
import { family, familyScope } from "../wire/Family.ts"

export const FeedStateRecord = Schema.Struct({
  status: FeedState.fields.status,
  reason: Schema.NullOr(FeedState.fields.reason.schema),
  activeJobId: Schema.NullOr(Id("job")),
  lastJobId: Schema.NullOr(Id("job")),
  lastSuccessAt: Schema.NullOr(Timestamp.Timestamp),
  nextRunAt: Schema.NullOr(Timestamp.Timestamp),
  consecutiveFailures: Schema.Int,
  dataThrough: Schema.NullOr(CalendarDate.CalendarDate),
  warnings: Schema.Array(Schema.String)
}).annotate({ identifier: "FeedState" })

export const FeedRecord = Schema.Struct({
  id: Id("feed"),
  name: Schema.String,
  icon: Schema.optionalKey(Schema.String),
  source: FeedSource,
  dataType: DataType,
  sourceConfig: Feed.fields.sourceConfig,
  destinationConfig: Feed.fields.destinationConfig,
  fieldMappings: Feed.fields.fieldMappings,
  dataTypeOptions: Feed.fields.dataTypeOptions,
  extractionConfig: Feed.fields.extractionConfig,
  schedule: Feed.fields.schedule,
  state: FeedStateRecord,
  order: Schema.Int,
  createdBy: ActorRef,
  version: Schema.Int,
  createdAt: Timestamp.Timestamp,
  updatedAt: Timestamp.Timestamp,
  ...family
}).annotate({ identifier: "Feed" })

export const OptionalText = Schema.optionalKey(
  Schema.NullOr(Schema.String.check(Schema.isMaxLength(limits.textLength)))
)

const Order = Schema.optionalKey(
  Schema.Int.check(Schema.isBetween({ minimum: -limits.largestInteger, maximum: limits.largestInteger }))
)

/** Blocks are judged by the kernel as a whole: every fault inside them is 422 (decisions 3.1). */
const blocks = {
  sourceConfig: Schema.optionalKey(Schema.Unknown),
  destinationConfig: Schema.optionalKey(Schema.Unknown),
  fieldMappings: Schema.optionalKey(Schema.Unknown),
  dataTypeOptions: Schema.optionalKey(Schema.Unknown),
  extractionConfig: Schema.optionalKey(Schema.Unknown),
  schedule: Schema.optionalKey(Schema.Unknown)
}

export const CreateFeed = Schema.Struct({
  name: Name,
  icon: OptionalText,
  order: Order,
  source: FeedSource,
  dataType: DataType,
  ...blocks
}).annotate({ identifier: "CreateFeed" })

export const UpdateFeed = Schema.Struct({
  name: Schema.optionalKey(Name),
  icon: OptionalText,
  order: Order,
  source: Schema.optionalKey(FeedSource),
  dataType: Schema.optionalKey(DataType),
  ...blocks
}).annotate({ identifier: "UpdateFeed" })

/** A source field of a data type. */
const SourceFieldRecord = Schema.Struct({
  key: Schema.String,
  name: Schema.String,
  type: Schema.Literals(fieldTypes),
  description: Schema.String,
  required: Schema.Boolean,
  /** One value for each item that the document lists. */
  item: Schema.Boolean,
  example: Schema.optionalKey(Schema.Unknown)
}).annotate({ identifier: "SourceField" })

const DataTypeSchemaRecord = Schema.Struct({
  dataType: DataType,
  label: Schema.String,
  sources: Schema.Array(FeedSource),
  keyField: Schema.String,
  fields: Schema.Array(SourceFieldRecord),
  defaultMappings: Feed.fields.fieldMappings,
  options: Schema.Record(Schema.String, Schema.Unknown),
  modes: Schema.Array(Schema.Literals(schemaModes))
}).annotate({ identifier: "DataTypeSchema" })

const Warned = OneWith(FeedRecord, Schema.Struct({ warnings: Schema.Array(Schema.String) }))
const byId = { feed_id: Schema.String }

/** A condition on the version of the record, `"3"`. */
export const ifMatch = { "if-match": Schema.optionalKey(Schema.String) }
export const ifNoneMatch = { "if-none-match": Schema.optionalKey(Schema.String) }

export const FeedApi = HttpApiGroup.make("feeds", { topLevel: true }).add(
  HttpApiEndpoint.get("listFeeds", "/v1/feeds", {
    query: {
      dataType: Schema.optionalKey(DataType),
      source: Schema.optionalKey(FeedSource),
      scope: familyScope
    },
    success: Many(FeedRecord),
    error: always
  }),
  HttpApiEndpoint.post("createFeed", "/v1/feeds", {
    payload: CreateFeed,
    success: Warned.pipe(HttpApiSchema.status(201)),
    error: [...always, ...ofBody, NotAvailable, ...ofKey]
  }),
  HttpApiEndpoint.get("getFeed", "/v1/feeds/:feed_id", {
    params: byId,
    headers: ifNoneMatch,
    success: One(FeedRecord),
    error: ofPath
  }),
  HttpApiEndpoint.put("updateFeed", "/v1/feeds/:feed_id", {
    params: byId,
    headers: ifMatch,
    payload: UpdateFeed,
    success: Warned,
    error: [...ofPath, ...ofBody, StateConflict, Stale, Unprocessable, NotAvailable]
  }),
  HttpApiEndpoint.post("triggerLearn", "/v1/feeds/:feed_id/learn", {
    params: byId,
    success: One(Schema.Struct({ triggered: Schema.Literal(true) })),
    error: ofPath
  }),
  HttpApiEndpoint.get("getDataTypeSchema", "/v1/feeds/data-types/:data_type", {
    params: { data_type: Schema.String },
    success: One(DataTypeSchemaRecord),
    error: ofPath
  }),
  HttpApiEndpoint.delete("deleteFeed", "/v1/feeds/:feed_id", {
    params: byId,
    headers: ifMatch,
    success: Done,
    error: [...ofPath, Stale]
  })
)
