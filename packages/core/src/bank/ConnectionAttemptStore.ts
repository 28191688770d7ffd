/** Port: attempts to connect a bank, what they keep sealed, and what their exchanges gave. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { ClientStep, CompletedConnection, ConnectPayload } from "../provider/Connect.ts"
import type { Timestamp } from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import type { BankId } from "./Bank.ts"
import type { AttemptError, AttemptEvent, ConnectionAttempt, ConnectionAttemptId } from "./ConnectionAttempt.ts"
import type { KeptRequest } from "./ConnectionRequest.ts"

/** What an attempt keeps, each part sealed by itself. */
export interface AttemptParts {
  /** What was asked for, with the address of the person. */
  readonly request: KeptRequest
  /** What the upstream gave for the attempt (`BeginConnect.keepAttempt`). */
  readonly secrets: Readonly<Record<string, string>>
  /** What the person's browser is shown. */
  readonly step: ClientStep
  /** What the upstream, or the browser on its way back, said that the attempt is completed with. */
  readonly payload: ConnectPayload
}
export type AttemptPart = keyof AttemptParts

/** What a move tells besides the state. */
export interface AttemptOutcome {
  /** With `store`. */
  readonly bankId?: BankId
  /** With `refuse` and `abort`. */
  readonly error?: AttemptError
}

export class ConnectionAttemptStore extends Context.Service<
  ConnectionAttemptStore,
  {
    /** The attempt of that key; this one, where there is none yet. However many begin it at once, all get the same. */
    readonly begin: (attempt: ConnectionAttempt) => Effect.Effect<ConnectionAttempt, StorageUnavailable>
    readonly get: (id: ConnectionAttemptId) => Effect.Effect<Option.Option<ConnectionAttempt>, StorageUnavailable>
    /** The one that a caller names. */
    readonly named: (
      workspaceId: WorkspaceId,
      instanceId: string,
      attemptId: string
    ) => Effect.Effect<Option.Option<ConnectionAttempt>, StorageUnavailable>
    /** The newest one of that credential that is open, or whose time ended after `endedAfter`. */
    readonly newest: (
      workspaceId: WorkspaceId,
      instanceId: string,
      credential: string,
      endedAfter: Timestamp
    ) => Effect.Effect<Option.Option<ConnectionAttempt>, StorageUnavailable>
    /** The attempt whose state has that digest, of whichever workspace is reached. */
    readonly byState: (stateHash: string) => Effect.Effect<Option.Option<ConnectionAttempt>, StorageUnavailable>
    /**
     * Moves it as `attemptTransitions` says; `false`, and nothing has changed, where the table refuses it. `store` names
     * the bank. What the exchange gave and all parts are dropped once it is stored with a bank.
     */
    readonly move: (
      id: ConnectionAttemptId,
      event: AttemptEvent,
      at: Timestamp,
      outcome?: AttemptOutcome
    ) => Effect.Effect<boolean, StorageUnavailable>
    /** How the person goes on, and until when; what it is shown is a part. */
    readonly setStep: (
      id: ConnectionAttemptId,
      step: Pick<ConnectionAttempt, "expiresAt" | "reconnects"> & { readonly flow: string },
      at: Timestamp
    ) => Effect.Effect<void, StorageUnavailable>
    /** Supersedes the other attempts of that credential to reconnect the bank. Returns how many there were. */
    readonly supersede: (
      attempt: Pick<ConnectionAttempt, "id" | "workspaceId" | "credential"> & { readonly reconnects: BankId },
      at: Timestamp
    ) => Effect.Effect<number, StorageUnavailable>
    /** Keeps a part, sealed, in place of what it was before. An attempt that is completed keeps nothing. */
    readonly keep: <P extends AttemptPart>(
      id: ConnectionAttemptId,
      part: P,
      value: AttemptParts[P],
      at: Timestamp
    ) => Effect.Effect<void, StorageUnavailable>
    readonly part: <P extends AttemptPart>(
      id: ConnectionAttemptId,
      part: P
    ) => Effect.Effect<Option.Option<AttemptParts[P]>, StorageUnavailable>
    /** Forgets a part. */
    readonly dropPart: (id: ConnectionAttemptId, part: AttemptPart) => Effect.Effect<void, StorageUnavailable>
    /**
     * Keeps what the exchange gave, secrets sealed, and makes an attempt that had failed open again: a payload that works
     * once is refused to anyone who comes second. An attempt that is completed keeps nothing.
     */
    readonly keepExchange: (
      id: ConnectionAttemptId,
      completed: CompletedConnection,
      at: Timestamp
    ) => Effect.Effect<void, StorageUnavailable>
    readonly exchange: (
      id: ConnectionAttemptId
    ) => Effect.Effect<Option.Option<CompletedConnection>, StorageUnavailable>
    /** Drops what the exchange gave: the upstream has it no longer. */
    readonly dropExchange: (id: ConnectionAttemptId, at: Timestamp) => Effect.Effect<void, StorageUnavailable>
    /**
     * Whether one of the workspace at the instance may still need the customer it began with upstream: it holds what an exchange
     * gave, or can still be completed. One that connects `removed` again never can, and counts for its first minutes alone
     * (`attemptMinutes.begin`): it may still be asking the upstream.
     */
    readonly anyRunning: (
      workspaceId: WorkspaceId,
      instanceId: string,
      removed?: BankId
    ) => Effect.Effect<boolean, StorageUnavailable>
    /** Expires those that are open and whose time is over, at most `limit`. Returns how many. */
    readonly sweep: (limit: number) => Effect.Effect<number, StorageUnavailable>
    /**
     * Those that somebody left on their way, oldest first: with the answer of an upstream, or a payload that nobody has
     * used, and not touched since `before`.
     */
    readonly waiting: (
      before: Timestamp,
      limit: number
    ) => Effect.Effect<ReadonlyArray<ConnectionAttempt>, StorageUnavailable>
    /**
     * Forgets at most `limit` of those that ended more than `attemptDays` ago and hold no exchange; drops the parts of
     * those that can be completed no more. Returns how many there were.
     */
    readonly purge: (limit: number) => Effect.Effect<number, StorageUnavailable>
  }
>()("@millrace/core/bank/ConnectionAttemptStore") {}
