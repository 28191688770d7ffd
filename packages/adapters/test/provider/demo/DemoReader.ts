/** Connects to the demo provider and reads it, for the tests beside this file. */
import type { Connection, ObservedRecord, ProviderDriver, ProviderError, PullRequest } from "@millrace/core/provider"
import { CalendarDate, Decimal, Timestamp } from "@millrace/core"
import { completeOf, eachCall } from "@millrace/testing/fake"
import { run, type Run } from "@millrace/testing/suite/provider"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as DemoProvider from "../../../src/provider/demo/DemoProvider.ts"

export const historyStart = CalendarDate.make("2024-12-01")

export const travelTo = (at: string): Effect.Effect<void> => TestClock.setTime(Timestamp.toMillis(Timestamp.make(at)))

/** A morning on which the history is about two years old. */
export const morning = travelTo("2026-11-21T09:30:00.000Z")

export const connect = Effect.fnUntraced(function* (
  connectionId: string,
  options: { readonly institutionId?: string; readonly driver?: ProviderDriver } = {}
) {
  const driver = options.driver ?? DemoProvider.make()
  const { institutionId } = options
  const { connection } = yield* driver.completeConnect(
    completeOf({
      kind: "provider_connection_id",
      connectionId,
      ...(institutionId === undefined ? {} : { institutionId })
    })
  )
  return { driver, connection, calls: eachCall(driver) }
})

export const transactions = (checkpoint?: string): PullRequest => ({
  dataType: "transactions",
  providerAccountIds: [],
  from: historyStart,
  to: CalendarDate.make("2026-12-31"),
  ...(checkpoint === undefined ? {} : { checkpoint })
})

export const read = (
  subject: { readonly driver: ProviderDriver; readonly connection: Connection },
  checkpoint?: string
): Effect.Effect<Run, ProviderError> => run(subject.driver, subject.connection, transactions(checkpoint))

/** Text of a field; "" when it is absent. */
export const text = (record: ObservedRecord, key: string): string => {
  const value = record.fields[key]
  return typeof value === "string" ? value : ""
}

export const amountOf = (record: ObservedRecord): Decimal.Decimal => Decimal.make(text(record, "amount"))
