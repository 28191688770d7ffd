/** How many enrichments look at one feed (enrichments A11). */
import type { FeedId } from "../feed/Feed.ts"
import { limits } from "../shared/Limits.ts"
import type { Enrichment } from "./Enrichment.ts"

type Scoped = Pick<Enrichment, "allFeeds" | "dataType" | "enabled" | "feedIds">

/**
 * The field of a scope that gives a feed one enrichment too many; `undefined` where there is room. Those for all feeds count
 * for feeds that will be made, too.
 */
export const crowdedFeed = ({
  allFeeds,
  dataType,
  feedIds,
  feeds,
  others
}: Scoped & {
  /** All of the workspace besides it. */
  readonly others: ReadonlyArray<Scoped>
  /** All of the workspace and data type. */
  readonly feeds: ReadonlyArray<FeedId>
}): string | undefined => {
  const working = others.filter((one) => one.enabled && one.dataType === dataType)
  const everywhere = working.filter((one) => one.allFeeds).length
  const named = new Map<FeedId, number>()
  for (const one of working) {
    if (one.allFeeds) continue
    for (const id of new Set(one.feedIds)) named.set(id, (named.get(id) ?? 0) + 1)
  }
  const isFull = (id: FeedId) => everywhere + (named.get(id) ?? 0) >= limits.enrichmentsPerFeed
  if (allFeeds) return everywhere >= limits.enrichmentsPerFeed || feeds.some(isFull) ? "allFeeds" : undefined
  const at = feedIds.findIndex(isFull)
  return at < 0 ? undefined : `feedIds[${at}]`
}
