/** Conformance of `TokenBudget`. */
import { Ids, limits } from "@millrace/core"
import { TokenBudget } from "@millrace/core/storage"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { storeWorkspace } from "../fixture/Workspace.ts"
import { StoreClock, type StorageTests } from "./StorageTests.ts"

const arrange = Effect.gen(function* () {
  const workspace = yield* storeWorkspace()
  const ids = yield* Ids
  const scope = { workspaceId: workspace.id, enrichmentId: yield* ids.next("enrichment"), month: "2026-03" }
  return { scope, ids, store: yield* TokenBudget, clock: yield* StoreClock }
})

export const tests: StorageTests = (it) => {
  it.effect("reserves where there is room, and settles with what was used", () =>
    Effect.gen(function* () {
      const { scope, store } = yield* arrange
      expect(yield* store.use(scope)).toEqual({ spent: 0, reserved: 0 })
      const first = yield* store.reserve(scope, 600, 1_000)
      expect(first).toBeDefined()
      expect(yield* store.reserve(scope, 401, 1_000)).toBeUndefined()
      const second = yield* store.reserve(scope, 400, 1_000)
      expect(yield* store.use(scope)).toEqual({ spent: 0, reserved: 1_000 })
      yield* store.settle(scope, first!, 100)
      expect(yield* store.use(scope)).toEqual({ spent: 100, reserved: 400 })
      // Settled once; what comes later changes nothing.
      yield* store.settle(scope, first!, 900)
      yield* store.settle(scope, second!, 0)
      expect(yield* store.use(scope)).toEqual({ spent: 100, reserved: 0 })
      expect(yield* store.reserve(scope, 901, 1_000)).toBeUndefined()
      expect(yield* store.reserve(scope, 900, 1_000)).toBeDefined()
      expect(yield* store.reserve(scope, 1, 0)).toBeUndefined()
    })
  )

  it.effect("keeps months and enrichments apart", () =>
    Effect.gen(function* () {
      const { ids, scope, store } = yield* arrange
      const others = [
        { ...scope, month: "2026-04" },
        { ...scope, enrichmentId: yield* ids.next("enrichment") }
      ]
      const id = yield* store.reserve(scope, 10, 10)
      for (const other of others) {
        yield* store.settle(other, id!, 3)
        expect(yield* store.reserve(other, 10, 10)).toBeDefined()
      }
      expect(yield* store.use(scope)).toEqual({ spent: 0, reserved: 10 })
    })
  )

  it.effect("counts as spent what nobody settled in time", () =>
    Effect.gen(function* () {
      const { clock, scope, store } = yield* arrange
      const id = yield* store.reserve(scope, 700, 1_000)
      yield* clock.pass(limits.modelReservationMinutes * 60 + 1)
      expect(yield* store.use(scope)).toEqual({ spent: 700, reserved: 0 })
      yield* store.settle(scope, id!, 1)
      expect(yield* store.use(scope)).toEqual({ spent: 700, reserved: 0 })
      expect(yield* store.reserve(scope, 301, 1_000)).toBeUndefined()
    })
  )

  it.effect("never reserves above the limit, however many ask at the same time", () =>
    Effect.gen(function* () {
      const { scope, store } = yield* arrange
      const limit = 1_000
      const seen: Array<number> = []
      const one = (tokens: number) =>
        Effect.gen(function* () {
          const id = yield* store.reserve(scope, tokens, limit)
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
      const { scope, store } = yield* arrange
      const old = { ...scope, month: "1960-01" }
      const recent = { ...scope, month: "9999-12" }
      for (const month of [old, recent]) yield* store.reserve(month, 5, 10)
      while ((yield* store.purge(100)) > 0);
      expect(yield* store.use(old)).toEqual({ spent: 0, reserved: 0 })
      expect(yield* store.use(recent)).toEqual({ spent: 0, reserved: 5 })
    })
  )
}
