/** Conformance of `StageStore`. */
import { Leases, type StageKey, StageStore } from "@millrace/core/storage"
import { Ids, limits } from "@millrace/core"
import type { WorkspaceId } from "@millrace/core/workspace"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { difficultTexts } from "../fixture/Text.ts"
import { storeWorkspace } from "../fixture/Workspace.ts"
import { suiteOf, type StorageTests } from "./StorageTests.ts"

const keyFor = Effect.fnUntraced(function* (workspaceId: WorkspaceId, holder = "nobody") {
  const id = yield* (yield* Ids).next("stage")
  return { workspaceId, id, resource: `bank:${id}`, holder } satisfies StageKey
})

const taken = (key: StageKey, numbers: ReadonlyArray<number>) =>
  Effect.flatMap(StageStore, (store) => Effect.map(store.take(key, numbers), (texts) => texts.map((text) => text())))

const chunk = (number: number, text = `text ${number}`) =>
  Effect.flatMap(StageStore, (store) =>
    Effect.map(store.pack(text), (packed) => ({ number, account: `account ${number % 2}`, packed }))
  )

export const tests: StorageTests = (it) => {
  it.effect("hands back what a reading has put aside, in its order, and nothing of another one", () =>
    Effect.gen(function* () {
      const { id } = yield* storeWorkspace()
      const store = yield* StageStore
      const [one, other] = [yield* keyFor(id), yield* keyFor(id)]
      const difficult = JSON.stringify(difficultTexts)
      yield* store.put(one, [yield* chunk(0, difficult), yield* chunk(1), yield* chunk(2)])
      yield* store.put(one, [yield* chunk(3)])
      yield* store.put(one, [])
      yield* store.put(other, [yield* chunk(0, "another's")])
      expect((yield* chunk(0, difficult)).packed.text()).toBe(difficult)
      expect(yield* taken(one, [3, 0, 1])).toEqual([difficult, "text 1", "text 3"])
      expect(yield* taken(one, [])).toEqual([])
      expect(yield* taken(one, [2, 7])).toEqual(["text 2"])
      yield* store.drop(one)
      expect(yield* taken(one, [0, 1, 2, 3])).toEqual([])
      expect(yield* taken(other, [0])).toEqual(["another's"])
    })
  )

  it.effect("keeps megabytes", () =>
    Effect.gen(function* () {
      const { id } = yield* storeWorkspace()
      const store = yield* StageStore
      const key = yield* keyFor(id)
      const text = "€".repeat(limits.stageChunkCharacters)
      yield* store.put(key, [yield* chunk(0, text), yield* chunk(1, text)])
      const found = yield* taken(key, [0, 1])
      expect(found.map((one) => one === text)).toEqual([true, true])
    })
  )

  it.effect("forgets what is left of those who hold the lease no more, and of nobody else", () =>
    Effect.gen(function* () {
      const { id } = yield* storeWorkspace()
      const [store, leases] = [yield* StageStore, yield* Leases]
      const [held, lost, another] = [yield* keyFor(id, "one"), yield* keyFor(id, "one"), yield* keyFor(id, "one")]
      yield* leases.take([held.resource], "one", 60)
      yield* leases.take([another.resource], "two", 60)
      for (const key of [held, lost, another]) yield* store.put(key, [yield* chunk(0), yield* chunk(1)])
      let forgotten = 0
      for (let some = 1; some > 0; forgotten += some) some = yield* store.purge(3)
      expect(forgotten).toBeGreaterThanOrEqual(4)
      expect(yield* taken(held, [0, 1])).toHaveLength(2)
      expect([yield* taken(lost, [0, 1]), yield* taken(another, [0, 1])]).toEqual([[], []])
      yield* leases.free("one")
      while ((yield* store.purge(10)) > 0);
      expect(yield* taken(held, [0, 1])).toEqual([])
    })
  )
}

export const suite = suiteOf(tests)
