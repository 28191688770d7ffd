/** A driver under test with its connection, and how the suite asks it. */
import { expect } from "@effect/vitest"
import { CalendarDate, type Decimal, type Digest, ErrorCode, Timestamp } from "@millrace/core"
import type { Kernel } from "@millrace/core/kernel"
import {
  type Connection,
  type ConnectPayload,
  type DataTypeCapability,
  failureOf,
  type ObservedAccount,
  type ProviderDriver,
  type ProviderError,
  type PullRequest
} from "@millrace/core/provider"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { completeOf, eachCall } from "../provider/DriverCalls.ts"
import { run, subjects } from "./ProviderRun.ts"

export type PulledType = PullRequest["dataType"]

/** What is true of an account's ledger, told by the fixture and not by the driver. */
export interface LedgerTruth {
  /** Balance before the first row: with it, opening + posted rows = balance. */
  readonly opening?: Decimal.Decimal
  /** Sum of all posted rows at the start; proves the sign convention. */
  readonly posted?: Decimal.Decimal
}

export interface ProviderUnderTest {
  readonly driver: ProviderDriver
  /** Completes into a healthy connection with data. */
  readonly payload: ConnectPayload
  /** A payload that the driver has to refuse. */
  readonly refusedPayload: ConnectPayload
  /** A connection that the upstream has never heard of. */
  readonly unknown: Connection
  /** A day from which on the upstream gives everything it has. */
  readonly from: CalendarDate.CalendarDate
  /** Moves the upstream on (and the test clock, if it lives by it). */
  readonly advance: (move: number) => Effect.Effect<void>
  /** By upstream account id. */
  readonly truth?: ReadonlyMap<string, LedgerTruth>
}

export interface ProviderSuiteOptions {
  /** A fresh upstream for each test. */
  readonly make: Effect.Effect<ProviderUnderTest, ProviderError, Scope.Scope>
  /** An empty store for each test, in memory or not: what the kernel reads through the driver is kept in it. */
  readonly storage: Layer.Layer<Kernel.Stores | Digest>
  /** Data types of which the connection has rows. */
  readonly dataTypes: ReadonlyArray<PulledType>
  /** Some of its accounts lack a data type that others have. Every driver whose accounts differ shows one like this. */
  readonly mixed?: boolean
  /** How often `advance` is called in a test. */
  readonly moves: number
  /** Instant at which the tests begin. */
  readonly start?: string
}

export interface Opened extends ProviderUnderTest {
  readonly connection: Connection
  /** A session for each call. */
  readonly calls: ReturnType<typeof eachCall>
  readonly accounts: ReadonlyArray<ObservedAccount>
}

export const attemptId = "cat_00000000000000000000000000"

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

export const capabilityOf = (driver: ProviderDriver, dataType: PulledType): DataTypeCapability =>
  driver.capabilities.dataTypes[dataType] ?? expect.fail(`${dataType} is not among the capabilities`)

/** A fresh upstream, connected, at the instant at which the tests begin. */
export const opened = Effect.fnUntraced(function* (options: ProviderSuiteOptions) {
  yield* TestClock.setTime(Timestamp.toMillis(Timestamp.make(options.start ?? "2026-11-21T09:30:00.000Z")))
  const subject = yield* options.make
  const { connection } = yield* subject.driver.completeConnect(completeOf(subject.payload, { attemptId }))
  const calls = eachCall(subject.driver)
  return { ...subject, connection, calls, accounts: yield* calls.listAccounts(connection) } satisfies Opened
})

/** The pulls that read a data type: one for the connection, or one for each account. */
export const requests = Effect.fnUntraced(function* (subject: Opened, dataType: PulledType) {
  const to = yield* today
  return subjects(capabilityOf(subject.driver, dataType), dataType, subject.accounts).map(
    (providerAccountIds): PullRequest => ({ dataType, providerAccountIds, from: subject.from, to })
  )
})

/** Everything of a type now, by pull. */
export const readAll = Effect.fnUntraced(function* (subject: Opened, dataType: PulledType) {
  return yield* Effect.forEach(yield* requests(subject, dataType), (request) =>
    run(subject.driver, subject.connection, request)
  )
})
