/** A sync run that does what the test says, and remembers who ran and how many at once. */
import type { BankId } from "@millrace/core/bank/Bank"
import type { FeedId } from "@millrace/core/feed/Feed"
import type { JobId } from "@millrace/core/job/Job"
import type { ClaimedJob, Fenced } from "@millrace/core/job/JobStore"
import type { StorageUnavailable } from "@millrace/core/storage/StorageUnavailable"
import { SyncRun } from "@millrace/core/sync/SyncRun"
import * as Effect from "effect/Effect"
import type { FakeStore } from "./FakeStore.ts"

export interface Script {
  /** What a run does before it completes its job; nothing unless given. */
  readonly body?: (claimed: ClaimedJob) => Effect.Effect<void, Fenced | StorageUnavailable>
  readonly banksOf?: (feedId: FeedId) => ReadonlyArray<BankId>
}

export const makeScriptedRun = (fake: FakeStore, script: Script = {}) => {
  const started: Array<JobId> = []
  const interrupted: Array<JobId> = []
  const running = { now: 0, most: 0 }
  const run = (claimed: ClaimedJob) =>
    Effect.suspend(() => {
      started.push(claimed.job.id)
      running.now++
      running.most = Math.max(running.most, running.now)
      return script.body?.(claimed) ?? Effect.void
    }).pipe(
      Effect.andThen(fake.store.complete(claimed.fence, {})),
      Effect.onInterrupt(() => Effect.sync(() => void interrupted.push(claimed.job.id))),
      Effect.ensuring(Effect.sync(() => void running.now--))
    )
  return {
    started,
    interrupted,
    running,
    service: SyncRun.of({ banksOf: (feedId) => Effect.succeed(script.banksOf?.(feedId) ?? []), run })
  }
}
