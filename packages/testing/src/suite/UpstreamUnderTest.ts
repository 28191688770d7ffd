/** A driver that asks a fake upstream, in simulated time, and everything that is ever told of it. */
import { expect } from "@effect/vitest"
import { CalendarDate, Timestamp } from "@millrace/core"
import type { Digest } from "@millrace/core"
import type { Kernel } from "@millrace/core/kernel"
import { Outbound } from "@millrace/core/outbound"
import {
  type Capabilities,
  type CompletedConnection,
  type Connection,
  type ConnectPayload,
  type OpenSession,
  type ProviderDriver,
  type ProviderError,
  type ProviderFactory,
  type ProviderSession,
  type PullRequest,
  type Subject
} from "@millrace/core/provider"
import type { UpstreamBudget } from "@millrace/core/rate"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { beginOf, completeOf, keptIn } from "../provider/DriverCalls.ts"
import type { FakeConnection, FakeUpstream, SignIn } from "../upstream/FakeUpstream.ts"
import type { MoveKind } from "../upstream/TrueRecord.ts"
import { subjects } from "./ProviderRun.ts"
import { today } from "./Refusal.ts"

export type PulledType = PullRequest["dataType"]

export interface UpstreamSuiteOptions {
  /** A fresh fake for each test, on the clock of the test. */
  readonly fake: Effect.Effect<FakeUpstream, never, Scope.Scope>
  readonly factory: ProviderFactory
  /** A client that may ask this machine, with the bounds of an installation. */
  readonly outbound: Effect.Effect<Outbound["Service"], never, Scope.Scope>
  /** An empty store for each test. */
  readonly storage: Layer.Layer<Kernel.Stores | UpstreamBudget | Digest>
  /** Data types for which the connection has rows. */
  readonly dataTypes: ReadonlyArray<PulledType>
  /** Whose connection it is, and where; the fake's first ones unless given. */
  readonly who?: SignIn
  /** Options of the driver's own to begin a connection with. */
  readonly options?: Readonly<Record<string, unknown>>
  /** What a reader of this upstream can hear of, with weights; everything unless given. */
  readonly moves?: ReadonlyArray<readonly [MoveKind, number]>
  /** The upstream knows people by their e-mail addresses, and is asked for them so. */
  readonly namesPeople?: boolean
  /** How a stored row and a true one are compared; amount, pending and, of posted rows, the day unless given. */
  readonly sees?: { readonly dates: boolean }
  /** The answer of an exchange that never arrived is lost permanently: the upstream gives it once. */
  readonly exchangesOnce?: boolean
  /** Answers of the upstream are lists without anything around them: an empty one truly says that there is nothing. */
  readonly answersLists?: boolean
  /** First day that the upstream gives, where it refuses earlier ones; as far back as its capabilities say unless given. */
  readonly from?: string
  /** Instant at which the tests begin. */
  readonly start?: string
}

/** What decides which cases apply. */
export interface UpstreamFacts {
  readonly capabilities: Capabilities
  readonly fake: Pick<
    FakeUpstream,
    "breakages" | "loseCheckpoints" | "collecting" | "webhooks" | "paste" | "isOffline" | "rotation" | "subjects"
  >
  readonly hasVerify: boolean
  readonly hasReadLimits: boolean
  readonly answersLists: boolean
  readonly hasRemoveSubject: boolean
}

export interface UpstreamWorld {
  readonly fake: FakeUpstream
  readonly driver: ProviderDriver
  readonly making: Effect.Effect<ProviderDriver, unknown, Outbound>
  readonly outbound: Outbound["Service"]
  readonly options: UpstreamSuiteOptions
  readonly subjectRef: string
  readonly subjectSecrets: Record<string, string>
  /** The newest secrets of every connection, by its reference. */
  readonly newest: Map<string, Connection>
  /** What was told of anything: errors, and what is logged. */
  readonly told: Array<string>
  /** Requests that are under way. */
  readonly inFlight: () => number
}

/** Plain settings, in which what is secret is given as a program gives it. */
const configOf = ({ config, secrets }: FakeUpstream): unknown => {
  const secret = new Set(secrets)
  const given = (value: unknown): unknown =>
    typeof value === "string" && secret.has(value)
      ? Redacted.make(value)
      : Array.isArray(value)
        ? value.map(given)
        : typeof value === "object" && value !== null && !Redacted.isRedacted(value)
          ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, given(inner)]))
          : value
  return given(config)
}

/** Every word of an error: what is logged of it, and what is sent of it. */
const wordsOf = (error: unknown): string =>
  `${Cause.pretty(Cause.fail(error))} ${JSON.stringify(error)} ${error instanceof Error ? `${error.message} ${error.stack}` : ""}`

/** The driver, whose errors are noted. */
const noted = (driver: ProviderDriver, told: Array<string>): ProviderDriver => {
  const note = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.tapCause(effect, (cause) =>
      Effect.sync(() => void told.push(Cause.pretty(cause), ...cause.reasons.map((reason) => wordsOf(reason))))
    )
  const session = ({
    inspect,
    listAccounts,
    pull,
    refresh,
    revoke,
    unreadAccounts
  }: ProviderSession): ProviderSession => ({
    inspect: note(inspect),
    listAccounts: note(listAccounts),
    ...(unreadAccounts === undefined ? {} : { unreadAccounts: note(unreadAccounts) }),
    pull: (request) => note(pull(request)),
    ...(refresh === undefined ? {} : { refresh: (dataTypes) => note(refresh(dataTypes)) }),
    revoke: note(revoke)
  })
  const { removeSubject } = driver
  return {
    ...driver,
    ...(removeSubject === undefined ? {} : { removeSubject: (subject) => note(removeSubject(subject)) }),
    listInstitutions: (query) => note(driver.listInstitutions(query)),
    beginConnect: (request) => note(driver.beginConnect(request)),
    completeConnect: (request) => note(driver.completeConnect(request)),
    open: (request) => Effect.map(note(driver.open(request)), session)
  }
}

const instanceOf = ({ factory }: UpstreamSuiteOptions): string => `${factory.kind}:suite`

/** A fresh upstream and its driver, at the instant at which the tests begin. */
export const arrange = Effect.fnUntraced(function* (options: UpstreamSuiteOptions) {
  yield* TestClock.setTime(Timestamp.toMillis(Timestamp.make(options.start ?? "2026-11-21T09:30:00.000Z")))
  const fake = yield* options.fake
  const client = yield* options.outbound
  let flying = 0
  const outbound = Outbound.of({
    request: (request) =>
      Effect.suspend(() => {
        flying++
        return Effect.ensuring(
          client.request(request),
          Effect.sync(() => void flying--)
        )
      })
  })
  const told: Array<string> = []
  const making = Effect.suspend(() => {
    const config = Schema.decodeUnknownSync(options.factory.Config)(configOf(fake))
    return options.factory.make({ instanceId: instanceOf(options), config })
  }).pipe(Effect.map((driver) => noted(driver, told)))
  const driver = yield* Effect.provideService(making, Outbound, outbound)
  return {
    fake,
    driver,
    making,
    outbound,
    options,
    subjectRef: "ws_00000000000000000000000000",
    subjectSecrets: {},
    newest: new Map(),
    told,
    inFlight: () => flying
  } satisfies UpstreamWorld
})

export const factsOf = ({ driver, fake, options }: UpstreamWorld): UpstreamFacts => ({
  capabilities: driver.capabilities,
  fake,
  hasVerify: driver.verifyWebhook !== undefined,
  hasReadLimits: driver.readLimits !== undefined,
  answersLists: options.answersLists === true,
  hasRemoveSubject: driver.removeSubject !== undefined
})

export const subjectOf = ({ subjectRef, subjectSecrets }: UpstreamWorld): Subject => ({
  ref: subjectRef,
  secrets: { ...subjectSecrets }
})

/** What is begun with: everything that it makes is kept where the next call finds it. */
export const begin = (world: UpstreamWorld, kept: Record<string, string>, reconnect?: Connection) =>
  world.driver.beginConnect(
    beginOf({
      subject: subjectOf(world),
      redirectUri: "https://app.example.com/connect/landing",
      webhookUrl: "https://app.example.com/v1/webhooks/suite",
      options: { ...world.options.options },
      keepSubject: keptIn(world.subjectSecrets),
      keepAttempt: keptIn(kept),
      ...(reconnect === undefined ? {} : { reconnect })
    })
  )

export const complete = (
  world: UpstreamWorld,
  payload: ConnectPayload,
  attemptSecrets: Record<string, string>,
  reconnect?: Connection
): Effect.Effect<CompletedConnection, ProviderError> =>
  world.driver.completeConnect(
    completeOf(payload, {
      subject: subjectOf(world),
      attemptSecrets: { ...attemptSecrets },
      keepSubject: keptIn(world.subjectSecrets),
      keepAttempt: keptIn(attemptSecrets),
      ...(reconnect === undefined ? {} : { reconnect })
    })
  )

/** What the person brings back: pasted, or from the step's page. */
export const signedIn = Effect.fnUntraced(function* (
  world: UpstreamWorld,
  kept: Record<string, string>,
  who = world.options.who
) {
  if (world.fake.paste !== undefined) return world.fake.paste(who)
  const step = yield* begin(world, kept)
  return world.fake.signIn(step, who)
})

export interface ConnectedWorld extends UpstreamWorld {
  readonly completed: CompletedConnection
  /** The newest secrets. */
  readonly connection: () => Connection
  readonly upstream: FakeConnection
}

export const upstreamOf = (fake: FakeUpstream, ref: string): FakeConnection =>
  fake.connections.find((one) => one.ref === ref) ?? expect.fail(`the upstream has no connection ${ref}`)

/** A person connects a bank. */
export const connect = Effect.fnUntraced(function* (world: UpstreamWorld, who = world.options.who) {
  const kept: Record<string, string> = {}
  const payload = yield* signedIn(world, kept, who)
  const completed = yield* complete(world, payload, kept)
  const { ref } = completed.connection
  world.newest.set(ref, completed.connection)
  const upstream = upstreamOf(world.fake, ref)
  return { ...world, completed, upstream, connection: () => world.newest.get(ref)! } satisfies ConnectedWorld
})

/** A session with the newest secrets; what rotates is kept. */
export const openSession = (
  world: ConnectedWorld,
  over: Partial<OpenSession> = {}
): Effect.Effect<ProviderSession, ProviderError> => {
  const { ref } = world.connection()
  return world.driver.open({
    connection: world.connection(),
    subject: subjectOf(world),
    keep: (secrets) =>
      Effect.sync(() => {
        world.newest.set(ref, { ref, secrets: { ...world.connection().secrets, ...secrets } })
      }),
    ...over
  })
}

export const connected = Effect.fnUntraced(function* (options: UpstreamSuiteOptions) {
  return yield* connect(yield* arrange(options))
})

/** Every pull of everything that the connection has. */
export const pulls = Effect.fnUntraced(function* (world: ConnectedWorld, session: ProviderSession) {
  const accounts = yield* session.listAccounts
  const to = yield* today
  const { from: first } = world.options
  const from =
    first === undefined
      ? CalendarDate.addDays(to, -world.driver.capabilities.history.maxDays)
      : CalendarDate.make(first)
  return world.options.dataTypes.flatMap((dataType) =>
    subjects(world.driver.capabilities.dataTypes[dataType]!, dataType, accounts).map(
      (providerAccountIds): PullRequest => ({ dataType, providerAccountIds, from, to })
    )
  )
})

/** What a run asks: health, accounts, and the first page of everything. */
export const lookAround = Effect.fnUntraced(function* (world: ConnectedWorld) {
  const session = yield* openSession(world)
  yield* session.inspect
  for (const request of yield* pulls(world, session)) yield* session.pull(request)
})

const macrotask = Effect.promise(() => new Promise<void>((resolve) => void setImmediate(resolve)))

/**
 * Runs an effect to its end in simulated time: whenever nothing is asked and nothing goes on, time moves on. How fast the
 * machine is makes no difference.
 */
export const inSimulatedTime = <A, E, R>(
  world: Pick<UpstreamWorld, "inFlight">,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect, { startImmediately: true })
    let idle = 0
    while (fiber.pollUnsafe() === undefined) {
      yield* macrotask
      idle = world.inFlight() === 0 ? idle + 1 : 0
      if (idle >= 5) yield* TestClock.adjust("1 second")
    }
    return yield* Fiber.join(fiber)
  })

/** Lets a request that never ends run into its bound. */
export const pastBounds = <A, E, R>(world: UpstreamWorld, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const arrived = Effect.promise(() => world.fake.server.nextRequest())
    const waiting = yield* Effect.forkChild(arrived, { startImmediately: true })
    const fiber = yield* Effect.forkChild(effect, { startImmediately: true })
    yield* Fiber.join(waiting)
    while (fiber.pollUnsafe() === undefined) {
      yield* macrotask
      yield* TestClock.adjust("10 seconds")
    }
    return yield* Fiber.join(fiber)
  })

/** No secret is reported to anybody, in any error or log. */
export const expectNoSecrets = (world: UpstreamWorld, more: ReadonlyArray<string> = []): void => {
  const secrets = [
    ...world.fake.secrets,
    ...world.fake.connections.flatMap((one) => one.secrets),
    ...Object.values(world.subjectSecrets)
  ].filter((secret) => secret.length >= 6)
  for (const text of [...world.told, ...more]) {
    for (const secret of secrets) {
      if (text.includes(secret))
        expect.fail(`a secret was told: ${text.replaceAll(secret, "<the secret>").slice(0, 300)}`)
    }
  }
}
