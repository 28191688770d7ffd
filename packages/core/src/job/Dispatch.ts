/** What the processes that run jobs offer, and what they are given. */
import type { FeedId } from "../feed/Feed.ts"
import type { JobId } from "./Job.ts"

/** A process that runs jobs, as it reports itself with every beat. */
export interface RunnerSlots {
  /** Unique among the processes that share a store. */
  readonly name: string
  /** Jobs that it runs at the same time; not negative. */
  readonly slots: number
}

/** Seconds without a beat after which the slots of a runner count no more. */
export const runnerSilence = 10

/**
 * How many jobs are handed out to this number of slots: some more than they run, so that the next job is
 * there when one ends, and because feeds are spread over the runners by chance.
 */
export const capacityOf = (slots: number): number => Math.ceil(slots * 1.3)

export interface Dispatched {
  /** Now handed out, in the order in which they should start. */
  readonly jobs: ReadonlyArray<{ readonly jobId: JobId; readonly feedId: FeedId }>
  /** Jobs that were under way before: handed out a moment ago, or run. */
  readonly inFlight: number
  /** As many are under way as the runners take. */
  readonly full: boolean
  /** Jobs wait that were not handed out: for a slot, a connection, or a provider. */
  readonly more: boolean
}
