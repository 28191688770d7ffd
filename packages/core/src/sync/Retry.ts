/** When a run that failed is tried again by itself (decision 11). */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Feed } from "../feed/Feed.ts"
import type { Wake } from "../feed/Wake.ts"
import type { Job } from "../job/Job.ts"
import { spreadOver } from "../shared/Jitter.ts"
import { limits } from "../shared/Limits.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { Finding } from "../job/Finding.ts"

/** Seconds over which the first retries are spread; each further one over twice as many. */
const firstSpread = 60

/**
 * Seconds that all that ended the run asks to wait; `undefined` when something of it does not pass by itself:
 * trying again would fail again, and may lock a person out of the bank.
 */
export const passesAfter = (findings: ReadonlyArray<Finding>): number | undefined => {
  const fatal = findings.filter(({ severity }) => severity === "fatal")
  let most = 0
  for (const { recovery } of fatal) {
    if (recovery?.action !== "retry") return undefined
    most = Math.max(most, recovery.afterSeconds)
  }
  return fatal.length === 0 ? undefined : most
}

/** The wake that a failed run leaves behind, if it is to be tried again before the schedule does so anyway. */
export const retryOf = Effect.fnUntraced(function* (feed: Feed, job: Job, findings: ReadonlyArray<Finding>) {
  const least = passesAfter(findings)
  const tried = job.retry ?? 0
  // A person who asked for a run looks at what came of it.
  if (least === undefined || job.type === "manual" || tried >= limits.runRetries) return undefined
  const afterSeconds = yield* spreadOver(least, firstSpread * 2 ** tried)
  const at = Timestamp.fromMillis((yield* Clock.currentTimeMillis) + afterSeconds * 1000)
  const regular = feed.schedule?.enabled === true ? feed.nextRunAt : undefined
  if (regular !== undefined && at >= regular) return undefined
  return { reason: "retry", type: job.type, retry: tried + 1, afterSeconds } satisfies Wake & {
    readonly afterSeconds: number
  }
})
