/** Attempts to connect a bank in memory. */
import {
  attemptDays,
  attemptMinutes,
  type ConnectionAttempt,
  type ConnectionAttemptId,
  lateUntil,
  nextAttemptState
} from "@millrace/core/bank"
import { type AttemptParts, ConnectionAttemptStore } from "@millrace/core/storage"
import type { CompletedConnection } from "@millrace/core/provider"
import { Timestamp } from "@millrace/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { frozen } from "./Frozen.ts"
import { BankTable } from "./MemoryBankTable.ts"
import { Memory } from "./MemoryTransactor.ts"

const ended: ReadonlySet<ConnectionAttempt["state"]> = new Set(["completed", "failed", "superseded", "expired"])
const dayMillis = 86_400_000

export const layer: Layer.Layer<ConnectionAttemptStore, never, Memory | BankTable> = Layer.effect(
  ConnectionAttemptStore,
  Effect.gen(function* () {
    const { call, remove, set } = yield* Memory
    const { banks } = yield* BankTable
    const attempts = new Map<ConnectionAttemptId, ConnectionAttempt>()
    const exchanges = new Map<ConnectionAttemptId, CompletedConnection>()
    const parts = new Map<ConnectionAttemptId, Partial<AttemptParts>>()

    /** Without its bank once that is gone. */
    const shown = (attempt: ConnectionAttempt): ConnectionAttempt => {
      if (attempt.bankId === undefined || banks.has(attempt.bankId)) return attempt
      const { bankId: _, ...rest } = attempt
      return rest
    }
    const first = (matches: (attempt: ConnectionAttempt) => boolean): Option.Option<ConnectionAttempt> => {
      for (const held of attempts.values()) if (matches(held)) return Option.some(shown(held))
      return Option.none()
    }
    const change = (id: ConnectionAttemptId, to: Partial<ConnectionAttempt>) => {
      const attempt = attempts.get(id)
      if (attempt !== undefined) set(attempts, id, frozen({ ...attempt, ...to }))
    }

    return ConnectionAttemptStore.of({
      begin: (attempt) =>
        call(() =>
          Option.getOrElse(
            first(
              (held) =>
                held.workspaceId === attempt.workspaceId &&
                held.instanceId === attempt.instanceId &&
                held.attemptId === attempt.attemptId
            ),
            () => {
              set(attempts, attempt.id, frozen(attempt))
              return attempt
            }
          )
        ),
      get: (id) => call(() => Option.map(Option.fromUndefinedOr(attempts.get(id)), shown)),
      named: (workspaceId, instanceId, attemptId) =>
        call(() =>
          first(
            (held) => held.workspaceId === workspaceId && held.instanceId === instanceId && held.attemptId === attemptId
          )
        ),
      newest: (workspaceId, instanceId, credential, endedAfter) =>
        call(() => {
          const [newest] = [...attempts.values()]
            .filter(
              (held) =>
                held.workspaceId === workspaceId &&
                held.instanceId === instanceId &&
                held.credential === credential &&
                (held.state === "open" || held.state === "completing" || held.state === "expired") &&
                held.expiresAt > endedAfter
            )
            .toSorted((a, b) =>
              a.createdAt === b.createdAt ? (a.id < b.id ? 1 : -1) : a.createdAt < b.createdAt ? 1 : -1
            )
          return Option.map(Option.fromUndefinedOr(newest), shown)
        }),
      byState: (stateHash) => call(() => first((held) => held.stateHash === stateHash)),
      move: (id, event, at, outcome) =>
        call(() => {
          const attempt = attempts.get(id)
          const state = attempt === undefined ? undefined : nextAttemptState(attempt.state, event)
          if (attempt === undefined || state === undefined) return false
          set(attempts, id, frozen({ ...attempt, state, updatedAt: at, ...outcome }))
          if (event === "store") {
            remove(exchanges, id)
            remove(parts, id)
          }
          return true
        }),
      setStep: (id, step, at) => call(() => change(id, { ...step, updatedAt: at })),
      supersede: (attempt, at) =>
        call(() => {
          const others = [...attempts.values()].filter(
            (held) =>
              held.id !== attempt.id &&
              held.workspaceId === attempt.workspaceId &&
              held.credential === attempt.credential &&
              held.reconnects === attempt.reconnects &&
              nextAttemptState(held.state, "supersede") !== undefined
          )
          for (const { id } of others) change(id, { state: "superseded", updatedAt: at })
          return others.length
        }),
      keep: (id, part, value, at) =>
        call(() => {
          const attempt = attempts.get(id)
          if (attempt === undefined || attempt.state === "completed") return
          set(parts, id, frozen({ ...parts.get(id), [part]: value }))
          change(id, { updatedAt: at })
        }),
      part: (id, part) => call(() => Option.fromUndefinedOr(parts.get(id)?.[part])),
      dropPart: (id, part) =>
        call(() => {
          const { [part]: _dropped, ...left } = parts.get(id) ?? {}
          if (parts.has(id)) set(parts, id, frozen(left))
        }),
      keepExchange: (id, completed, at) =>
        call(() => {
          const attempt = attempts.get(id)
          if (attempt === undefined || attempt.state === "completed") return
          const state = attempt.state === "failed" ? "open" : attempt.state
          const { error: _, ...rest } = attempt
          set(attempts, id, frozen({ ...(state === attempt.state ? attempt : rest), state, updatedAt: at }))
          set(exchanges, id, frozen(completed))
        }),
      exchange: (id) => call(() => Option.fromUndefinedOr(exchanges.get(id))),
      dropExchange: (id, at) =>
        call(() => {
          remove(exchanges, id)
          change(id, { updatedAt: at })
        }),
      anyRunning: (workspaceId, instanceId, removed) =>
        call((millis) => {
          const now = Timestamp.fromMillis(millis)
          const begun = Timestamp.fromMillis(millis - attemptMinutes.begin * 60_000)
          return [...attempts.values()].some((held) => {
            if (held.workspaceId !== workspaceId || held.instanceId !== instanceId) return false
            if (exchanges.has(held.id)) return true
            if (nextAttemptState(held.state, "complete") === undefined) return false
            if (held.state === "completing" && held.updatedAt > begun) return true
            return (
              lateUntil(held) > now && (removed === undefined || held.reconnects !== removed || held.createdAt > begun)
            )
          })
        }),
      sweep: (limit) =>
        call((millis) => {
          const now = Timestamp.fromMillis(millis)
          const over = [...attempts.values()]
            .filter(({ expiresAt, state }) => state === "open" && expiresAt <= now)
            .slice(0, limit)
          for (const { id } of over) change(id, { state: "expired", updatedAt: now })
          return over.length
        }),
      waiting: (before, limit) =>
        call(() =>
          [...attempts.values()]
            .filter(
              ({ id, state, updatedAt }) =>
                state !== "completed" &&
                updatedAt < before &&
                (exchanges.has(id) ||
                  (parts.get(id)?.payload !== undefined && nextAttemptState(state, "complete") !== undefined))
            )
            .toSorted((a, b) => (a.updatedAt < b.updatedAt ? -1 : a.updatedAt > b.updatedAt ? 1 : a.id < b.id ? -1 : 1))
            .slice(0, limit)
            .map(shown)
        ),
      purge: (limit) =>
        call((millis) => {
          const now = Timestamp.fromMillis(millis)
          const old = Timestamp.fromMillis(millis - attemptDays * dayMillis)
          const all = [...attempts.values()]
          const gone = all
            .filter(({ id, state, updatedAt }) => ended.has(state) && updatedAt < old && !exchanges.has(id))
            .slice(0, limit)
          for (const { id } of gone) {
            remove(attempts, id)
            remove(parts, id)
          }
          const late = all
            .filter((one) => parts.has(one.id) && one.state !== "completing" && lateUntil(one) < now)
            .slice(0, limit)
          for (const { id } of late) remove(parts, id)
          return gone.length + late.length
        })
    })
  })
)
