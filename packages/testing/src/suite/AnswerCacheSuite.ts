/** Conformance of `AnswerCache`. */
import { AnswerCache } from "@millrace/core/storage"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { difficultTexts } from "../fixture/Text.ts"
import { storeWorkspace } from "../fixture/Workspace.ts"
import { StoreClock, type StorageTests } from "./StorageTests.ts"

const day = 86_400

export const tests: StorageTests = (it) => {
  it.effect("keeps answers in their workspace alone, abstentions as well", () =>
    Effect.gen(function* () {
      const [own, other] = [yield* storeWorkspace(), yield* storeWorkspace()]
      const store = yield* AnswerCache
      const texts = difficultTexts.map((answer, n) => ({ key: `text ${n}`, answer, probability: n / 100 }))
      yield* store.keep(own.id, [...texts, { key: "abstains", answer: null, probability: 0.4 }])
      yield* store.keep(own.id, [])
      const keys = [...texts.map(({ key }) => key), "abstains", "unknown"]
      const found = yield* store.find(own.id, keys, false)
      expect(found.size).toBe(texts.length + 1)
      for (const { answer, key, probability } of texts) expect(found.get(key)).toEqual({ answer, probability })
      expect(found.get("abstains")).toEqual({ answer: null, probability: 0.4 })
      expect((yield* store.find(other.id, keys, false)).size).toBe(0)
      expect((yield* store.find(own.id, [], false)).size).toBe(0)
    })
  )

  it.effect("takes the later of two answers, with its time", () =>
    Effect.gen(function* () {
      const { id } = yield* storeWorkspace()
      const store = yield* AnswerCache
      const { pass } = yield* StoreClock
      yield* store.keep(id, [{ key: "a", answer: null, probability: 0, days: 7 }])
      yield* store.keep(id, [
        { key: "a", answer: "x", probability: 0.5, days: 1 },
        { key: "a", answer: "y", probability: 0.9 }
      ])
      yield* pass(8 * day)
      expect((yield* store.find(id, ["a"], false)).get("a")).toEqual({ answer: "y", probability: 0.9 })
    })
  )

  it.effect("leaves out what has expired, unless it is reported again, and forgets it a day later", () =>
    Effect.gen(function* () {
      const { id } = yield* storeWorkspace()
      const store = yield* AnswerCache
      const { pass } = yield* StoreClock
      yield* store.keep(id, [
        { key: "short", answer: null, probability: 0, days: 7 },
        { key: "long", answer: "x", probability: 1 }
      ])
      const keysOf = (evenExpired: boolean) =>
        Effect.map(store.find(id, ["short", "long"], evenExpired), (found) => [...found.keys()].toSorted())
      yield* pass(6 * day)
      expect(yield* keysOf(false)).toEqual(["long", "short"])
      yield* pass(day + 1)
      expect(yield* keysOf(false)).toEqual(["long"])
      while ((yield* store.purge(100)) > 0);
      expect(yield* keysOf(true)).toEqual(["long", "short"])
      yield* pass(day)
      let forgotten = 0
      for (let some = 1; some > 0; forgotten += some) some = yield* store.purge(1)
      expect(forgotten).toBeGreaterThanOrEqual(1)
      expect(yield* keysOf(true)).toEqual(["long"])
    })
  )
}
