/** Port: attempts to connect a bank, and what their exchanges gave. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { CompletedConnection } from "../provider/Connect.ts"
import type { Timestamp } from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { BankId } from "./Bank.ts"
import type { AttemptEvent, ConnectionAttempt, ConnectionAttemptId } from "./ConnectionAttempt.ts"

export class ConnectionAttemptStore extends Context.Service<
  ConnectionAttemptStore,
  {
    /** The attempt of that key; this one, where there is none yet. However many begin it at once, all get the same. */
    readonly begin: (attempt: ConnectionAttempt) => Effect.Effect<ConnectionAttempt, StorageUnavailable>
    readonly get: (id: ConnectionAttemptId) => Effect.Effect<Option.Option<ConnectionAttempt>, StorageUnavailable>
    /**
     * Moves it as `attemptTransitions` says; `false`, and nothing has changed, where the table refuses it. `store` names
     * the bank. What the exchange gave is dropped once it is stored with a bank.
     */
    readonly move: (
      id: ConnectionAttemptId,
      event: AttemptEvent,
      at: Timestamp,
      bankId?: BankId
    ) => Effect.Effect<boolean, StorageUnavailable>
    /**
     * Keeps what the exchange gave, secrets sealed, and makes an attempt that had failed open again: a payload that works
     * once is refused to whoever comes second. An attempt that is completed keeps nothing.
     */
    readonly keepExchange: (
      id: ConnectionAttemptId,
      completed: CompletedConnection,
      at: Timestamp
    ) => Effect.Effect<void, StorageUnavailable>
    readonly exchange: (
      id: ConnectionAttemptId
    ) => Effect.Effect<Option.Option<CompletedConnection>, StorageUnavailable>
  }
>()("@millrace/core/bank/ConnectionAttemptStore") {}
