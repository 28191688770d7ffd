/** Conformance of `TokenBudget`. */
import { Ids, limits } from "@millrace/core"
import { type BudgetScope, TokenBudget, type TokenLimits } from "@millrace/core/storage"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { storeWorkspace } from "../fixture/Workspace.ts"
import { StoreClock, type StorageTests } from "./StorageTests.ts"

const arrange = Effect.gen(function* () {
  const workspace = yield* storeWorkspace()
  const ids = yield* Ids
  const scope = { workspaceId: workspace.id, enrichmentId: yield* ids.next("enrichment"), month: "2026-03" }
  const store = yield* TokenBudget
  /** The number of the reservation; `undefined` where a limit leaves no room. */
  const reserve = (of: BudgetScope, tokens: number, most: number | TokenLimits) =>
    Effect.map(store.reserve(of, tokens, typeof most === "number" ? { enrichment: most } : most), (reservation) =>
      "id" in reservation ? reservation.id : undefined
    )
  return { scope, ids, store, reserve, clock: yield* StoreClock }
})

export const tests: StorageTests = (it) => {
  it.effect("reserves where there is room, and settles with what was used", () =>
    Effect.gen(function* () {
      const { reserve, scope, store } = yield* arrange
      expect(yield* store.use(scope)).toEqual({ spent: 0, reserved: 0 })
      const first = yield* reserve(scope, 600, 1_000)
      expect(first).toBeDefined()
      expect(yield* reserve(scope, 401, 1_000)).toBeUndefined()
      const second = yield* reserve(scope, 400, 1_000)
      expect(yield* store.use(scope)).toEqual({ spent: 0, reserved: 1_000 })
      yield* store.settle(scope, first!, 100)
      expect(yield* store.use(scope)).toEqual({ spent: 100, reserved: 400 })
      // Settled once; what comes later changes nothing.
      yield* store.settle(scope, first!, 900)
      yield* store.settle(scope, second!, 0)
      expect(yield* store.use(scope)).toEqual({ spent: 100, reserved: 0 })
      expect(yield* reserve(scope, 901, 1_000)).toBeUndefined()
      expect(yield* reserve(scope, 900, 1_000)).toBeDefined()
      expect(yield* reserve(scope, 1, 0)).toBeUndefined()
    })
  )

  it.effect("keeps months and enrichments apart", () =>
    Effect.gen(function* () {
      const { ids, reserve, scope, store } = yield* arrange
      const others = [
        { ...scope, month: "2026-04" },
        { ...scope, enrichmentId: yield* ids.next("enrichment") }
      ]
      const id = yield* reserve(scope, 10, 10)
      for (const other of others) {
        yield* store.settle(other, id!, 3)
        expect(yield* reserve(other, 10, 10)).toBeDefined()
      }
      expect(yield* store.use(scope)).toEqual({ spent: 0, reserved: 10 })
    })
  )

  it.effect("counts as spent what nobody settled in time", () =>
    Effect.gen(function* () {
      const { clock, reserve, scope, store } = yield* arrange
      const id = yield* reserve(scope, 700, 1_000)
      yield* clock.pass(limits.modelReservationMinutes * 60 + 1)
      expect(yield* store.use(scope)).toEqual({ spent: 700, reserved: 0 })
      yield* store.settle(scope, id!, 1)
      expect(yield* store.use(scope)).toEqual({ spent: 700, reserved: 0 })
      expect(yield* reserve(scope, 301, 1_000)).toBeUndefined()
    })
  )

  it.effect("never reserves above the limit, however many ask at the same time", () =>
    Effect.gen(function* () {
      const { reserve, scope, store } = yield* arrange
      const limit = 1_000
      const seen: Array<number> = []
      const one = (tokens: number) =>
        Effect.gen(function* () {
          const id = yield* reserve(scope, tokens, limit)
          const { reserved, spent } = yield* store.use(scope)
          seen.push(spent + reserved)
          if (id === undefined) return 0
          const used = Math.floor(tokens / 2)
          yield* store.settle(scope, id, used)
          return used
        })
      const sizes = Array.from({ length: 40 }, (_, n) => 30 + ((n * 37) % 90))
      const used = yield* Effect.forEach(sizes, one, { concurrency: 8 })
      expect(Math.max(...seen)).toBeLessThanOrEqual(limit)
      const spent = used.reduce((sum, tokens) => sum + tokens, 0)
      expect(yield* store.use(scope)).toEqual({ spent, reserved: 0 })
    })
  )

  it.effect("forgets months that ended long ago", () =>
    Effect.gen(function* () {
      const { reserve, scope, store } = yield* arrange
      const old = { ...scope, month: "1960-01" }
      const recent = { ...scope, month: "9999-12" }
      for (const month of [old, recent]) yield* reserve(month, 5, 10)
      while ((yield* store.purge(100)) > 0);
      expect(yield* store.use(old)).toEqual({ spent: 0, reserved: 0 })
      expect(yield* store.use(recent)).toEqual({ spent: 0, reserved: 5 })
    })
  )

  it.effect("holds the limits of a workspace and of all at an endpoint, no matter what happens to enrichments", () =>
    Effect.gen(function* () {
      const { ids, scope, store } = yield* arrange
      const other = yield* storeWorkspace()
      const endpoint = yield* ids.next("enrichment")
      const most = { workspace: 1_000, total: 1_500 }
      const spent = new Map<string, number>()
      const add = (workspaceId: string, tokens: number) => {
        for (const name of [workspaceId, "total"]) spent.set(name, (spent.get(name) ?? 0) + tokens)
      }
      let seed = 7
      const next = (below: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % below
      const refused = new Set<string>()
      for (let step = 0; step < 60; step++) {
        const workspaceId = next(3) === 0 ? other.id : scope.workspaceId
        // Each call is of an enrichment that was created a moment ago.
        const call = { workspaceId, enrichmentId: yield* ids.next("enrichment"), endpoint, month: scope.month }
        const tokens = 20 + next(200)
        const reservation = yield* store.reserve(call, tokens, { enrichment: 10_000, ...most })
        const exceeded =
          (spent.get(workspaceId) ?? 0) + tokens > most.workspace
            ? "workspace"
            : (spent.get("total") ?? 0) + tokens > most.total
              ? "total"
              : undefined
        expect("exceeded" in reservation ? reservation.exceeded : undefined).toBe(exceeded)
        if ("exceeded" in reservation) {
          refused.add(reservation.exceeded)
          expect(yield* store.use(call)).toEqual({ spent: 0, reserved: 0 })
          continue
        }
        const used = next(2) === 0 ? tokens : next(tokens)
        yield* store.settle(call, reservation.id, used)
        add(workspaceId, used)
      }
      expect([...refused].toSorted()).toEqual(["total", "workspace"])
      const [elsewhere, later] = [{ endpoint: `${endpoint}2` }, { endpoint, month: "2026-04" }]
      for (const free of [elsewhere, later]) {
        expect(yield* store.reserve({ ...scope, ...free }, 1_000, { enrichment: 10_000, ...most })).toHaveProperty("id")
      }
    })
  )

  it.effect("never reserves above the limits of an endpoint, however many workspaces ask at the same time", () =>
    Effect.gen(function* () {
      const { ids, store } = yield* arrange
      const workspaces = [yield* storeWorkspace(), yield* storeWorkspace(), yield* storeWorkspace()]
      const endpoint = yield* ids.next("enrichment")
      const reserved = yield* Effect.forEach(
        Array.from({ length: 60 }, (_, n) => workspaces[n % 3]!),
        ({ id: workspaceId }) =>
          Effect.gen(function* () {
            const scope = { workspaceId, enrichmentId: yield* ids.next("enrichment"), endpoint, month: "2026-03" }
            const most = { workspace: 500, total: 1_200 }
            return { workspaceId, granted: "id" in (yield* store.reserve(scope, 100, { enrichment: 10_000, ...most })) }
          }),
        { concurrency: 8 }
      )
      const granted = reserved.filter((one) => one.granted)
      expect(granted).toHaveLength(12)
      for (const { id } of workspaces) {
        expect(granted.filter(({ workspaceId }) => workspaceId === id).length).toBeLessThanOrEqual(5)
      }
    })
  )
}
