/** What came of bringing the sources of a feed up to date. */
import type { Account } from "../bank/Account.ts"
import type { Bank, BankId } from "../bank/Bank.ts"
import type { Feed } from "../feed/Feed.ts"
import type { Job } from "../job/Job.ts"
import { causeOf } from "../job/JobEvents.ts"
import type { Fence } from "../job/JobStore.ts"
import type { CalendarDate } from "../shared/CalendarDate.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import type { Finding } from "../job/Finding.ts"
import type { WriteRight } from "./LedgerWriter.ts"

export interface SourceRun {
  readonly workspace: Workspace
  readonly feed: Feed
  readonly job: Job
  readonly fence: Fence
  readonly today: CalendarDate
}

export interface SourceResult {
  /** Accounts that the feed projects. */
  readonly accounts: ReadonlyArray<{ readonly bank: Bank; readonly account: Account }>
  readonly findings: ReadonlyArray<Finding>
  /** Rows that were read, and those of them that the ledger did not have like this. */
  readonly seen: number
  readonly changed: number
  readonly quarantined: number
  /** The upstream asks to wait this many seconds, longer than a slot may be held. */
  readonly waitSeconds: number | undefined
}

export const empty: SourceResult = {
  accounts: [],
  findings: [],
  seen: 0,
  changed: 0,
  quarantined: 0,
  waitSeconds: undefined
}

export const combine = (results: ReadonlyArray<SourceResult>): SourceResult => ({
  accounts: results.flatMap((result) => result.accounts),
  findings: results.flatMap((result) => result.findings),
  seen: results.reduce((sum, result) => sum + result.seen, 0),
  changed: results.reduce((sum, result) => sum + result.changed, 0),
  quarantined: results.reduce((sum, result) => sum + result.quarantined, 0),
  waitSeconds: results.reduce<number | undefined>(
    (most, { waitSeconds }) => (waitSeconds === undefined ? most : Math.max(most ?? 0, waitSeconds)),
    undefined
  )
})

export const rightOf = (run: SourceRun, bankId: BankId): WriteRight => ({
  bankId,
  fence: run.fence,
  cause: causeOf(run.job)
})
