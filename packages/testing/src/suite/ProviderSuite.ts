/**
 * What every provider driver has to keep, whatever its upstream: `suite(name, options)` registers the tests.
 *
 * The options say how to connect and how to make the upstream move on. Time is the test clock, which
 * stands still except where `advance` moves it.
 */
import { describe, expect, it } from "@effect/vitest"
import { isUsable } from "@millrace/core/bank/ConnectionHealth"
import { bankTypes } from "@millrace/core/bank/Bank"
import { accountTypes } from "@millrace/core/account/AccountType"
import { ErrorCode } from "@millrace/core/failure/ErrorCode"
import type { DataTypeCapability } from "@millrace/core/provider/Capabilities"
import type {
  Connection,
  ConnectPayload,
  ObservedAccount,
  ProviderDriver,
  PullRequest
} from "@millrace/core/provider/Provider"
import { failureOf, type ProviderError } from "@millrace/core/provider/ProviderError"
import { ProviderInstanceId, providerKinds } from "@millrace/core/provider/ProviderKind"
import { syncDataTypes } from "@millrace/core/record/DataType"
import * as CalendarDate from "@millrace/core/shared/CalendarDate"
import * as Currency from "@millrace/core/shared/Currency"
import * as Decimal from "@millrace/core/shared/Decimal"
import * as Timestamp from "@millrace/core/shared/Timestamp"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { findings } from "./ProviderRecord.ts"
import { applied, keyOf, type Model, run, sorted, subjects } from "./ProviderRun.ts"

type PulledType = PullRequest["dataType"]

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
  readonly make: Effect.Effect<ProviderUnderTest, never, Scope.Scope>
  /** Data types of which the connection has rows. */
  readonly dataTypes: ReadonlyArray<PulledType>
  /** How often `advance` is called in a test. */
  readonly moves: number
  /** Instant at which the tests begin. */
  readonly start?: string
}

interface Opened extends ProviderUnderTest {
  readonly connection: Connection
  readonly accounts: ReadonlyArray<ObservedAccount>
}

const attemptId = "cat_00000000000000000000000000"
const pulledTypes = syncDataTypes.filter((dataType) => dataType !== "balances")

/** The typed error of an effect; success and defects fail the test. */
const refusal = Effect.fnUntraced(function* <A>(effect: Effect.Effect<A, ProviderError>) {
  const exit = yield* Effect.exit(effect)
  if (Exit.isSuccess(exit)) return expect.fail("a refusal was expected")
  const reason = exit.cause.reasons.find(Cause.isFailReason)
  if (reason === undefined) return expect.fail(`a typed error was expected: ${Cause.pretty(exit.cause)}`)
  const failure = failureOf(reason.error)
  expect(Schema.is(ErrorCode)(failure.code)).toBe(true)
  expect(reason.error.message.trim()).not.toBe("")
  return reason.error
})

const today = Effect.map(Clock.currentTimeMillis, (now) => CalendarDate.make(Timestamp.fromMillis(now).slice(0, 10)))

const capabilityOf = (driver: ProviderDriver, dataType: PulledType): DataTypeCapability =>
  driver.capabilities.dataTypes[dataType] ?? expect.fail(`${dataType} is not among the capabilities`)

/** Registers the conformance tests of a driver. */
export const suite = (name: string, options: ProviderSuiteOptions): void => {
  const opened = Effect.gen(function* () {
    yield* TestClock.setTime(Timestamp.toMillis(Timestamp.make(options.start ?? "2026-11-21T09:30:00.000Z")))
    const subject = yield* options.make
    const { connection } = yield* subject.driver.completeConnect({ attemptId, payload: subject.payload })
    return { ...subject, connection, accounts: yield* subject.driver.listAccounts(connection) } satisfies Opened
  })

  const requests = Effect.fnUntraced(function* (subject: Opened, dataType: PulledType) {
    const to = yield* today
    return subjects(capabilityOf(subject.driver, dataType), dataType, subject.accounts).map(
      (providerAccountIds): PullRequest => ({ dataType, providerAccountIds, from: subject.from, to })
    )
  })

  /** Everything of a type now, by pull. */
  const readAll = Effect.fnUntraced(function* (subject: Opened, dataType: PulledType) {
    return yield* Effect.forEach(yield* requests(subject, dataType), (request) =>
      run(subject.driver, subject.connection, request)
    )
  })

  describe(name, () => {
    it.effect("describes itself without contradictions", () =>
      Effect.gen(function* () {
        const { driver } = yield* options.make
        expect(providerKinds).toContain(driver.kind)
        expect(Schema.is(ProviderInstanceId)(driver.instanceId)).toBe(true)
        expect(driver.instanceId.startsWith(`${driver.kind}:`)).toBe(true)
        expect(driver.name.trim()).not.toBe("")
        expect(driver.countryCodes.every((code) => /^[A-Z]{2}$/.test(code))).toBe(true)
        expect(driver.capabilities.freshnessSeconds).toBeGreaterThanOrEqual(0)
        expect(options.dataTypes.length).toBeGreaterThan(0)
        for (const dataType of options.dataTypes) {
          const { historyDays, overlapDays } = capabilityOf(driver, dataType)
          expect(Number.isInteger(historyDays) && historyDays >= 0).toBe(true)
          expect(Number.isInteger(overlapDays) && overlapDays >= 0 && overlapDays <= historyDays).toBe(true)
        }
      })
    )

    it.effect("lists institutions of which each has its own id", () =>
      Effect.gen(function* () {
        const { driver } = yield* opened
        const found = yield* driver.listInstitutions("")
        expect(new Set(found.map(({ id }) => id)).size).toBe(found.length)
        for (const institution of found) {
          expect(institution.id.trim()).not.toBe("")
          expect(institution.id.length).toBeLessThanOrEqual(128)
          expect(institution.name.trim()).not.toBe("")
        }
      })
    )

    it.effect("begins a connection with the step of its flow, which expires later than now", () =>
      Effect.gen(function* () {
        const { driver } = yield* opened
        const begun = driver.beginConnect({ attemptId, email: "person@example.com", options: {} })
        const flow = driver.capabilities.connectFlow
        if (flow === "token" || flow === "file") {
          const exit = yield* Effect.exit(begun)
          if (Exit.isSuccess(exit)) expect(exit.value.kind).toBe("popup")
          else expect((yield* refusal(begun))._tag).toBe("Unsupported")
          return
        }
        const step = yield* begun
        expect(step.kind).toBe(flow === "portal" ? "popup" : flow)
        expect(step.kind === "link" ? step.token : step.url).not.toBe("")
        expect(step.expiresAt > (yield* Timestamp.now)).toBe(true)
      })
    )

    it.effect("completes an attempt twice with the same answer", () =>
      Effect.gen(function* () {
        const { driver, payload } = yield* opened
        const complete = driver.completeConnect({ attemptId, payload })
        const first = yield* complete
        expect(yield* complete).toEqual(first)
        expect(first.connection.ref.trim()).not.toBe("")
        expect(bankTypes).toContain(first.bankType)
        expect(isUsable((yield* driver.inspect(first.connection)).status)).toBe(true)
      })
    )

    it.effect("refuses a payload that is not its own", () =>
      Effect.gen(function* () {
        const { driver, refusedPayload } = yield* opened
        const error = yield* refusal(driver.completeConnect({ attemptId, payload: refusedPayload }))
        expect(error._tag).toBe("InvalidConnectPayload")
      })
    )

    it.effect("lists the same accounts twice, each with its own id and keys", () =>
      Effect.gen(function* () {
        const { accounts, connection, driver } = yield* opened
        expect(yield* driver.listAccounts(connection)).toEqual(accounts)
        expect(accounts.length).toBeGreaterThan(0)
        expect(new Set(accounts.map((account) => account.providerAccountId)).size).toBe(accounts.length)
        const strongest = accounts.flatMap(({ stableKeys }) => stableKeys.slice(0, 1))
        expect(new Set(strongest).size).toBe(strongest.length)
        for (const account of accounts) {
          expect(account.providerAccountId.trim()).not.toBe("")
          expect(account.stableKeys.every((key) => key.trim() !== "")).toBe(true)
          expect(account.name.trim()).not.toBe("")
          expect(accountTypes).toContain(account.type)
          expect(Currency.parse(account.currency)).toBe(account.currency)
          expect(account.supports).toContain("balances")
          for (const value of [account.balance, account.availableBalance, account.creditLimit]) {
            if (value === undefined) continue
            expect(Decimal.is(value)).toBe(true)
            expect(Decimal.scale(value)).toBeLessThanOrEqual(Currency.minorDigits(account.currency))
          }
        }
      })
    )

    for (const dataType of options.dataTypes) {
      it.effect(`reads ${dataType} to the end, twice the same, in the declared form`, () =>
        Effect.gen(function* () {
          const subject = yield* opened
          const ids = new Set(subject.accounts.map((account) => account.providerAccountId))
          const { changeModel, idTrust } = capabilityOf(subject.driver, dataType)
          const runs = yield* readAll(subject, dataType)
          expect(yield* readAll(subject, dataType)).toEqual(runs)
          const rows = runs.flatMap(({ upserted }) => upserted)
          expect(rows.length).toBeGreaterThan(0)
          expect(runs.flatMap(({ quarantined }) => quarantined)).toEqual([])
          expect(runs.flatMap(({ removed }) => removed)).toEqual([])
          expect(rows.flatMap((row) => findings(dataType, row))).toEqual([])
          expect(rows.filter((row) => !ids.has(row.providerAccountId))).toEqual([])
          if (idTrust === "none") return
          expect(rows.filter((row) => row.providerId === "")).toEqual([])
          expect(new Set(rows.map(keyOf)).size).toBe(rows.length)
          const settled = new Set(
            rows.flatMap((row) => (row.pendingProviderId === undefined ? [] : [row.pendingProviderId]))
          )
          const both = rows.filter((row) => settled.has(row.providerId))
          expect(changeModel === "delta" ? both : []).toEqual([])
        })
      )

      it.effect(`says honestly what its ${dataType} cover`, () =>
        Effect.gen(function* () {
          const subject = yield* opened
          const { changeModel } = capabilityOf(subject.driver, dataType)
          const kind = { delta: "delta", appendOnly: "delta", snapshotWindow: "window", snapshotFull: "full" }[
            changeModel
          ]
          for (const one of yield* readAll(subject, dataType)) {
            expect(new Set(one.coverages.map((coverage) => coverage.kind))).toEqual(new Set([kind]))
            expect(one.checkpoint === undefined).toBe(kind !== "delta")
            for (const coverage of one.coverages) {
              if (coverage.kind === "delta") continue
              expect(coverage.complete).toBe(true)
              if (coverage.kind === "full") continue
              expect(coverage.from <= coverage.to).toBe(true)
              const outside = one.upserted.filter(({ fields }) => {
                const date = String(fields["date"]).slice(0, 10)
                return date < coverage.from || date > coverage.to
              })
              expect(outside).toEqual([])
            }
          }
        })
      )

      it.effect(`tells all changes of ${dataType}: a reader that follows holds what a new reader reads`, () =>
        Effect.gen(function* () {
          const subject = yield* opened
          const { changeModel } = capabilityOf(subject.driver, dataType)
          let told = 0
          for (const [index, request] of (yield* requests(subject, dataType)).entries()) {
            const first = yield* run(subject.driver, subject.connection, request)
            const start: Model = applied(new Map(), first)
            let model = start
            let checkpoint = first.checkpoint
            for (let move = 0; move < options.moves; move++) {
              // Only the first pull moves the upstream: the others then follow at one later instant.
              if (index === 0 || move === 0) yield* subject.advance(move)
              const to = yield* today
              const full = applied(new Map(), yield* run(subject.driver, subject.connection, { ...request, to }))
              if (changeModel !== "delta" && changeModel !== "appendOnly") {
                told += JSON.stringify(sorted(full)) === JSON.stringify(sorted(model)) ? 0 : 1
                model = full
                continue
              }
              const since = checkpoint === undefined ? {} : { checkpoint }
              const changes = yield* run(subject.driver, subject.connection, { ...request, to, ...since })
              told += changes.upserted.length + changes.removed.length
              model = applied(model, changes)
              checkpoint = changes.checkpoint
              if (changeModel === "delta") expect(sorted(model)).toEqual(sorted(full))
              else expect([...full.keys()].filter((key) => !model.has(key))).toEqual([])
              // A reader that lost all runs since the first one catches up from its old checkpoint.
              if (move < options.moves - 1 || first.checkpoint === undefined || changeModel !== "delta") continue
              const late = yield* run(subject.driver, subject.connection, {
                ...request,
                to,
                checkpoint: first.checkpoint
              })
              expect(sorted(applied(start, late))).toEqual(sorted(full))
            }
          }
          expect(told, "the upstream never moved: nothing was tested").toBeGreaterThan(0)
        })
      )

      it.effect(`loses no ${dataType} when the upstream moves on while it is read`, () =>
        Effect.gen(function* () {
          const subject = yield* opened
          const { changeModel } = capabilityOf(subject.driver, dataType)
          for (const request of yield* requests(subject, dataType)) {
            const moving = yield* run(subject.driver, subject.connection, request, {
              betweenPages: (pages) => (pages <= 2 ? subject.advance(pages) : Effect.void)
            })
            const to = yield* today
            const full = applied(new Map(), yield* run(subject.driver, subject.connection, { ...request, to }))
            const start = applied(new Map(), moving)
            const since = moving.checkpoint === undefined ? {} : { checkpoint: moving.checkpoint }
            const next = applied(start, yield* run(subject.driver, subject.connection, { ...request, to, ...since }))
            if (changeModel === "delta") expect(sorted(next)).toEqual(sorted(full))
            else expect([...full.keys()].filter((key) => !next.has(key))).toEqual([])
          }
        })
      )

      it.effect(`refuses damaged positions and checkpoints of ${dataType} with an error that says what to do`, () =>
        Effect.gen(function* () {
          const subject = yield* opened
          const accepted = new Set(["CheckpointInvalid", "MutationDuringPagination"])
          const isDelta = capabilityOf(subject.driver, dataType).changeModel === "delta"
          for (const request of yield* requests(subject, dataType)) {
            for (const token of ["", " ", "v1:", "v0:1:2:3", "v1:%00:ÿ:-1", "{}", "null", "x".repeat(4096)]) {
              const position = yield* refusal(subject.driver.pull(subject.connection, { ...request, position: token }))
              expect(accepted).toContain(position._tag)
              if (!isDelta) continue
              const checkpoint = yield* refusal(
                subject.driver.pull(subject.connection, { ...request, checkpoint: token })
              )
              expect(accepted).toContain(checkpoint._tag)
            }
          }
        })
      )

      it.effect(`answers ConnectionGone when ${dataType} of an unknown connection are asked for`, () =>
        Effect.gen(function* () {
          const subject = yield* opened
          for (const request of yield* requests(subject, dataType)) {
            expect((yield* refusal(subject.driver.pull(subject.unknown, request)))._tag).toBe("ConnectionGone")
          }
        })
      )
    }

    const absent = pulledTypes.filter((dataType) => !options.dataTypes.includes(dataType))
    it.effect.each(absent)("answers Unsupported for %s, which the connection does not have", (dataType) =>
      Effect.gen(function* () {
        const { accounts, connection, driver, from } = yield* opened
        const error = yield* refusal(
          driver.pull(connection, {
            dataType,
            providerAccountIds: accounts.map((account) => account.providerAccountId),
            from,
            to: yield* today
          })
        )
        expect(error._tag).toBe("Unsupported")
      })
    )

    if (options.dataTypes.includes("transactions")) {
      it.effect("shows balances that are the opening balance and all posted rows, before and after it moved on", () =>
        Effect.gen(function* () {
          const subject = yield* opened
          for (let move = 0; move <= options.moves; move++) {
            const rows = (yield* readAll(subject, "transactions")).flatMap(({ upserted }) => upserted)
            for (const account of yield* subject.driver.listAccounts(subject.connection)) {
              const truth = subject.truth?.get(account.providerAccountId)
              const posted = Decimal.sum(
                rows.flatMap(({ fields, pending, providerAccountId }) => {
                  const amount = fields["amount"]
                  return providerAccountId === account.providerAccountId && !pending && Decimal.is(amount)
                    ? [amount]
                    : []
                })
              )
              if (move === 0 && truth?.posted !== undefined) expect(posted).toBe(truth.posted)
              if (truth?.opening !== undefined) expect(Decimal.add(truth.opening, posted)).toBe(account.balance)
            }
            yield* subject.advance(move)
          }
        })
      )
    }

    it.effect("does not know the accounts or the health of an unknown connection", () =>
      Effect.gen(function* () {
        const { driver, unknown } = yield* opened
        expect((yield* refusal(driver.listAccounts(unknown)))._tag).toBe("ConnectionGone")
        const exit = yield* Effect.exit(driver.inspect(unknown))
        if (Exit.isSuccess(exit)) expect(exit.value.status).toBe("disconnected")
        else expect((yield* refusal(driver.inspect(unknown)))._tag).toBe("ConnectionGone")
      })
    )

    it.effect("revokes a connection as often as it is asked to, also one that it does not know", () =>
      Effect.gen(function* () {
        const { connection, driver, unknown } = yield* opened
        const expected = driver.capabilities.removal === "async" ? ["done", "pending"] : ["done"]
        expect(expected).toContain(yield* driver.revoke(connection))
        expect(expected).toContain(yield* driver.revoke(connection))
        expect(yield* driver.revoke(unknown)).toBe("done")
      })
    )
  })
}
