import { expect, it } from "@effect/vitest"
import { fakeFiskil } from "@millrace/testing/upstream"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { factory } from "../../../src/provider/fiskil/FiskilProvider.ts"
import { connect, driverOn, Kept } from "../OnFake.ts"
import { survivesMutations } from "../Mutations.ts"

/** Its long form, with `MILLRACE_LONG=1`, is 10,000. */
const seeds = process.env["MILLRACE_LONG"] === undefined ? 60 : 10_000

it.effect(
  "makes an error with a name, or records, of every answer that was changed at random",
  () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 9, 30))
      const fake = yield* fakeFiskil()
      const driver = yield* driverOn(factory, fake)
      const kept = new Kept()
      const completed = yield* connect(driver, fake, kept)
      const errors = yield* survivesMutations(driver, fake, completed, kept, seeds)
      expect(errors.get("ProtocolViolation")).toBeGreaterThan(0)
    }),
  1_800_000
)
