/** Conformance of `ReceivedWebhooks`. */
import { limits } from "@millrace/core"
import { ReceivedWebhooks } from "@millrace/core/storage"
import { acrossTenants } from "@millrace/core/workspace"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { StoreClock, type StorageTests } from "./StorageTests.ts"

const every = acrossTenants("provider callbacks")

export const tests: StorageTests = (it) => {
  it.effect("tells a callback that came before, of each instance by itself, however many come at once", () =>
    Effect.gen(function* () {
      const store = yield* ReceivedWebhooks
      expect(yield* store.note("first:webhooks", ["a", "b", "a"])).toEqual(new Set(["a", "b"]))
      expect(yield* store.note("first:webhooks", ["b", "c"])).toEqual(new Set(["c"]))
      expect(yield* store.note("second:webhooks", ["a"])).toEqual(new Set(["a"]))
      expect(yield* store.note("first:webhooks", [])).toEqual(new Set())
      const racing = yield* Effect.all(
        Array.from({ length: 10 }, () => store.note("first:webhooks", ["z", "y"])),
        { concurrency: "unbounded" }
      )
      expect(racing.flatMap((fresh) => [...fresh]).toSorted()).toEqual(["y", "z"])
    }).pipe(every)
  )

  it.effect("forgets those that are too old to come again", () =>
    Effect.gen(function* () {
      const store = yield* ReceivedWebhooks
      yield* store.note("third:webhooks", ["old"])
      yield* (yield* StoreClock).pass(limits.webhookDays * 86_400 + 1)
      yield* store.note("third:webhooks", ["young"])
      expect(yield* store.purge(1_000)).toBeGreaterThan(0)
      expect(yield* store.note("third:webhooks", ["old", "young"])).toEqual(new Set(["old"]))
    }).pipe(every)
  )
}
