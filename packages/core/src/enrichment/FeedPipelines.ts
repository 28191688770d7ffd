/** The enrichments of a feed, compiled. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { declaredFields } from "../feed/Extraction.ts"
import type { Feed } from "../feed/Feed.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { EnrichmentStore } from "./EnrichmentStore.ts"
import { Kinds } from "./Kinds.ts"
import * as Pipeline from "./Pipeline.ts"

/** Compiled enrichments that are kept for the next time: some of them look into lists of thousands. */
const mostPipelines = 32

export class FeedPipelines extends Context.Service<
  FeedPipelines,
  {
    /** What is switched on for the feed now. */
    readonly of: (feed: Feed) => Effect.Effect<Pipeline.CompiledPipeline, StorageUnavailable>
  }
>()("@millrace/core/enrichment/FeedPipelines") {
  static readonly layer: Layer.Layer<FeedPipelines, never, EnrichmentStore | Kinds> = Layer.effect(
    FeedPipelines,
    Effect.gen(function* () {
      const enrichments = yield* EnrichmentStore
      const kinds = yield* Kinds
      /** By what they are made of, the one that was asked for last at the end. */
      const pipelines = new Map<string, Pipeline.CompiledPipeline>()

      return FeedPipelines.of({
        of: Effect.fnUntraced(function* (feed) {
          const all = (yield* enrichments.list([feed.workspaceId])).filter(
            (one) => one.enabled && one.dataType === feed.dataType && (one.allFeeds || one.feedIds.includes(feed.id))
          )
          const declared = declaredFields(feed.extractionConfig)
          const types = declared === undefined ? [] : Object.entries(declared).map(([name, { type }]) => [name, type])
          const key = `${feed.dataType} ${JSON.stringify(types)} ${Pipeline.signatureOf(all)}`
          const pipeline = pipelines.get(key) ?? Pipeline.compile(all, feed.dataType, kinds, declared)
          pipelines.delete(key)
          pipelines.set(key, pipeline)
          if (pipelines.size > mostPipelines) pipelines.delete(pipelines.keys().next().value!)
          return pipeline
        })
      })
    })
  )
}
