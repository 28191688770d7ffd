/** The state of an enrichment, as its callers see it (enrichments A1 and A11). */
import * as Schema from "effect/Schema"
import type { Feed } from "../feed/Feed.ts"
import { limits } from "../shared/Limits.ts"
import { Timestamp } from "../shared/Timestamp.ts"
import type { Enrichment } from "./Enrichment.ts"
import type { EnrichmentRun } from "./EnrichmentRun.ts"

export const EnrichmentStatus = Schema.Struct({
  state: Schema.Literals(["active", "dormant", "rebuilding", "degraded"]).annotate({
    description:
      "dormant: switched off, or there is no feed that it applies to. degraded: it fails often; nothing is switched off, and a run without faults ends it. rebuilding: it was changed, and rows that were made before wait for the next run of their feed."
  }),
  since: Timestamp,
  openFaults: Schema.Int.annotate({ description: "Faults of the last run, of all its feeds together." }),
  lastFaults: Schema.Array(Schema.String).annotate({ description: "The last of them, each once." })
})
export type EnrichmentStatus = typeof EnrichmentStatus.Type

/** `runs`: those of the enrichment. `feeds`: all of its workspace; runs of others, and of those that are gone, count for nothing. */
export const statusOf = (
  enrichment: Enrichment,
  runs: ReadonlyArray<EnrichmentRun>,
  feeds: ReadonlyArray<Pick<Feed, "dataType" | "id" | "workspaceId">>
): EnrichmentStatus => {
  const { allFeeds, createdAt, dataType, enabled, feedIds, revision, updatedAt, workspaceId } = enrichment
  const scope = new Set(
    feeds
      .filter(
        (feed) =>
          feed.workspaceId === workspaceId && feed.dataType === dataType && (allFeeds || feedIds.includes(feed.id))
      )
      .map(({ id }) => id)
  )
  const own = runs.filter(({ enrichmentId, feedId }) => enrichmentId === enrichment.id && scope.has(feedId))
  const openFaults = own.reduce((sum, { faults }) => sum + faults, 0)
  const lastFaults = [...new Set(own.flatMap(({ messages }) => messages))].slice(0, limits.keptFaults)
  if (!enabled || scope.size === 0) return { state: "dormant", since: updatedAt, openFaults: 0, lastFaults: [] }
  const degraded = own.filter(({ isDegraded }) => isDegraded).map(({ since }) => since)
  if (degraded.length > 0) return { state: "degraded", since: degraded.toSorted()[0]!, openFaults, lastFaults }
  if (own.some((run) => run.revision !== revision)) {
    return { state: "rebuilding", since: updatedAt, openFaults, lastFaults }
  }
  const since = own
    .map((run) => run.since)
    .toSorted()
    .at(-1)
  return { state: "active", since: since ?? createdAt, openFaults, lastFaults }
}
