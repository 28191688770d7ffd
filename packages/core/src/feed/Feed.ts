/** Feeds: data of one type from a source to a destination (specification 1, decisions 4.3 and 7). */
import * as Schema from "effect/Schema"
import { ActorRef } from "../access/ActorRef.ts"
import { Recovery } from "../failure/Recovery.ts"
import { DataType } from "../record/DataType.ts"
import { CalendarDate } from "../shared/CalendarDate.ts"
import { Id } from "../shared/Ids.ts"
import { Timestamp } from "../shared/Timestamp.ts"
import { ExtractionConfig } from "./Extraction.ts"
import { DataTypeOptions, DestinationConfig, FeedSource, FieldMappings, Schedule, SourceConfig } from "./FeedConfig.ts"

export type FeedId = Id<"feed">

/** What is stored of a feed. */
export const Feed = Schema.Struct({
  id: Id("feed"),
  workspaceId: Id("workspace"),
  name: Schema.String,
  icon: Schema.optionalKey(Schema.String),
  source: FeedSource,
  dataType: DataType,
  sourceConfig: Schema.optionalKey(SourceConfig),
  destinationConfig: Schema.optionalKey(DestinationConfig),
  fieldMappings: FieldMappings,
  /** Whether `fieldMappings` are the defaults of the data type: then missing columns may be created. */
  mappingsDefaulted: Schema.Boolean,
  dataTypeOptions: DataTypeOptions,
  /** Feeds of documents: what is read out of them, and whether each item is a row. */
  extractionConfig: Schema.optionalKey(ExtractionConfig),
  schedule: Schema.optionalKey(Schedule),
  /** Upload feeds of statements: the bank that is made for their files. */
  fileBankId: Schema.optionalKey(Id("bank")),
  order: Schema.Int,
  createdBy: ActorRef,
  /** The person behind `createdBy`: owner of scheduled jobs. */
  createdByUser: Schema.String,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  version: Schema.Int,
  /** When the schedule is due next; absent when there is none. */
  nextRunAt: Schema.optionalKey(Timestamp)
})
export type Feed = typeof Feed.Type

/** Whether a feed is to run when something comes in for it: what has a schedule waits for that. */
export const runsOnArrival = ({ destinationConfig, schedule, sourceConfig }: Feed): boolean =>
  schedule?.enabled !== true && sourceConfig !== undefined && destinationConfig !== undefined

const feedStatuses = ["incomplete", "ready", "running", "waiting", "failing", "blocked"] as const

/** How a feed is doing, derived from its jobs; never stored. */
export const FeedState = Schema.Struct({
  status: Schema.Literals(feedStatuses),
  reason: Schema.optionalKey(
    Schema.Struct({ code: Schema.String, message: Schema.String, recovery: Schema.optionalKey(Recovery) })
  ),
  activeJobId: Schema.optionalKey(Id("job")),
  lastJobId: Schema.optionalKey(Id("job")),
  lastSuccessAt: Schema.optionalKey(Timestamp),
  nextRunAt: Schema.optionalKey(Timestamp),
  consecutiveFailures: Schema.Int,
  dataThrough: Schema.optionalKey(CalendarDate),
  warnings: Schema.Array(Schema.String)
})
export type FeedState = typeof FeedState.Type
