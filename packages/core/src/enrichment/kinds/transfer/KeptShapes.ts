/**
 * One of everything that a plan is made of, kept for as long as the program runs. With the last object of a shape goes the code
 * that was compiled for it, so whoever planned after memory was collected had all of it compiled anew: for 50,000 records that
 * took as long as the plan. What is kept follows from a few made up records and from nothing of a workspace.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { standardWeek } from "../../../shared/BusinessCalendar.ts"
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import * as Currency from "../../../shared/Currency.ts"
import type { Sha256 } from "../../../shared/DerivedId.ts"
import type { Id } from "../../../shared/Ids.ts"
import { noRates } from "../../../shared/RateTable.ts"
import { Work } from "../../../shared/Work.ts"
import * as Timestamp from "../../../shared/Timestamp.ts"
import type { PlanInput, SetAccount, SetRecord } from "../SetKind.ts"
import { Sums } from "./Groups.ts"
import { IdNumbers } from "./IdNumbers.ts"
import { Gathered } from "./Strangers.ts"
import { TransferConfig } from "./TransferConfig.ts"
import type { TransferState } from "./TransferState.ts"

const euro = Currency.make("EUR")

const accounts = (
  [
    ["Everyday", "checking"],
    ["Saver", "savings"],
    ["Card", "credit_card"]
  ] as const
).map(([accountName, accountType], n): SetAccount => ({
  accountId: `acct_0000000000000000000000000${n + 1}` as Id<"account">,
  bankId: "bank_00000000000000000000000001" as Id<"bank">,
  bankName: "Bank",
  accountName,
  accountNumber: `****000${n + 1}`,
  accountType,
  currency: euro
}))

/** Transfers: in equal amounts, less a fee, beside another that could be meant, over the end of a month, and without the other side. */
const rows: ReadonlyArray<readonly [account: number, date: string, amount: string, description: string]> = [
  [0, "2020-01-03", "-120", "TRANSFER TO SAVER"],
  [1, "2020-01-04", "120", "TRANSFER FROM EVERYDAY"],
  [2, "2020-01-05", "120", "PAYMENT THANK YOU"],
  [0, "2020-01-09", "-200", "TRANSFER TO SAVER"],
  [1, "2020-01-10", "198.5", "TRANSFER FROM EVERYDAY"],
  [1, "2020-01-15", "75.25", "DEPOSIT"],
  [0, "2020-01-20", "-33.1", "TRANSFER E2E100200300"],
  [1, "2020-01-21", "33.1", "TRANSFER E2E100200300"],
  [0, "2020-01-25", "-90", "TRANSFER TO SAVER"],
  [1, "2020-01-26", "50", "TRANSFER FROM EVERYDAY"],
  [1, "2020-01-26", "40", "TRANSFER FROM EVERYDAY"],
  [0, "2020-01-31", "-410", "TRANSFER TO CARD"],
  [2, "2020-02-02", "410", "PAYMENT THANK YOU"],
  [0, "2020-02-04", "-12.4", "SHOP"],
  [1, "2020-02-10", "60", "TRANSFER"],
  [1, "2020-02-12", "60", "DEPOSIT"],
  [0, "2020-02-12", "-60", "SHOP"],
  [0, "2020-02-14", "-55", "TRANSFER"]
]

const months = ["2020-01", "2020-02"]

const recordsOf = (month: string): ReadonlyArray<SetRecord> =>
  rows.flatMap(([account, date, amount, description], n) =>
    date.startsWith(month) ||
    (month === "2020-01" && date < "2020-02-11") ||
    (month === "2020-02" && date > "2020-01-20")
      ? [
          {
            recordId: `txn_${String(n).padStart(26, "0")}`,
            accountId: accounts[account]!.accountId,
            fields: { date, amount, currency: euro, description }
          }
        ]
      : []
  )

/** What is planned of these records. */
export const sampleInput = (sha256: Sha256): PlanInput<TransferConfig, TransferState> => ({
  workspaceId: "ws_00000000000000000000000001" as Id<"workspace">,
  enrichmentId: "enr_00000000000000000000000001" as Id<"enrichment">,
  dataType: "transactions",
  name: "Transfers",
  locale: "en",
  timezone: "UTC",
  isPast: () => false,
  work: new Work(),
  at: Timestamp.make("2020-02-28T12:00:00.000Z"),
  today: CalendarDate.make("2020-02-28"),
  prepared: Schema.decodeSync(TransferConfig)({}),
  revision: 1,
  past: [],
  baseCurrency: euro,
  rates: noRates,
  calendar: standardWeek,
  sha256,
  accounts: new Map(accounts.map((account) => [account.accountId, account])),
  dirty: months,
  facts: [],
  figures: Effect.succeed([]),
  read: (keys) => Effect.sync(() => new Map(keys.map((key) => [key, { records: recordsOf(key), state: undefined }])))
})

/** What to keep beside what a plan holds at its end: what it is done with before. */
export const keptShapes = (): Array<unknown> => [
  new IdNumbers(1),
  new Gathered(),
  new Sums({ units: new Float64Array([1, 2]) }, [0, 1])
]
