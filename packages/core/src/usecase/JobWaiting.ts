/** Waiting for the end of a job, without a loop in the caller. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Caller } from "../access/Caller.ts"
import { Events } from "../event/Events.ts"
import { isActive, type Job } from "../job/Job.ts"
import { Jobs } from "../job/Jobs.ts"

/**
 * The job as it ended: completed, failed or cancelled. ConnectionChecks again whenever something happened in storage, at the
 * latest after five seconds. A paused job is waited for: limit the time with `Effect.timeout`.
 */
export const waitForJob = Effect.fn("waitForJob")(function* (
  caller: Caller,
  { feedId, id }: Pick<Job, "feedId" | "id">
) {
  const { get } = yield* Jobs
  const { signals } = yield* Events
  const ended = yield* signals.pipe(
    Stream.mapEffect(() => get(caller, feedId, id)),
    Stream.filter(({ status }) => !isActive(status)),
    Stream.runHead
  )
  // The signals end with the program alone.
  return Option.isSome(ended) ? ended.value : yield* Effect.interrupt
})
