/**
 * Port: whatever brings jobs to workers.
 *
 * The job row says what is due; the engine only makes things happen sooner. Losing a poke costs a tick,
 * losing an interrupt costs at most the rest of a page, because every write is fenced.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { FeedId } from "../feed/Feed.ts"
import type { JobId } from "./Job.ts"

export class JobEngine extends Context.Service<
  JobEngine,
  {
    /** A job of the feed is due: do not wait for the next tick. Returns at once. */
    readonly poke: (feedId: FeedId, jobId: JobId) => Effect.Effect<void>
    /** The job was cancelled: stop its run at the next possible point. Returns at once. */
    readonly interrupt: (feedId: FeedId, jobId: JobId) => Effect.Effect<void>
  }
>()("@millrace/core/job/JobEngine") {}
