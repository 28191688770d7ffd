/** Pairs that were too uncertain to be made without a person (enrichments D1.8). */
import type { AccountId } from "../bank/Account.ts"
import type { JobId } from "../job/Job.ts"
import type { DataType } from "../record/DataType.ts"
import type { Id } from "../shared/Ids.ts"
import type { Timestamp } from "../shared/Timestamp.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import type { Decided } from "./LoggedMatch.ts"
import type { MatchEvidence } from "./match/Matching.ts"

export type SuggestionId = Id<"suggestion">

export const suggestionStates = ["open", "accepted", "rejected"] as const
export type SuggestionState = (typeof suggestionStates)[number]

export interface LoggedSuggestion {
  readonly id: SuggestionId
  readonly workspaceId: WorkspaceId
  readonly accountId: AccountId
  readonly dataType: DataType
  /** The record that could go on. */
  readonly recordId: string
  /** The record that its next observation got instead. */
  readonly observedId: string
  readonly evidence: MatchEvidence
  readonly jobId?: JobId
  /** By the store's clock. */
  readonly at: Timestamp
  readonly state: SuggestionState
  readonly decided?: Decided
}
