/**
 * The demo bank as it is at one instant. Nothing is kept between calls: the same connection at the same
 * instant is the same world in every process.
 */
import { type CalendarDate, Currency, Decimal } from "@millrace/core"
import { brokerMonth, type BrokerMonth } from "./BrokerMonth.ts"
import { dateOf, historyStart, instant, type Month, monthOf } from "./Calendar.ts"
import { type DemoConnection, worldKey } from "./DemoConnection.ts"
import { at, type Entry } from "./Entry.ts"
import { type DemoAccount, institutionOf } from "./Institutions.ts"
import * as LargeLedger from "./LargeLedger.ts"
import { loanEntries } from "./LoanMonth.ts"
import { retailMonth } from "./RetailMonth.ts"
import { fingerprint, hash } from "./Seed.ts"
import { walletMonth } from "./WalletMonth.ts"

export interface World {
  readonly connection: DemoConnection
  readonly key: string
  readonly now: number
  readonly firstMonth: Month
  readonly lastMonth: Month
  /** The first day for which anything is known. */
  readonly start: CalendarDate.CalendarDate
  readonly accounts: ReadonlyArray<DemoAccount>
}

export const world = (seed: string, connection: DemoConnection, now: number): World => {
  const firstMonth = historyStart(now)
  return {
    connection,
    key: worldKey(seed, connection),
    now,
    firstMonth,
    lastMonth: monthOf(now),
    start: dateOf(instant(firstMonth, 1, 0)),
    accounts: institutionOf(connection.institution).accounts
  }
}

export const accountId = (here: World, account: DemoAccount): string =>
  `da_${fingerprint(`${here.key}|${account.slug}`)}`

/** Sixteen digits. */
export const accountNumber = (here: World, account: DemoAccount): string =>
  String(hash(`${here.key}|${account.slug}|number`))
    .padStart(10, "0")
    .padStart(16, "400012")

export const amount = (account: DemoAccount, units: bigint): Decimal.Decimal =>
  Decimal.fromUnits(units, Currency.minorDigits(account.currency))

const months = (here: World): ReadonlyArray<Month> =>
  Array.from({ length: here.lastMonth - here.firstMonth + 1 }, (_, index) => here.firstMonth + index)

export const brokerMonths = (here: World): ReadonlyArray<BrokerMonth> =>
  months(here).map((month) => brokerMonth(here.key, month))

const entriesOf = (here: World): ReadonlyArray<Entry> => {
  switch (here.connection.institution) {
    case "demo-retail":
      return months(here).flatMap((month) => retailMonth(here.key, month))
    case "demo-wallet":
      return months(here).flatMap((month) => walletMonth(here.key, month))
    case "demo-broker":
      return brokerMonths(here).flatMap((month) => month.entries)
    case "demo-lender":
      return here.accounts.flatMap((account) => loanEntries(here.key, account, here.firstMonth, here.lastMonth))
  }
}

/** The account whose rows are made by number, in the scenario that asks for it. */
export const largeAccount = (here: World): DemoAccount | undefined =>
  here.connection.rows === undefined ? undefined : here.accounts[0]

/** Everything that has appeared until now by account, also what is gone again; without the large account. */
export const ledger = (here: World): ReadonlyMap<string, ReadonlyArray<Entry>> => {
  const large = largeAccount(here)?.slug
  const known = entriesOf(here).filter((entry) => entry.versions[0].from <= here.now && entry.account !== large)
  return Map.groupBy(known, (entry) => entry.account)
}

export interface Sums {
  readonly posted: bigint
  readonly pending: bigint
}

/** Sums of what is listed now. */
export const sums = (here: World, account: DemoAccount, entries: ReadonlyArray<Entry>): Sums => {
  if (account.slug === largeAccount(here)?.slug) {
    return { posted: LargeLedger.total(here.connection.rows ?? 0), pending: 0n }
  }
  let posted = 0n
  let pending = 0n
  for (const entry of entries) {
    const units = at(entry, here.now)?.units ?? 0n
    if (entry.pending) pending += units
    else posted += units
  }
  return { posted, pending }
}
