/** Conformance of `DataKeys`. */
import { DataKeys, Transactor } from "@millrace/core/storage"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { suiteOf, type StorageTests } from "./StorageTests.ts"

export const tests: StorageTests = (it) => {
  // The first test to ask: nobody has made it yet.
  it.effect("keeps a key that was made in a transaction, no matter what happens to that", () =>
    Effect.gen(function* () {
      const keys = yield* DataKeys
      const { atomically } = yield* Transactor
      let made: string | undefined
      yield* Effect.exit(
        atomically(
          Effect.gen(function* () {
            made = Redacted.value(yield* keys.get("account numbers"))
            return yield* Effect.fail("rolled back")
          })
        )
      )
      expect(Redacted.value(yield* keys.get("account numbers"))).toBe(made)
    })
  )

  it.effect("answers one key of 32 bytes for a name, no matter who asks first, and that one for ever", () =>
    Effect.gen(function* () {
      const keys = yield* DataKeys
      const asked = Array.from({ length: 8 }, () => keys.get("account numbers"))
      const texts = (yield* Effect.all(asked, { concurrency: "unbounded" })).map(Redacted.value)
      expect(new Set(texts).size).toBe(1)
      expect(Buffer.from(texts[0]!, "base64")).toHaveLength(32)
      expect(Redacted.value(yield* keys.get("account numbers"))).toBe(texts[0])
    })
  )
}

export const suite = suiteOf(tests)
