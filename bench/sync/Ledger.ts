/** A sync without rules and delivery: what the upstream shows is identified and written to the ledger. */
import { BankStore } from "@millrace/core/bank/BankStore"
import { JobStore } from "@millrace/core/job/JobStore"
import * as CalendarDate from "@millrace/core/shared/CalendarDate"
import { Puller, type Segment } from "@millrace/core/sync/Puller"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Connected, leaseSeconds } from "./Installation.ts"
import type { Upstream } from "./Statements.ts"

/** The lease of a connection, which every write to it must show. */
const holder = "bench"

/** Takes the connection for as long as the benchmark lasts. */
export const hold = ({ bank }: Connected) =>
  Effect.gen(function* () {
    const taken = yield* (yield* JobStore).lease([bank.id], holder, leaseSeconds)
    if (!taken) return yield* Effect.die("the connection is busy")
  })

export const release = Effect.flatMap(JobStore, (jobs) => jobs.unlease(holder))

/** Everything that the connection shows, pulled once. Answers how many records were new or another. */
export const pull = ({ bank }: Connected, { driver }: Upstream) =>
  Effect.gen(function* () {
    const banks = yield* BankStore
    const today = CalendarDate.inZone(yield* Clock.currentTimeMillis, "UTC")
    const capability = driver.capabilities.dataTypes.transactions!
    const segment: Segment = {
      bank,
      connection: Option.getOrThrow(yield* banks.connection(bank.id)),
      accounts: yield* banks.accounts(bank.id),
      account: undefined,
      dataType: "transactions",
      capability,
      range: undefined,
      earliest: CalendarDate.addDays(today, -capability.historyDays),
      today,
      lookbackDays: capability.overlapDays,
      reset: false
    }
    const pulled = yield* (yield* Puller).pull({ bankId: bank.id, leaseHolder: holder, fence: undefined }, segment)
    if (pulled.quarantined.length > 0 || pulled.warnings.length > 0) return yield* Effect.die(JSON.stringify(pulled))
    return pulled
  })
