/** Tokens that models were asked for, in memory. */
import { type BudgetScope, TokenBudget, type TokenLimits } from "@millrace/core/storage"
import { limits } from "@millrace/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Memory } from "./MemoryTransactor.ts"

interface Reservation {
  readonly scope: string
  /** Names of the counts that it is part of. */
  readonly counts: ReadonlyArray<string>
  readonly tokens: number
  readonly at: number
}

const minuteMillis = 60_000
const keptDays = 400
const nameOf = ({ enrichmentId, month, workspaceId }: BudgetScope): string => `${month} ${workspaceId} ${enrichmentId}`

/** The counts that a call is part of, with the limit of each. */
const countsOf = (
  scope: BudgetScope,
  most: TokenLimits
): ReadonlyArray<{ readonly name: string; readonly of: keyof TokenLimits; readonly limit: number | undefined }> => {
  const { endpoint, month, workspaceId } = scope
  return [
    { name: nameOf(scope), of: "enrichment", limit: most.enrichment },
    ...(endpoint === undefined
      ? []
      : ([
          { name: `${month} ${workspaceId} endpoint ${endpoint}`, of: "workspace", limit: most.workspace },
          { name: `${month} endpoint ${endpoint}`, of: "total", limit: most.total }
        ] as const))
  ]
}

export const layer: Layer.Layer<TokenBudget, never, Memory> = Layer.effect(
  TokenBudget,
  Effect.gen(function* () {
    const { call, remove, set } = yield* Memory
    /** Spent and reserved together, by the name of the count. */
    const used = new Map<string, number>()
    const reservations = new Map<number, Reservation>()
    let last = 0

    const isOpen = ({ at }: Reservation, now: number): boolean =>
      at > now - limits.modelReservationMinutes * minuteMillis
    const add = (name: string, tokens: number): void => set(used, name, (used.get(name) ?? 0) + tokens)

    return TokenBudget.of({
      reserve: (scope, tokens, most) =>
        call((now) => {
          const counts = countsOf(scope, most)
          const full = counts.find(({ limit, name }) => (used.get(name) ?? 0) + tokens > (limit ?? Infinity))
          if (full !== undefined) return { exceeded: full.of }
          for (const { name } of counts) add(name, tokens)
          const names = counts.map(({ name }) => name)
          set(reservations, ++last, { scope: nameOf(scope), counts: names, tokens, at: now })
          return { id: last }
        }),
      settle: (scope, id, tokens) =>
        call((now) => {
          const reservation = reservations.get(id)
          if (reservation === undefined || reservation.scope !== nameOf(scope) || !isOpen(reservation, now)) return
          remove(reservations, id)
          for (const name of reservation.counts) add(name, tokens - reservation.tokens)
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
