/**
 * Runs that are undone until nothing of them is left to undo: rows are what the provider says, whatever enrichments were at work,
 * in whatever order they came, and whatever was linked.
 *
 * MILLRACE_LONG=1 plays 200 worlds.
 */
import { describe, expect, it } from "@effect/vitest"
import { casesOf, countCases, seedsOf } from "@millrace/verification/cases/Cases"
import { undoneWorld } from "@millrace/verification/quality/undo/UndoneRuns"
import * as Effect from "effect/Effect"

describe("runs", () => {
  for (const seed of seedsOf(casesOf({ short: 3, long: 200 }))) {
    it.effect(`are undone to the values of the provider (seed ${seed})`, () =>
      Effect.gen(function* () {
        const { isAtEnd, records, types, wrong } = yield* undoneWorld(seed)
        expect({ seed, types, wrong, isAtEnd }).toEqual({ seed, types, wrong: [], isAtEnd: true })
        countCases(records)
      })
    )
  }
})
