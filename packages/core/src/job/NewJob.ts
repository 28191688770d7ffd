/** Jobs as they are before anybody has taken them up. */
import * as Effect from "effect/Effect"
import type { BankId } from "../bank/Bank.ts"
import type { Feed } from "../feed/Feed.ts"
import { Ids } from "../shared/Ids.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import { noCounts, type Job } from "./Job.ts"

/** What the maker of a job says about it. */
export type JobOrder = Pick<Job, "userId" | "startedBy" | "type" | "mode" | "options" | "errors" | "retry">

/** A run that only goes on from where the feed is. */
export const catchUp = {
  mode: "incremental",
  options: { forceCancelActive: false, resetCursors: false, skipDedup: false },
  errors: []
} as const satisfies Partial<JobOrder>

/** It is not stored, and holds no lock. */
export const makeNewJob = Effect.map(Ids, (ids) =>
  Effect.fnUntraced(function* (feed: Feed, order: JobOrder) {
    const now = yield* Timestamp.now
    const job: Job = {
      id: yield* ids.next("job"),
      feedId: feed.id,
      workspaceId: feed.workspaceId,
      ...order,
      status: "created",
      counts: noCounts,
      attempt: 0,
      createdAt: now,
      updatedAt: now
    }
    return job
  })
)

/** The connections that a job of the feed will need, as far as the feed itself tells. */
export const expectedBanks = ({ fileBankId, sourceConfig }: Feed): ReadonlyArray<BankId> => {
  if (sourceConfig?.type === "sync") return [...new Set(sourceConfig.accounts.map(({ bankId }) => bankId))]
  return sourceConfig === undefined || fileBankId === undefined ? [] : [fileBankId]
}
