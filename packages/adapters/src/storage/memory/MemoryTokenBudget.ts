/** Tokens of enrichments in memory. */
import { type BudgetScope, TokenBudget } from "@millrace/core/storage"
import { limits } from "@millrace/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Memory } from "./MemoryTransactor.ts"

interface Reservation {
  readonly scope: string
  readonly tokens: number
  readonly at: number
}

const minuteMillis = 60_000
const keptDays = 400
const nameOf = ({ enrichmentId, month, workspaceId }: BudgetScope): string => `${month} ${workspaceId} ${enrichmentId}`

export const layer: Layer.Layer<TokenBudget, never, Memory> = Layer.effect(
  TokenBudget,
  Effect.gen(function* () {
    const { call, remove, set } = yield* Memory
    /** Spent and reserved together. */
    const used = new Map<string, number>()
    const reservations = new Map<number, Reservation>()
    let last = 0

    const isOpen = ({ at }: Reservation, now: number): boolean =>
      at > now - limits.modelReservationMinutes * minuteMillis

    return TokenBudget.of({
      reserve: (scope, tokens, limit) =>
        call((now) => {
          const name = nameOf(scope)
          const next = (used.get(name) ?? 0) + tokens
          if (next > limit) return undefined
          set(used, name, next)
          set(reservations, ++last, { scope: name, tokens, at: now })
          return last
        }),
      settle: (scope, id, tokens) =>
        call((now) => {
          const name = nameOf(scope)
          const reservation = reservations.get(id)
          if (reservation === undefined || reservation.scope !== name || !isOpen(reservation, now)) return
          remove(reservations, id)
          set(used, name, (used.get(name) ?? 0) - reservation.tokens + tokens)
        }),
      use: (scope) =>
        call((now) => {
          const name = nameOf(scope)
          let reserved = 0
          for (const one of reservations.values()) if (one.scope === name && isOpen(one, now)) reserved += one.tokens
          return { spent: (used.get(name) ?? 0) - reserved, reserved }
        }),
      purge: (limit) =>
        call((now) => {
          const oldest = new Date(now - keptDays * 86_400_000).toISOString().slice(0, 7)
          const over = [...used.keys()].filter((name) => name.slice(0, 7) < oldest).slice(0, limit)
          for (const name of over) remove(used, name)
          for (const [id, { scope }] of reservations) if (!used.has(scope)) remove(reservations, id)
          return over.length
        })
    })
  })
)
