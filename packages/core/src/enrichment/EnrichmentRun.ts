/** How the last run of a feed went for one enrichment (enrichments A11). */
import * as Schema from "effect/Schema"
import type { FeedId } from "../feed/Feed.ts"
import { Id } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import { Timestamp } from "../shared/Timestamp.ts"

/** Kept per enrichment and feed: runs of one feed come one after the other, so no two write it at a time. */
export const EnrichmentRun = Schema.Struct({
  /** Follows from the enrichment and the feed. */
  id: Schema.String.check(Schema.isPattern(/^enr_[0-9a-z]{26}\.feed_[0-9a-z]{26}$/)),
  workspaceId: Id("workspace"),
  enrichmentId: Id("enrichment"),
  feedId: Id("feed"),
  /** The run that it was written by: one that is taken up again counts once. */
  jobId: Id("job"),
  /** What the rows of the feed were made under. */
  revision: Schema.Int,
  /** Faults of the last run that looked at something, and how many such runs failed one after the other. */
  faults: Schema.Int,
  failedRuns: Schema.Int,
  /** The last ones, each once. */
  messages: Schema.Array(Schema.String),
  isDegraded: Schema.Boolean,
  /** Since when it is degraded, or is not. */
  since: Timestamp,
  /** The version of the enrichment that does much work at the moment, or did when its process died. */
  mark: Schema.optionalKey(Schema.Int),
  /** How often processes died while that version worked, since a run last ended. */
  deaths: Schema.optionalKey(Schema.Struct({ count: Schema.Int, version: Schema.Int }))
})
export type EnrichmentRun = typeof EnrichmentRun.Type

export const runIdOf = (enrichmentId: Id<"enrichment">, feedId: FeedId): string => `${enrichmentId}.${feedId}`

/** What a run has to say of one enrichment. */
export interface RunOutcome {
  readonly workspaceId: EnrichmentRun["workspaceId"]
  readonly enrichmentId: EnrichmentRun["enrichmentId"]
  readonly feedId: FeedId
  readonly jobId: EnrichmentRun["jobId"]
  readonly revision: number
  readonly faults: number
  readonly messages: ReadonlyArray<string>
  /** Records that the run looked at: one that looked at none and failed on nothing shows nothing. */
  readonly looked: number
  /** Whether it looked at all there is to look at. */
  readonly isWhole: boolean
  readonly at: Timestamp
}

/** Runs that fail in a row, and faults and their share of the records of one run, from which an enrichment is degraded. */
const isTooMuch = (failedRuns: number, faults: number, looked: number): boolean =>
  failedRuns >= limits.failedRuns ||
  (faults >= limits.degradingFaults && faults * 100 >= looked * limits.degradingPercent)

/**
 * Drops the deaths before a run that looked at records and ended: the enrichment has shown that it does not stop the server, and
 * single kills months apart must not add up. Deaths that set it aside stay, because it did not work in that run.
 */
const withoutPastDeaths = (before: EnrichmentRun | undefined, looked: number): EnrichmentRun | undefined => {
  if (before?.deaths === undefined || looked === 0 || before.deaths.count >= limits.planningDeaths) return before
  const { deaths: _, ...rest } = before
  return rest
}

/** What is kept after the run; the very object that was kept before where nothing is different. */
export const afterRun = (kept: EnrichmentRun | undefined, outcome: RunOutcome): EnrichmentRun => {
  const before = withoutPastDeaths(kept, outcome.looked)
  const { at, enrichmentId, faults, feedId, isWhole, jobId, looked, messages, workspaceId } = outcome
  const revision = isWhole ? outcome.revision : (before?.revision ?? outcome.revision)
  const { deaths, mark } = before ?? {}
  const own = {
    id: runIdOf(enrichmentId, feedId),
    workspaceId,
    enrichmentId,
    feedId,
    jobId,
    revision,
    ...(mark === undefined ? {} : { mark }),
    ...(deaths === undefined ? {} : { deaths })
  }
  if (faults === 0) {
    const isClean = before === undefined || (before.faults === 0 && before.failedRuns === 0)
    if (isClean || looked === 0) {
      if (before?.revision === revision) return before
      const state = before ?? { faults: 0, failedRuns: 0, messages: [], isDegraded: false, since: at }
      return { ...state, ...own }
    }
    const since = before.isDegraded ? at : before.since
    return { ...own, faults: 0, failedRuns: 0, messages: [], isDegraded: false, since }
  }
  const earlier = before?.failedRuns ?? 0
  const failedRuns = before?.jobId === jobId && earlier > 0 ? earlier : Math.min(earlier + 1, limits.failedRuns)
  const wasDegraded = before?.isDegraded === true
  const isDegraded = wasDegraded || isTooMuch(failedRuns, faults, looked)
  return {
    ...own,
    faults,
    failedRuns,
    messages: messages.slice(0, limits.keptFaults).map((text) => text.slice(0, limits.textLength)),
    isDegraded,
    since: before !== undefined && isDegraded === wasDegraded ? before.since : at
  }
}
