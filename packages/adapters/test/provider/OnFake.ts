/** Drivers that ask fake upstreams on this machine, and what is common to trying them. */
import { expect } from "@effect/vitest"
import { StrictDecoding } from "@millrace/core"
import { Outbound } from "@millrace/core/outbound"
import type {
  BeginConnect,
  CompletedConnection,
  ProviderDriver,
  ProviderError,
  ProviderFactory,
  ProviderSession
} from "@millrace/core/provider"
import type { FakeUpstream, SignIn } from "@millrace/testing/upstream"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as OutboundClient from "../../src/outbound/OutboundClient.ts"
import { privateHosts } from "../../src/outbound/PrivateHosts.ts"

const hosts = Result.getOrThrow(privateHosts(["127.0.0.1"]))

/** Settings as a configuration file gives them: those that are secret are hidden. */
const configOf = (fake: FakeUpstream, change: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries({ ...fake.config, ...change }).flatMap(([key, value]) =>
      value === undefined
        ? []
        : [[key, typeof value === "string" && fake.secrets.includes(value) ? Redacted.make(value) : value]]
    )
  )

/** A driver of its own: it remembers nothing of another one on the same fake. */
export const driverOn = Effect.fnUntraced(function* <C>(
  factory: ProviderFactory<C>,
  fake: FakeUpstream,
  change: Readonly<Record<string, unknown>> = {}
) {
  const outbound = yield* OutboundClient.make({ privateHosts: hosts })
  const config = Result.getOrThrow(StrictDecoding.decode(factory.Config, configOf(fake, change)))
  const making = factory.make({ instanceId: `${factory.kind}:test`, config })
  return yield* Effect.provideService(making, Outbound, outbound)
})

/** What the kernel keeps of subjects, attempts and connections, and how often. */
export class Kept {
  subject: Record<string, string> = {}
  attempt: Record<string, string> = {}
  subjectTimes = 0
  /** Fails, as storage that is away does, as often as it says. */
  failures = 0
  readonly ref: string

  constructor(ref = "subject-1") {
    this.ref = ref
  }

  request(more: Partial<BeginConnect> = {}): BeginConnect {
    return {
      attemptId: "attempt-1",
      subject: { ref: this.ref, secrets: { ...this.subject } },
      options: {},
      keepSubject: (secrets) =>
        Effect.suspend(() => {
          if (this.failures > 0) {
            this.failures--
            return Effect.die("storage is away")
          }
          this.subjectTimes++
          Object.assign(this.subject, secrets)
          return Effect.void
        }),
      keepAttempt: (secrets) => Effect.sync(() => void Object.assign(this.attempt, secrets)),
      ...more
    }
  }
}

/** Connects as a person does: begins, signs in, completes. */
export const connect = Effect.fnUntraced(function* (
  driver: ProviderDriver,
  fake: FakeUpstream,
  kept: Kept,
  who: SignIn = {},
  more: Partial<BeginConnect> = {}
): Effect.fn.Return<CompletedConnection, ProviderError> {
  const request = kept.request(more)
  const step = yield* driver.beginConnect(request)
  const payload = request.reconnect === undefined ? fake.signIn(step, who) : fake.repair(step, request.reconnect.ref)
  return yield* driver.completeConnect({
    attemptId: request.attemptId,
    subject: { ref: kept.ref, secrets: kept.subject },
    attemptSecrets: kept.attempt,
    payload,
    keepSubject: request.keepSubject,
    keepAttempt: request.keepAttempt,
    ...(request.reconnect === undefined ? {} : { reconnect: request.reconnect })
  })
})

export const open = (
  driver: ProviderDriver,
  { connection }: Pick<CompletedConnection, "connection">,
  kept: Kept
): Effect.Effect<ProviderSession, ProviderError> =>
  driver.open({ connection, subject: { ref: kept.ref, secrets: kept.subject }, keep: () => Effect.void })

/** The tag of the error of an effect; success fails the test. */
export const tagOf = <A>(effect: Effect.Effect<A, ProviderError>): Effect.Effect<string> =>
  Effect.match(effect, { onFailure: ({ _tag }) => _tag, onSuccess: () => expect.fail("a refusal was expected") })
