/** A driver beside the stand-in of its upstream, connected as a person would. */
import {
  type ConnectPayload,
  type OpenSession,
  type ProviderDriver,
  type ProviderFactory,
  type ProviderSession
} from "@millrace/core/provider"
import { Outbound } from "@millrace/core/outbound"
import { beginOf, completeOf, keptIn, openFor, testSubject } from "@millrace/testing/fake"
import type { FakeUpstream, SignIn } from "@millrace/testing/upstream"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as OutboundClient from "../../src/outbound/OutboundClient.ts"
import { privateHosts } from "../../src/outbound/PrivateHosts.ts"

export const local = OutboundClient.make({ privateHosts: Result.getOrThrow(privateHosts(["127.0.0.1"])) })

/** The driver of an instance that asks the stand-in. */
export const driverOf = Effect.fnUntraced(function* <C>(
  factory: ProviderFactory<C>,
  fake: FakeUpstream,
  over: Readonly<Record<string, unknown>> = {}
) {
  const written = Object.entries({ ...fake.config, ...over }).map(([key, value]) => [
    key,
    typeof value === "string" && fake.secrets.includes(value) ? Redacted.make(value) : value
  ])
  const config = Schema.decodeUnknownSync(factory.Config)(Object.fromEntries(written))
  const client = yield* local
  return yield* Effect.provideService(factory.make({ instanceId: `${factory.kind}:test`, config }), Outbound, client)
})

/** What was kept of a subject and of an attempt. */
export interface Kept {
  readonly subject: Record<string, string>
  readonly attempt: Record<string, string>
}

/** The person begins, signs in and comes back. */
export const connect = Effect.fnUntraced(function* (driver: ProviderDriver, fake: FakeUpstream, who: SignIn = {}) {
  const kept: Kept = { subject: {}, attempt: {} }
  const step = yield* driver.beginConnect(
    beginOf({ keepSubject: keptIn(kept.subject), keepAttempt: keptIn(kept.attempt) })
  )
  const payload: ConnectPayload = fake.signIn(step, who)
  const subject = { ...testSubject, secrets: kept.subject }
  const completed = yield* driver.completeConnect(completeOf(payload, { subject, attemptSecrets: kept.attempt }))
  const open = (over: Partial<OpenSession> = {}): Effect.Effect<ProviderSession> =>
    Effect.orDie(openFor(driver, completed.connection, { subject, ...over }))
  return { kept, step, payload, subject, completed, open }
})
