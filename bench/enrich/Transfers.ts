/** Finding transfers and fees among many records: whole plans, beside a plain join of amounts within a window. */
import { CalendarDate, Currency, Timestamp } from "@millrace/core"
import type { SetAccount, SetRecord } from "@millrace/core/enrichment"
import { Seeded } from "@millrace/testing/model"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { fees } from "../../packages/core/src/enrichment/kinds/fees/fees.ts"
import { FeesConfig } from "../../packages/core/src/enrichment/kinds/fees/FeesConfig.ts"
import type { SetKind } from "../../packages/core/src/enrichment/kinds/SetKind.ts"
import { TransferConfig } from "../../packages/core/src/enrichment/kinds/transfer/TransferConfig.ts"
import { transferMatch } from "../../packages/core/src/enrichment/kinds/transfer/transferMatch.ts"
import { standardWeek } from "../../packages/core/src/shared/BusinessCalendar.ts"
import { noRates } from "../../packages/core/src/shared/RateTable.ts"
import { type Comparison, contender } from "../harness/Bench.ts"
import { decimalText } from "../generate.ts"

const euro = Currency.make("EUR")
const first = CalendarDate.make("2016-01-01")
const days = 3_650

const names = [
  ["Everyday", "checking"],
  ["Saver", "savings"],
  ["Sapphire Card", "credit_card"],
  ["Joint", "checking"],
  ["Depot", "brokerage"],
  ["Holiday Pot", "savings"],
  ["Car Loan", "loan"],
  ["Business", "checking"]
] as const

const accounts: ReadonlyArray<SetAccount> = names.map(([accountName, accountType], n) => ({
  accountId: `acct_0000000000000000000000000${n}` as SetAccount["accountId"],
  bankId: "bank_00000000000000000000000001" as SetAccount["bankId"],
  bankName: "Northern Bank",
  accountName,
  accountNumber: `****${4_000 + n}`,
  accountType,
  currency: euro
}))

/** Every twentieth record begins a transfer, of the others a few come in. */
const recordsOf = (count: number): ReadonlyArray<SetRecord> => {
  const random = new Seeded(11)
  const records: Array<SetRecord> = []
  const add = (of: SetAccount, day: number, cents: number, description: string): void => {
    const date = CalendarDate.addDays(first, day)
    const recordId = `txn_${String(records.length).padStart(7, "0")}`
    const fields = { date, amount: decimalText(cents), currency: euro, description }
    records.push({ recordId, accountId: of.accountId, fields })
  }
  while (records.length < count) {
    const day = random.below(days)
    const of = random.pick(accounts)
    const kind = random.below(100)
    if (kind < 5) {
      const to = accounts[(accounts.indexOf(of) + 1 + random.below(accounts.length - 1)) % accounts.length]!
      const cents = 1_000 + random.below(200_000)
      add(of, day, -cents, `TRANSFER TO ${to.accountName.toUpperCase()}`)
      add(to, day + random.below(3), cents, `TRANSFER FROM ${of.accountName.toUpperCase()}`)
    } else if (kind < 12) add(of, day, 1_000 + random.below(200_000), `DEPOSIT ${random.below(3_000)}`)
    else if (kind < 14)
      add(of, day, -100 - random.below(900), random.pick(["ATM FEE", "FOREIGN TRANSACTION FEE", "LATE FEE"]))
    else add(of, day, -100 - random.below(20_000), `SHOP ${random.below(3_000)} MARKET`)
  }
  return records.slice(0, count)
}

/** Equal texts have equal ones: what a hash costs is measured elsewhere. */
const cheapHash = (text: string): string => {
  let hash = 5_381
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 33) ^ text.charCodeAt(at)) >>> 0
  return hash.toString(16).padStart(8, "0").repeat(8)
}

/** Plans everything anew, as after a change of the enrichment; answers what it says. */
const planAll = <Config, Prepared, State, Evidence>(
  kind: SetKind<Config, Prepared, State, Evidence>,
  config: Config,
  records: ReadonlyArray<SetRecord>
) => {
  const prepared = kind.prepare(config, new Map())
  const partitions = new Map<string, Array<SetRecord>>()
  for (const record of records) {
    for (const key of kind.partitions(prepared, record)) {
      const list = partitions.get(key)
      if (list === undefined) partitions.set(key, [record])
      else list.push(record)
    }
  }
  const planned = Effect.runSync(
    Effect.result(
      kind.plan({
        workspaceId: "ws_00000000000000000000000001" as never,
        enrichmentId: "enr_00000000000000000000000001" as never,
        dataType: "transactions",
        name: "Transfers",
        locale: "en",
        timezone: "UTC",
        isPast: () => false,
        at: Timestamp.make("2026-01-31T12:00:00.000Z"),
        prepared,
        revision: 1,
        past: [],
        baseCurrency: euro,
        rates: noRates,
        calendar: standardWeek,
        sha256: cheapHash,
        accounts: new Map(accounts.map((account) => [account.accountId, account])),
        today: CalendarDate.make("2026-01-31"),
        dirty: [...partitions.keys()].toSorted(),
        facts: [],
        read: (keys) =>
          Effect.sync(() => new Map(keys.map((key) => [key, { records: partitions.get(key) ?? [], state: undefined }])))
      })
    )
  )
  return [...Result.getOrThrow(planned).next.values()]
}

/** What programs do that only join: equal amounts of two accounts within three days, the earliest first. */
const joined = (records: ReadonlyArray<SetRecord>): number => {
  const inflows = new Map<string, Array<SetRecord>>()
  for (const record of records) {
    const amount = String(record.fields["amount"])
    if (amount.startsWith("-")) continue
    const list = inflows.get(amount)
    if (list === undefined) inflows.set(amount, [record])
    else list.push(record)
  }
  const used = new Set<string>()
  let pairs = 0
  for (const record of records) {
    const amount = String(record.fields["amount"])
    if (!amount.startsWith("-")) continue
    const day = Date.parse(String(record.fields["date"]))
    const found = inflows.get(amount.slice(1))?.find(({ accountId, fields, recordId }) => {
      if (accountId === record.accountId || used.has(recordId)) return false
      return Math.abs(Date.parse(String(fields["date"])) - day) <= 3 * 86_400_000
    })
    if (found === undefined) continue
    used.add(found.recordId)
    pairs++
  }
  return pairs
}

/** They do not do the same work: the join scores nothing and explains nothing. */
export const transferComparison = (count: number): Comparison => {
  const records = recordsOf(count)
  const config = Schema.decodeUnknownSync(TransferConfig)({})
  return {
    name: "transfers among all records",
    amount: records.length,
    unit: "records",
    rounds: 3,
    contenders: [
      contender(
        "transfer_match",
        () => planAll(transferMatch, config, records),
        () => undefined
      ),
      contender(
        "a join of amounts within a window",
        () => joined(records),
        () => undefined
      )
    ],
    ratios: [
      {
        name: "transfer_match against a map-and-window join",
        of: "transfer_match",
        by: "a join of amounts within a window"
      }
    ]
  }
}

/** Microseconds of one thread's processor that the search for fees takes for a record. */
export const feeMicroseconds = (count: number): number => {
  const records = recordsOf(count)
  const config = Schema.decodeUnknownSync(FeesConfig)({})
  const times = Array.from({ length: 3 }, () => {
    const before = process.threadCpuUsage()
    planAll(fees, config, records)
    const { system, user } = process.threadCpuUsage(before)
    return (system + user) / count
  })
  return times.toSorted((a, b) => a - b)[1]!
}
