/** Matches that can be taken back (enrichments D1.9). */
import type { ActorRef } from "../access/ActorRef.ts"
import type { AccountId } from "../bank/Account.ts"
import type { JobId } from "../job/Job.ts"
import type { Coverage } from "../provider/Provider.ts"
import type { DataType } from "../record/DataType.ts"
import type { RecordWrite } from "../record/LedgerRecord.ts"
import type { Id } from "../shared/Ids.ts"
import type { Timestamp } from "../shared/Timestamp.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import type { MatchEvidence } from "./match/Matching.ts"

export type MatchId = Id<"match">

/** `made`: the record and the observation are one. `undone`: a person parted them. */
export const matchStates = ["made", "undone"] as const
export type MatchState = (typeof matchStates)[number]

/** A record without its identity. */
export type RecordContent = Omit<RecordWrite, "id">

/** A person's decision, and when it was taken. */
export interface Decided {
  readonly by: ActorRef
  readonly at: Timestamp
}

export interface LoggedMatch {
  readonly id: MatchId
  readonly workspaceId: WorkspaceId
  readonly accountId: AccountId
  readonly dataType: DataType
  /** The record that went on, its version before, and all that it said then. */
  readonly recordId: string
  readonly versionBefore: number
  readonly before: RecordContent
  /** What was taken for it. */
  readonly observed: RecordContent
  /** The record that the observation has, or had, of its own. */
  readonly separateId?: string
  /** The observation came from another source: the record kept what it said, and only learnt another id. */
  readonly secondSource?: true
  readonly evidence: MatchEvidence
  /** What the read said about rows that it did not show; absent when a person made the match. */
  readonly coverage?: Coverage
  readonly jobId?: JobId
  /** By the store's clock. */
  readonly at: Timestamp
  readonly state: MatchState
  /** Who made it, if it was a person, or parted it. */
  readonly decided?: Decided
}
