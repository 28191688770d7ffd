/** Runs of a feed beside its schedule. */
import type { Timestamp } from "../shared/Timestamp.ts"
import type { FeedId } from "./Feed.ts"
import type { RunTrigger } from "./RunTrigger.ts"

/**
 * One more run that a feed is to have: because the last one failed of something that passes, or because rows
 * were to be sent again while one was running, or because records came in for it.
 */
export interface Wake {
  readonly reason: "retry" | "redelivery" | "arrival"
  readonly type: RunTrigger
  /** Number of the try, from 1, where it repeats a run that failed; 0 otherwise. */
  readonly retry: number
}

export interface DueWake extends Wake {
  readonly feedId: FeedId
  readonly dueAt: Timestamp
}
