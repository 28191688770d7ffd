/** Port: which requests with an idempotency key were made, and what they were answered (decisions 1.9). */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"

/** A request that carries a key. */
export interface KeyedRequest {
  readonly workspaceId: WorkspaceId
  /** A digest of who asks, for which operation, with which key. */
  readonly key: string
  /** A digest of what is asked. */
  readonly request: string
}

/** What is known of a key. */
export type KeyState =
  /** Nobody has used it: from now on it belongs to this request. */
  | { readonly state: "begun" }
  /** The request that it belongs to has no answer yet. */
  | { readonly state: "running" }
  /** The request that it belongs to, and its answer. */
  | { readonly state: "answered"; readonly request: string; readonly answer: string }

export class IdempotencyStore extends Context.Service<
  IdempotencyStore,
  {
    /**
     * Takes a key for a request, unless another one has it. Of several at once one gets it, and nobody waits: a key
     * that was taken in a transaction which is still open is `running`. It is free again after `limits.idempotencyHours`.
     */
    readonly begin: (request: KeyedRequest) => Effect.Effect<KeyState, StorageUnavailable>
    /** Keeps the answer of a request that has the key. */
    readonly end: (request: KeyedRequest, answer: string) => Effect.Effect<void, StorageUnavailable>
    /** Gives back the key of a request that has no answer; one that is answered keeps it. */
    readonly release: (request: KeyedRequest) => Effect.Effect<void, StorageUnavailable>
    /** Forgets at most `limit` requests begun more than `limits.idempotencyHours` ago. Returns how many. */
    readonly purge: (limit: number) => Effect.Effect<number, StorageUnavailable>
  }
>()("@millrace/core/idempotency/IdempotencyStore") {}
