/**
 * What every provider driver has to keep over the wire, whatever its upstream: `upstreamSuite(name, options)` registers the
 * tests, driven through a fake upstream that speaks its wire format and keeps the truth.
 *
 * Time is the test clock: waits of minutes and days take no time, and how fast the machine is makes no difference. Cases
 * that a driver's capabilities or its upstream exclude are registered with the reason.
 */
import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { accountCases } from "./UpstreamAccountCases.ts"
import { connectCases } from "./UpstreamConnectCases.ts"
import { crashCases } from "./UpstreamCrashCases.ts"
import { failureCases } from "./UpstreamFailureCases.ts"
import { limitCases } from "./UpstreamLimitCases.ts"
import { readingCases } from "./UpstreamReadingCases.ts"
import { rotationCases } from "./UpstreamRotationCases.ts"
import { rowCases } from "./UpstreamRowCases.ts"
import { sessionCases } from "./UpstreamSessionCases.ts"
import { storyCases, storyProperty } from "./UpstreamStoryCases.ts"
import { arrange, factsOf, type UpstreamSuiteOptions } from "./UpstreamUnderTest.ts"
import { subjectCases } from "./UpstreamSubjectCases.ts"
import { webhookCases } from "./UpstreamWebhookCases.ts"
import * as TestClock from "effect/testing/TestClock"

export type { UpstreamSuiteOptions } from "./UpstreamUnderTest.ts"

const upstreamCases = [
  ...connectCases,
  ...subjectCases,
  ...crashCases,
  ...sessionCases,
  ...readingCases,
  ...accountCases,
  ...rowCases,
  ...failureCases,
  ...limitCases,
  ...webhookCases,
  ...rotationCases,
  ...storyCases
]

/** Registers the conformance tests of a driver and its upstream. */
export const upstreamSuite = (name: string, options: UpstreamSuiteOptions): void => {
  describe(name, async () => {
    const facts = await Effect.runPromise(
      Effect.map(arrange(options), factsOf).pipe(Effect.scoped, Effect.provide(TestClock.layer()))
    )
    for (const { lacks, run, title } of upstreamCases) {
      const reason = lacks?.(facts)
      if (reason === undefined) it.effect(title, () => Effect.scoped(run(options)))
      else it(`does not apply, because ${reason}: ${title}`, () => undefined)
    }
    storyProperty(options)
  })
}
