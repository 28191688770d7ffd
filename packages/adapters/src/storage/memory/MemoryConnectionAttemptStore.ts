/** Attempts to connect a bank in memory. */
import { type ConnectionAttempt, type ConnectionAttemptId, nextAttemptState } from "@millrace/core/bank"
import { ConnectionAttemptStore } from "@millrace/core/storage"
import type { CompletedConnection } from "@millrace/core/provider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { frozen } from "./Frozen.ts"
import { BankTable } from "./MemoryBankTable.ts"
import { Memory } from "./MemoryTransactor.ts"

export const layer: Layer.Layer<ConnectionAttemptStore, never, Memory | BankTable> = Layer.effect(
  ConnectionAttemptStore,
  Effect.gen(function* () {
    const { call, remove, set } = yield* Memory
    const { banks } = yield* BankTable
    const attempts = new Map<ConnectionAttemptId, ConnectionAttempt>()
    const exchanges = new Map<ConnectionAttemptId, CompletedConnection>()

    /** Without its bank once that is gone. */
    const shown = (attempt: ConnectionAttempt): ConnectionAttempt => {
      if (attempt.bankId === undefined || banks.has(attempt.bankId)) return attempt
      const { bankId: _, ...rest } = attempt
      return rest
    }

    return ConnectionAttemptStore.of({
      begin: (attempt) =>
        call(() => {
          for (const held of attempts.values()) {
            if (
              held.workspaceId === attempt.workspaceId &&
              held.instanceId === attempt.instanceId &&
              held.attemptId === attempt.attemptId
            ) {
              return shown(held)
            }
          }
          set(attempts, attempt.id, frozen(attempt))
          return attempt
        }),
      get: (id) => call(() => Option.map(Option.fromUndefinedOr(attempts.get(id)), shown)),
      move: (id, event, at, bankId) =>
        call(() => {
          const attempt = attempts.get(id)
          const state = attempt === undefined ? undefined : nextAttemptState(attempt.state, event)
          if (attempt === undefined || state === undefined) return false
          set(attempts, id, frozen({ ...attempt, state, updatedAt: at, ...(bankId === undefined ? {} : { bankId }) }))
          if (event === "store") remove(exchanges, id)
          return true
        }),
      keepExchange: (id, completed, at) =>
        call(() => {
          const attempt = attempts.get(id)
          if (attempt === undefined || attempt.state === "completed") return
          const state = attempt.state === "failed" ? "open" : attempt.state
          set(attempts, id, frozen({ ...attempt, state, updatedAt: at }))
          set(exchanges, id, frozen(completed))
        }),
      exchange: (id) => call(() => Option.fromUndefinedOr(exchanges.get(id)))
    })
  })
)
