/**
 * Attempts to connect a bank (decisions 6.3): one for each time that a person is asked to sign in at a provider.
 *
 * The table below is enforced by the use case and the stores, and enumerated by the tests: a pair that is not listed is
 * refused.
 */
import type { Id } from "../shared/Ids.ts"
import type { Timestamp } from "../shared/Timestamp.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import type { BankId } from "./Bank.ts"

export const attemptStates = ["open", "completing", "completed", "failed", "superseded", "expired"] as const
export type AttemptState = (typeof attemptStates)[number]

export const attemptEvents = [
  /** Somebody completes it, also again after its process was lost. */
  "complete",
  /** The bank is stored. */
  "store",
  /** The provider refuses the payload: it will not take it another time either. */
  "refuse",
  /** Something else went wrong; another try may succeed. */
  "giveUp"
] as const
export type AttemptEvent = (typeof attemptEvents)[number]

export const attemptTransitions: ReadonlyArray<{
  readonly from: AttemptState
  readonly event: AttemptEvent
  readonly to: AttemptState
}> = [
  { from: "open", event: "complete", to: "completing" },
  { from: "completing", event: "complete", to: "completing" },
  { from: "completing", event: "store", to: "completed" },
  { from: "completing", event: "refuse", to: "failed" },
  { from: "completing", event: "giveUp", to: "open" }
]

/** The state after an event, or `undefined` where the pair is refused. */
export const nextAttemptState = (from: AttemptState, event: AttemptEvent): AttemptState | undefined =>
  attemptTransitions.find((row) => row.from === from && row.event === event)?.to

export type ConnectionAttemptId = Id<"connectionAttempt">

/** What an attempt is known by to those who complete it. */
export interface AttemptKey {
  readonly workspaceId: WorkspaceId
  readonly instanceId: string
  /** Any text; unique within the provider instance and the workspace. */
  readonly attemptId: string
}

export interface ConnectionAttempt extends AttemptKey {
  readonly id: ConnectionAttemptId
  readonly state: AttemptState
  /** The bank that it made or connected anew; absent until then, and once that bank is removed. */
  readonly bankId?: BankId
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

/** The lease of an attempt: one caller at a time completes it. */
export const attemptLease = (id: ConnectionAttemptId): string => `connection attempt:${id}`
