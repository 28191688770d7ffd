/** Drivers that ask fake upstreams on this machine, and what is common to trying them. */
import { expect } from "@effect/vitest"
import { StrictDecoding } from "@millrace/core"
import { Outbound } from "@millrace/core/outbound"
import type {
  BeginConnect,
  ClientStep,
  CompletedConnection,
  ConnectPayload,
  OpenSession,
  ProviderDriver,
  ProviderError,
  ProviderFactory,
  ProviderSession,
  PullRequest,
  SyncPage
} from "@millrace/core/provider"
import { testSubject } from "@millrace/testing/fake"
import type { FakeUpstream, SignIn } from "@millrace/testing/upstream"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as OutboundClient from "../../src/outbound/OutboundClient.ts"
import { privateHosts } from "../../src/outbound/PrivateHosts.ts"

/** A client that reaches them. */
export const local = OutboundClient.make({ privateHosts: Result.getOrThrow(privateHosts(["127.0.0.1"])) })

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
  const outbound = yield* local
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

/** Connects as a person does: begins, signs in, completes. With what was shown and brought back on the way. */
export const signedIn = Effect.fnUntraced(function* (
  driver: ProviderDriver,
  fake: FakeUpstream,
  kept: Kept,
  who: SignIn = {},
  more: Partial<BeginConnect> = {}
): Effect.fn.Return<
  { readonly step: ClientStep; readonly payload: ConnectPayload; readonly completed: CompletedConnection },
  ProviderError
> {
  const request = kept.request(more)
  const step = yield* driver.beginConnect(request)
  const payload = request.reconnect === undefined ? fake.signIn(step, who) : fake.repair(step, request.reconnect.ref)
  const completed = yield* driver.completeConnect({
    attemptId: request.attemptId,
    subject: { ref: kept.ref, secrets: kept.subject },
    attemptSecrets: kept.attempt,
    payload,
    keepSubject: request.keepSubject,
    keepAttempt: request.keepAttempt,
    ...(request.reconnect === undefined ? {} : { reconnect: request.reconnect })
  })
  return { step, payload, completed }
})

/** The same, and what it gives alone. */
export const connect = (...connecting: Parameters<typeof signedIn>) =>
  Effect.map(signedIn(...connecting), ({ completed }) => completed)

export const open = (
  driver: ProviderDriver,
  { connection }: Pick<CompletedConnection, "connection">,
  kept: Kept,
  over: Partial<OpenSession> = {}
): Effect.Effect<ProviderSession, ProviderError> =>
  driver.open({ connection, subject: { ref: kept.ref, secrets: kept.subject }, keep: () => Effect.void, ...over })

/** Somebody who connected for the first time, with sessions of what came of it. */
export const connected = Effect.fnUntraced(function* (driver: ProviderDriver, fake: FakeUpstream, who: SignIn = {}) {
  const kept = new Kept(testSubject.ref)
  const { completed, payload, step } = yield* signedIn(driver, fake, kept, who)
  return {
    kept,
    step,
    payload,
    completed,
    subject: { ref: kept.ref, secrets: kept.subject },
    open: (over: Partial<OpenSession> = {}) => Effect.orDie(open(driver, completed, kept, over))
  }
})

/** Every page of a run. */
export const pagesOf = Effect.fnUntraced(function* (session: ProviderSession, request: PullRequest) {
  const pages: Array<SyncPage> = []
  for (let position: string | undefined; ;) {
    const page = yield* session.pull(position === undefined ? request : { ...request, position })
    pages.push(page)
    if (page.end.kind === "done") return pages
    position = page.end.position
  }
})

/** Completes with what the upstream knows nothing of, what is another person's, and what has no such form: none is taken. */
export const expectRefusals = Effect.fnUntraced(function* (driver: ProviderDriver, fake: FakeUpstream, kept: Kept) {
  for (const how of ["unknown", "foreign", "malformed", "otherKind"] as const) {
    const completed = driver.completeConnect({
      attemptId: "attempt-2",
      subject: { ref: kept.ref, secrets: kept.subject },
      attemptSecrets: {},
      payload: fake.refused(undefined, how)!,
      keepSubject: () => Effect.void,
      keepAttempt: () => Effect.void
    })
    expect([how, yield* tagOf(completed)]).toEqual([how, "InvalidConnectPayload"])
  }
})

/** The tag of the error of an effect; success fails the test. */
export const tagOf = <A>(effect: Effect.Effect<A, ProviderError>): Effect.Effect<string> =>
  Effect.match(effect, { onFailure: ({ _tag }) => _tag, onSuccess: () => expect.fail("a refusal was expected") })
