/** What a driver refuses with, and the day on which it is asked. */
import { expect } from "@effect/vitest"
import { CalendarDate, ErrorCode, Timestamp } from "@millrace/core"
import { failureOf, type ProviderError } from "@millrace/core/provider"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"

/** The typed error of an effect; success and defects fail the test. */
export const refusal = Effect.fnUntraced(function* <A>(effect: Effect.Effect<A, ProviderError>) {
  const exit = yield* Effect.exit(effect)
  if (Exit.isSuccess(exit)) return expect.fail("a refusal was expected")
  const reason = exit.cause.reasons.find(Cause.isFailReason)
  if (reason === undefined) return expect.fail(`a typed error was expected: ${Cause.pretty(exit.cause)}`)
  const failure = failureOf(reason.error)
  expect(Schema.is(ErrorCode)(failure.code)).toBe(true)
  expect(reason.error.message.trim()).not.toBe("")
  return reason.error
})

export const today = Effect.map(Clock.currentTimeMillis, (now) =>
  CalendarDate.make(Timestamp.fromMillis(now).slice(0, 10))
)
