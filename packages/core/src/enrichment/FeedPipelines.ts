/** The enrichments of a feed, compiled. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { declaredFields } from "../feed/Extraction.ts"
import type { Feed } from "../feed/Feed.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { Enrichment } from "./Enrichment.ts"
import { EnrichmentStore } from "./EnrichmentStore.ts"
import { Kinds } from "./Kinds.ts"
import * as Pipeline from "./Pipeline.ts"
import { open } from "./PipelineOpening.ts"
import { PlanningTurns } from "./PlanningTurns.ts"

/** Characters of a configuration from which compiling it may keep others waiting. */
const largeConfig = 20_000

/** Compiled enrichments that are kept for the next time: some of them look into lists of thousands. */
const mostPipelines = 32

/** Others have their turn after each enrichment that has much to compile. */
const compiled = Effect.fnUntraced(function* (...given: Parameters<typeof Pipeline.compiling>) {
  const steps = Pipeline.compiling(...given)
  const isLarge = given[0].some(({ config }) => JSON.stringify(config).length > largeConfig)
  for (;;) {
    const next = steps.next()
    if (next.done === true) return next.value
    if (isLarge) yield* (yield* PlanningTurns)(0)
  }
})

type Scope = Pick<Feed, "id" | "workspaceId" | "dataType" | "extractionConfig">

/** Whether the enrichment looks at the records of the feed. */
export const covers = (one: Enrichment, feed: Pick<Feed, "id" | "dataType">): boolean =>
  one.enabled && one.dataType === feed.dataType && (one.allFeeds || one.feedIds.includes(feed.id))

export class FeedPipelines extends Context.Service<
  FeedPipelines,
  {
    /** What is switched on for the feed now, with what its enrichments read from elsewhere. */
    readonly of: (feed: Scope) => Effect.Effect<Pipeline.CompiledPipeline, StorageUnavailable>
    /** The same, of enrichments of the workspace that are known. */
    readonly among: (enrichments: ReadonlyArray<Enrichment>, feed: Scope) => Effect.Effect<Pipeline.CompiledPipeline>
  }
>()("@millrace/core/enrichment/FeedPipelines") {
  static readonly layer: Layer.Layer<FeedPipelines, never, EnrichmentStore | Kinds> = Layer.effect(
    FeedPipelines,
    Effect.gen(function* () {
      const enrichments = yield* EnrichmentStore
      const kinds = yield* Kinds
      /** By what they are made of, the one that was asked for last at the end. */
      const pipelines = new Map<string, Pipeline.CompiledPipeline>()

      const among: FeedPipelines["Service"]["among"] = Effect.fnUntraced(function* (all, feed) {
        const own = all.filter((one) => covers(one, feed))
        const declared = declaredFields(feed.extractionConfig)
        const types = declared === undefined ? [] : Object.entries(declared).map(([name, { type }]) => [name, type])
        const key = `${feed.dataType} ${JSON.stringify(types)} ${Pipeline.signatureOf(own)}`
        const pipeline = pipelines.get(key) ?? (yield* compiled(own, feed.dataType, kinds, declared))
        pipelines.delete(key)
        pipelines.set(key, pipeline)
        if (pipelines.size > mostPipelines) pipelines.delete(pipelines.keys().next().value!)
        return yield* open(pipeline, { workspaceId: feed.workspaceId, dataType: feed.dataType })
      })

      return FeedPipelines.of({
        among,
        of: Effect.fnUntraced(function* (feed) {
          return yield* among(yield* enrichments.list([feed.workspaceId]), feed)
        })
      })
    })
  )
}
