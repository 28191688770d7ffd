/** Enrichments: rules that run during syncs (enrichments A1). */
import * as Schema from "effect/Schema"
import { ActorRef } from "../access/ActorRef.ts"
import { DataType } from "../record/DataType.ts"
import { Id } from "../shared/Ids.ts"
import { Name } from "../shared/Name.ts"
import { Timestamp } from "../shared/Timestamp.ts"
import { EnrichmentType } from "./kinds/EnrichmentType.ts"

export type EnrichmentId = Id<"enrichment">

/** The last place that an enrichment can have. */
export const largestOrder = 1_000_000

/** Its place among those of its stage. */
export const Order = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: largestOrder }))

/**
 * `config` is the block of the type in its encoded form; the kind's own schema decodes it. So a stored
 * enrichment of a kind that this build does not know can still be listed.
 */
export const Enrichment = Schema.Struct({
  id: Id("enrichment"),
  workspaceId: Id("workspace"),
  name: Name,
  emoji: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(16))),
  type: EnrichmentType,
  enabled: Schema.Boolean,
  order: Order,
  dataType: DataType,
  feedIds: Schema.Array(Id("feed")),
  allFeeds: Schema.Boolean,
  config: Schema.Json,
  createdBy: Schema.String,
  /** Absent of those that are older than it. */
  createdByActor: Schema.optionalKey(ActorRef),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  version: Schema.Int,
  /** What its kind remembers of configurations that were replaced, the oldest first. */
  past: Schema.optionalKey(Schema.Array(Schema.Struct({ until: Timestamp, remembered: Schema.Json }))),
  /** Counts changes of enabled, order, scope and config; a rename does not count. */
  revision: Schema.Int
})
export type Enrichment = typeof Enrichment.Type
