import { describe, expect, it } from "@effect/vitest"
import { JobStore } from "@millrace/core/job/JobStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { Chores, layerJobHistory } from "../src/Chores.ts"

describe("the history of jobs", () => {
  it.effect("is cut now and then, and then as far as it must be", () =>
    Effect.gen(function* () {
      let left = 2_500
      const asked: Array<number> = []
      const store = Layer.mock(JobStore, {
        purge: (limit) =>
          Effect.sync(() => {
            const gone = Math.min(limit, left)
            left -= gone
            asked.push(gone)
            return gone
          })
      })
      const answers: Array<number> = []
      yield* Effect.gen(function* () {
        const [{ chore } = { chore: Effect.succeed(-1) }] = (yield* Chores).all()
        for (let minute = 0; minute <= 20; minute++) {
          answers.push(yield* chore)
          if (minute === 15) left = 7
          yield* TestClock.adjust("1 minute")
        }
      }).pipe(Effect.provide(Layer.provideMerge(Layer.provide(layerJobHistory, store), Chores.layer)))
      expect(asked).toEqual([1_000, 1_000, 500, 0, 7])
      expect(answers.filter((answer) => answer > 0)).toEqual([2_500, 7])
    })
  )
})
