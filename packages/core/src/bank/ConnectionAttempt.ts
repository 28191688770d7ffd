/**
 * Attempts to connect a bank (decisions 6.3): one for each time that a person is asked to sign in at a provider.
 *
 * The table below is enforced by the use case and the stores, and enumerated by the tests: a pair that is not listed is
 * refused.
 */
import * as Schema from "effect/Schema"
import type { ActorRef } from "../access/ActorRef.ts"
import { ErrorCode } from "../failure/ErrorCode.ts"
import { Recovery } from "../failure/Recovery.ts"
import type { Id } from "../shared/Ids.ts"
import { fromMillis, type Timestamp, toMillis } from "../shared/Timestamp.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import type { BankId } from "./Bank.ts"

export const attemptStates = ["open", "completing", "completed", "failed", "superseded", "expired"] as const
export const AttemptState = Schema.Literals(attemptStates)
export type AttemptState = typeof AttemptState.Type

export const attemptEvents = [
  /** Somebody completes it, also again after its process was lost. */
  "complete",
  /** The bank is stored. */
  "store",
  /** The provider refuses the payload: it will not take it another time either. */
  "refuse",
  /** Something else went wrong; another try may succeed. */
  "giveUp",
  /** The provider says that the person stopped, or that signing in failed. */
  "abort",
  /** The same credential began to connect the same bank again. */
  "supersede",
  /** Its time is over. What succeeded upstream all the same still completes it for `lateHours`. */
  "expire"
] as const
export type AttemptEvent = (typeof attemptEvents)[number]

export const attemptTransitions: ReadonlyArray<{
  readonly from: AttemptState
  readonly event: AttemptEvent
  readonly to: AttemptState
}> = [
  { from: "open", event: "complete", to: "completing" },
  { from: "completing", event: "complete", to: "completing" },
  { from: "expired", event: "complete", to: "completing" },
  { from: "completing", event: "store", to: "completed" },
  { from: "completing", event: "refuse", to: "failed" },
  { from: "completing", event: "giveUp", to: "open" },
  { from: "open", event: "abort", to: "failed" },
  { from: "expired", event: "abort", to: "failed" },
  { from: "open", event: "supersede", to: "superseded" },
  { from: "expired", event: "supersede", to: "superseded" },
  { from: "open", event: "expire", to: "expired" }
]

/** The state after an event, or `undefined` where the pair is refused. */
export const nextAttemptState = (from: AttemptState, event: AttemptEvent): AttemptState | undefined =>
  attemptTransitions.find((row) => row.from === from && row.event === event)?.to

export type ConnectionAttemptId = Id<"connectionAttempt">

/** Why an attempt failed, as its owner learns it: a code, a sentence, and what can be done. */
export const AttemptError = Schema.Struct({
  code: ErrorCode,
  message: Schema.String,
  recovery: Schema.optionalKey(Recovery)
})
export type AttemptError = typeof AttemptError.Type

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
  /** The flow of the specification's section 2.2 that the person goes through; absent until a step is there. */
  readonly flow?: string
  readonly expiresAt: Timestamp
  /** Whose credential began it (`credentialOf`), and who is said to have done what follows. */
  readonly credential: string
  readonly createdBy: ActorRef
  /** The bank that is reconnected; absent where it makes one. */
  readonly reconnects?: BankId
  readonly institutionId?: string
  /** Where the one who began it wants the browser to end. */
  readonly redirectUri?: string
  /** SHA-256 of the text that proves, at the landing page, that a browser belongs to this attempt. */
  readonly stateHash?: string
  /** Why it failed. */
  readonly error?: AttemptError
  /** The bank that it made or reconnected; absent until then, and once that bank is removed. */
  readonly bankId?: BankId
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

/**
 * Minutes for which an attempt waits for its person: at most so many, and on pages of a provider's own so many. `begin`: those
 * within which it has asked the upstream for all that it begins with.
 */
export const attemptMinutes = { begin: 10, most: 30, hosted: 240 } as const

/** Hours after its end in which what succeeded upstream still completes an attempt. */
export const lateHours = 24

/** Days for which an attempt that has ended is known. */
export const attemptDays = 30

/** An attempt whose time is over is expired, whether or not somebody has written that down. */
export const attemptAsOf = (attempt: ConnectionAttempt, now: Timestamp): ConnectionAttempt =>
  attempt.state === "open" && attempt.expiresAt <= now ? { ...attempt, state: "expired" } : attempt

/** From when on nothing completes it any more. */
export const lateUntil = ({ expiresAt }: Pick<ConnectionAttempt, "expiresAt">): Timestamp =>
  fromMillis(toMillis(expiresAt) + lateHours * 3_600_000)

/** The lease of an attempt: one caller at a time completes it. */
export const attemptLease = (id: ConnectionAttemptId): string => `connection attempt:${id}`
