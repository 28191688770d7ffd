/** Conformance of `CursorStore`. */
import { CursorStore } from "@millrace/core/storage"
import { limits } from "@millrace/core"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { difficultTexts } from "../fixture/Text.ts"
import { storeWorkspace } from "../fixture/Workspace.ts"
import { StoreClock, suiteOf, type StorageTests } from "./StorageTests.ts"

const hour = 3_600

export const tests: StorageTests = (it) => {
  it.effect("keeps a text in its workspace alone, until its time is over", () =>
    Effect.gen(function* () {
      const [own, other] = [yield* storeWorkspace(), yield* storeWorkspace()]
      const store = yield* CursorStore
      const { pass } = yield* StoreClock
      const text = JSON.stringify(difficultTexts)
      yield* store.keep(own.id, { digest: "d", text, hours: 2 })
      expect(yield* store.find(own.id, "d")).toBe(text)
      expect([yield* store.find(other.id, "d"), yield* store.find(own.id, "e")]).toEqual([undefined, undefined])
      yield* pass(hour)
      // Kept again for a shorter time, it stays as long as it was promised.
      yield* store.keep(own.id, { digest: "d", text, hours: 0 })
      expect(yield* store.find(own.id, "d")).toBe(text)
      yield* store.keep(own.id, { digest: "d", text, hours: 3 })
      yield* pass(2 * hour)
      expect(yield* store.find(own.id, "d")).toBe(text)
      yield* pass(hour + 1)
      expect(yield* store.find(own.id, "d")).toBeUndefined()
    })
  )

  it.effect("forgets those whose time is over, and no others", () =>
    Effect.gen(function* () {
      const { id } = yield* storeWorkspace()
      const store = yield* CursorStore
      const { pass } = yield* StoreClock
      for (const [digest, hours] of [
        ["a", 1],
        ["b", 1],
        ["c", 5]
      ] as const)
        yield* store.keep(id, { digest, text: digest, hours })
      yield* pass(hour + 1)
      let forgotten = 0
      for (let some = 1; some > 0; forgotten += some) some = yield* store.purge(1)
      expect([forgotten >= 2, yield* store.find(id, "c")]).toEqual([true, "c"])
      expect(yield* store.purge(10)).toBe(0)
    })
  )

  it.effect("gives room to the newest where there are too many, or too long ones", () =>
    Effect.gen(function* () {
      const [many, long] = [yield* storeWorkspace(), yield* storeWorkspace()]
      const store = yield* CursorStore
      const keep = (digest: string) => store.keep(many.id, { digest, text: digest, hours: 1 })
      for (let n = 0; n < limits.keptCursorParts; n++) yield* keep(`${n}`)
      // What is asked for again is new again.
      yield* keep("0")
      yield* keep("new")
      expect([yield* store.find(many.id, "0"), yield* store.find(many.id, "1")]).toEqual(["0", undefined])
      expect([yield* store.find(many.id, "2"), yield* store.find(many.id, "new")]).toEqual(["2", "new"])
      // Two bytes each: the first of them has to go.
      const text = "é".repeat(1 << 19)
      const count = limits.keptCursorBytes / (text.length * 2) + 1
      for (let n = 0; n < count; n++) yield* store.keep(long.id, { digest: `${n}`, text, hours: 1 })
      const found = yield* Effect.forEach(["0", "1", `${count - 1}`], (digest) => store.find(long.id, digest))
      expect(found.map((part) => part?.length)).toEqual([undefined, text.length, text.length])
    })
  )
}

export const suite = suiteOf(tests)
