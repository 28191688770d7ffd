/**
 * What every provider driver has to keep, whatever its upstream: `suite(name, options)` registers the tests.
 *
 * The options say how to connect and how to make the upstream move on. Time is the test clock, which
 * stands still except where `advance` moves it.
 */
import { accountTypes, bankTypes, isUsable, kindFault, ProviderInstanceId, stepOfFlow } from "@millrace/core/provider"
import { describe, expect, it } from "@effect/vitest"
import { syncDataTypes } from "@millrace/core/record"
import { Currency, Decimal, Timestamp } from "@millrace/core"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { beginOf, completeOf } from "../provider/DriverCalls.ts"
import { kernelTests } from "./ProviderKernelTests.ts"
import { balanceTests, readingTests } from "./ProviderReadingTests.ts"
import { attemptId, capabilityOf, opened, type ProviderSuiteOptions, refusal, today } from "./ProviderUnderTest.ts"

export type { LedgerTruth, ProviderSuiteOptions, ProviderUnderTest } from "./ProviderUnderTest.ts"

const pulledTypes = syncDataTypes.filter((dataType) => dataType !== "balances")

/** Registers the conformance tests of a driver. */
export const suite = (name: string, options: ProviderSuiteOptions): void => {
  describe(name, () => {
    it.effect("describes itself without contradictions", () =>
      Effect.gen(function* () {
        const { driver } = yield* options.make
        expect(kindFault(driver.kind)).toBeUndefined()
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
        const { driver } = yield* opened(options)
        const found = yield* driver.listInstitutions({ text: "", countryCodes: [], limit: 100 })
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
        const { driver } = yield* opened(options)
        const begun = driver.beginConnect(beginOf({ attemptId }))
        const flow = driver.capabilities.connectFlow
        if (flow === "token" || flow === "file") {
          const exit = yield* Effect.exit(begun)
          if (Exit.isSuccess(exit)) expect(exit.value.kind).toBe("popup")
          else expect((yield* refusal(begun))._tag).toBe("Unsupported")
          return
        }
        const step = yield* begun
        expect(step.kind).toBe(stepOfFlow[flow])
        for (const [key, value] of Object.entries(step)) expect([key, String(value).trim()]).not.toEqual([key, ""])
        expect(step.expiresAt > (yield* Timestamp.now)).toBe(true)
      })
    )

    it.effect("completes an attempt twice with the same answer", () =>
      Effect.gen(function* () {
        const { calls, driver, payload } = yield* opened(options)
        const complete = driver.completeConnect(completeOf(payload, { attemptId }))
        const first = yield* complete
        expect(yield* complete).toEqual(first)
        expect(first.connection.ref.trim()).not.toBe("")
        expect(bankTypes).toContain(first.bankType)
        expect(isUsable((yield* calls.inspect(first.connection)).status)).toBe(true)
      })
    )

    it.effect("refuses a payload that is not its own", () =>
      Effect.gen(function* () {
        const { driver, refusedPayload } = yield* opened(options)
        const error = yield* refusal(driver.completeConnect(completeOf(refusedPayload, { attemptId })))
        expect(error._tag).toBe("InvalidConnectPayload")
      })
    )

    it.effect("lists the same accounts twice, each with its own id and keys", () =>
      Effect.gen(function* () {
        const { accounts, calls, connection } = yield* opened(options)
        expect(yield* calls.listAccounts(connection)).toEqual(accounts)
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

    for (const dataType of options.dataTypes) readingTests(options, dataType)
    if (options.dataTypes.includes("transactions")) balanceTests(options)

    kernelTests(options)

    const absent = pulledTypes.filter((dataType) => !options.dataTypes.includes(dataType))
    it.effect.each(absent)("answers Unsupported for %s, which the connection does not have", (dataType) =>
      Effect.gen(function* () {
        const { accounts, calls, connection, from } = yield* opened(options)
        const error = yield* refusal(
          calls.pull(connection, {
            dataType,
            providerAccountIds: accounts.map((account) => account.providerAccountId),
            from,
            to: yield* today
          })
        )
        expect(error._tag).toBe("Unsupported")
      })
    )

    it.effect("does not know the accounts or the health of an unknown connection", () =>
      Effect.gen(function* () {
        const { calls, unknown } = yield* opened(options)
        expect((yield* refusal(calls.listAccounts(unknown)))._tag).toBe("ConnectionGone")
        const exit = yield* Effect.exit(calls.inspect(unknown))
        if (Exit.isSuccess(exit)) expect(exit.value.status).toBe("disconnected")
        else expect((yield* refusal(calls.inspect(unknown)))._tag).toBe("ConnectionGone")
      })
    )

    it.effect("revokes a connection as often as it is asked to, also one that it does not know", () =>
      Effect.gen(function* () {
        const { calls, connection, driver, unknown } = yield* opened(options)
        const expected = driver.capabilities.removal === "async" ? ["done", "pending"] : ["done"]
        expect(expected).toContain(yield* calls.revoke(connection))
        expect(expected).toContain(yield* calls.revoke(connection))
        expect(yield* calls.revoke(unknown)).toBe("done")
      })
    )
  })
}
