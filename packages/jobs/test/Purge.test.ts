import { describe, expect, it } from "@effect/vitest"
import { EventStore } from "@millrace/core/event/EventStore"
import { Corrections } from "@millrace/core/identity/Corrections"
import { CursorStore } from "@millrace/core/cursor/CursorStore"
import { Tables } from "@millrace/core/table/Tables"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { Chores, layerPurge } from "../src/Chores.ts"

describe("the trash", () => {
  it.effect("is emptied about once a minute, however often the dispatcher asks", () =>
    Effect.gen(function* () {
      let purged = 0
      const tables = Layer.mock(Tables, { purge: Effect.sync(() => ++purged) })
      let forgotten = 0
      const corrections = Layer.mock(Corrections, { purge: Effect.sync(() => ++forgotten) })
      let cursors = 0
      const kept = Layer.mock(CursorStore, { purge: () => Effect.sync(() => ++cursors) })
      let told = 0
      const events = Layer.mock(EventStore, { purge: () => Effect.sync(() => ++told) })
      const answers: Array<number> = []
      yield* Effect.gen(function* () {
        const [{ chore } = { chore: Effect.succeed(-1) }] = (yield* Chores).all()
        for (let second = 0; second < 121; second++) {
          answers.push(yield* chore)
          yield* TestClock.adjust("1 second")
        }
      }).pipe(
        Effect.provide(Layer.provideMerge(Layer.provide(layerPurge, [tables, corrections, kept, events]), Chores.layer))
      )
      expect([purged, forgotten, cursors, told]).toEqual([3, 3, 3, 3])
      expect(answers.filter((answer) => answer === 0)).toHaveLength(118)
    })
  )
})
