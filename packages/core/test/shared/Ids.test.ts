import { Ids, isId, prefixes, type IdKind } from "../../src/shared/Ids.ts"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"

describe("Ids", () => {
  it.effect("rise for ever, whatever the clock does", () =>
    Effect.gen(function* () {
      const ids = yield* Ids
      const made: Array<string> = []
      for (const at of [5_000, 5_000, 9_000, 4_000, 9_001]) {
        yield* TestClock.setTime(at)
        made.push(...(yield* ids.batch("transaction", 2_500)), yield* ids.next("transaction"))
      }
      expect(made).toEqual(made.toSorted())
      expect(new Set(made).size).toBe(12_505)
    }).pipe(Effect.provide(Ids.layer))
  )

  it.effect("have the form of their kind, and of no other", () =>
    Effect.gen(function* () {
      const ids = yield* Ids
      const kinds = Object.keys(prefixes) as ReadonlyArray<IdKind>
      for (const kind of kinds) {
        const id = yield* ids.next(kind)
        expect(kinds.filter((other) => isId(other, id))).toEqual([kind])
      }
      expect(new Set(Object.values(prefixes)).size).toBe(kinds.length)
      const id = yield* ids.next("bank")
      expect(
        [id.toUpperCase(), id.slice(0, -1), `${id}0`, ` ${id}`, id.replace(/.$/, "u"), 7].map((one) =>
          isId("bank", one)
        )
      ).toEqual(Array.from({ length: 6 }, () => false))
    }).pipe(Effect.provide(Ids.layer))
  )
})
