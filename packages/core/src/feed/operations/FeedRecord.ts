import * as Schema from "effect/Schema"
import { ActorRef } from "../../access/ActorRef.ts"
import { family } from "../../operation/Family.ts"
import { DataType } from "../../record/DataType.ts"
import * as CalendarDate from "../../shared/CalendarDate.ts"
import { Id } from "../../shared/Ids.ts"
import { limits } from "../../shared/Limits.ts"
import * as Timestamp from "../../shared/Timestamp.ts"
import type { FeedView } from "../../usecase/FeedViews.ts"
import { Feed, FeedState } from "../Feed.ts"
import { FeedSource } from "../FeedConfig.ts"

const FeedStateRecord = Schema.Struct({
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

export const Order = Schema.optionalKey(
  Schema.Int.check(Schema.isBetween({ minimum: -limits.largestInteger, maximum: limits.largestInteger }))
)

/** Blocks are judged by the kernel as a whole: every fault inside them is 422 (decisions 3.1). */
export const blocks = {
  sourceConfig: Schema.optionalKey(Schema.Unknown),
  destinationConfig: Schema.optionalKey(Schema.Unknown),
  fieldMappings: Schema.optionalKey(Schema.Unknown),
  dataTypeOptions: Schema.optionalKey(Schema.Unknown),
  extractionConfig: Schema.optionalKey(Schema.Unknown),
  schedule: Schema.optionalKey(Schema.Unknown)
}

const stateToWire = (state: FeedState) => ({
  status: state.status,
  reason: state.reason ?? null,
  activeJobId: state.activeJobId ?? null,
  lastJobId: state.lastJobId ?? null,
  lastSuccessAt: state.lastSuccessAt ?? null,
  nextRunAt: state.nextRunAt ?? null,
  consecutiveFailures: state.consecutiveFailures,
  dataThrough: state.dataThrough ?? null,
  warnings: state.warnings
})

/** A feed as it is sent. Names every field, so that nothing internal can slip through. */
export const feedToWire = ({ feed, state }: FeedView) => ({
  id: feed.id,
  workspaceId: feed.workspaceId,
  name: feed.name,
  ...(feed.icon === undefined ? {} : { icon: feed.icon }),
  source: feed.source,
  dataType: feed.dataType,
  ...(feed.sourceConfig === undefined ? {} : { sourceConfig: feed.sourceConfig }),
  ...(feed.destinationConfig === undefined ? {} : { destinationConfig: feed.destinationConfig }),
  fieldMappings: feed.fieldMappings,
  dataTypeOptions: feed.dataTypeOptions,
  ...(feed.extractionConfig === undefined ? {} : { extractionConfig: feed.extractionConfig }),
  ...(feed.schedule === undefined ? {} : { schedule: feed.schedule }),
  state: stateToWire(state),
  order: feed.order,
  createdBy: feed.createdBy,
  version: feed.version,
  createdAt: feed.createdAt,
  updatedAt: feed.updatedAt
})

export const warned = (view: FeedView) => ({ data: feedToWire(view), meta: { warnings: view.warnings } })
