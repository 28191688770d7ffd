/** What each check of a monitor says now (enrichments C13). */
import type * as Schema from "effect/Schema"
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import { amountText } from "../../../shared/Currency.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import * as Timestamp from "../../../shared/Timestamp.ts"
import type { SetAccount } from "../SetKind.ts"
import type { CheckConfig, CheckOf, MonitorConfig } from "./MonitorConfig.ts"
import type { MonitorRow } from "./MonitorState.ts"

/** What a check found about one subject. What is not read is as it should be. */
export interface Reading {
  readonly check: CheckConfig
  /** Of what: an account, a bank, a series, a record, a group. */
  readonly subject: string
  readonly subjectKind: string
  /** `back`: not wrong any more, and not yet far enough behind the threshold for a case to be closed. */
  readonly state: "breached" | "back"
  readonly value: string
  /** How much of it is wrong; what grows by a quarter is reported again. */
  readonly size: Decimal.Decimal
  readonly title: string
  readonly data: Readonly<Record<string, Schema.Json>>
  /** Hours for which it has to last before a case is opened. */
  readonly persistHours: number
}

export interface Reads {
  readonly config: MonitorConfig
  readonly accounts: ReadonlyArray<SetAccount>
  readonly rows: ReadonlyArray<MonitorRow>
  readonly today: CalendarDate.CalendarDate
  readonly at: Timestamp.Timestamp
  readonly zone: (at: Timestamp.Timestamp) => CalendarDate.CalendarDate
  /** Account -> what its balances and its records differ by, and what may be behind it. */
  readonly residuals: ReadonlyMap<
    string,
    { readonly residual: Decimal.Decimal; readonly from: string; readonly to: string; readonly causes: Schema.Json }
  >
  /** Money of the workspace, for aggregates. */
  readonly baseCurrency: string
}

const product = (a: Decimal.Decimal, b: Decimal.Decimal): Decimal.Decimal =>
  Decimal.fromUnits(
    Decimal.toUnits(a, Decimal.scale(a)) * Decimal.toUnits(b, Decimal.scale(b)),
    Decimal.scale(a) + Decimal.scale(b)
  )

/** How far behind the threshold a value must be: a part of the threshold's size. */
const margin = (threshold: Decimal.Decimal, percent: Decimal.Decimal): Decimal.Decimal =>
  product(Decimal.abs(threshold), product(percent, Decimal.make("0.01")))

const above = (value: Decimal.Decimal, threshold: Decimal.Decimal): boolean => Decimal.compare(value, threshold) > 0

const isOf = (ids: ReadonlyArray<string>, id: string): boolean => ids.length === 0 || ids.includes(id)

const nameOf = ({ accountName, accountNumber }: SetAccount): string =>
  [...accountName].slice(0, 80).join("") + (accountNumber === "****" ? "" : ` ${accountNumber}`)

const accountReading = (account: SetAccount) => ({
  subject: account.accountId as string,
  subjectKind: "account",
  persistHours: 0
})

const readBalance = (check: CheckOf<"balance">, { accounts, config }: Reads): ReadonlyArray<Reading> =>
  accounts.flatMap((account): ReadonlyArray<Reading> => {
    const { status } = account
    if (status?.balanceAsOf === undefined || !isOf(check.accountIds, account.accountId)) return []
    const { balance } = status
    const sides = [
      check.below === undefined ? undefined : (["below", check.below, Decimal.subtract(check.below, balance)] as const),
      check.above === undefined ? undefined : (["above", check.above, Decimal.subtract(balance, check.above)] as const)
    ]
    return sides.flatMap((side): ReadonlyArray<Reading> => {
      if (side === undefined) return []
      const [word, threshold, over] = side
      const isBreached = Decimal.sign(over) > 0
      // As long as it is not back by the margin, a case that is open stays open.
      const isBack = Decimal.compare(Decimal.negate(over), margin(threshold, config.hysteresisPercent)) >= 0
      if (!isBreached && isBack) return []
      return [
        {
          ...accountReading(account),
          subject: `${account.accountId}:${word}`,
          check,
          state: isBreached ? "breached" : "back",
          value: balance,
          size: Decimal.abs(over),
          title: `${nameOf(account)}: the balance of ${amountText(balance, account.currency)} is ${word} ${threshold}`,
          data: { accountId: account.accountId, balance, currency: account.currency, threshold, side: word }
        }
      ]
    })
  })

const readTieOut = (check: CheckOf<"tieOut">, { accounts, residuals }: Reads): ReadonlyArray<Reading> =>
  accounts.flatMap((account): ReadonlyArray<Reading> => {
    const found = residuals.get(account.accountId)
    if (found === undefined || !isOf(check.accountIds, account.accountId)) return []
    const { causes, from, residual, to } = found
    if (!above(Decimal.abs(residual), check.tolerance)) return []
    return [
      {
        ...accountReading(account),
        check,
        state: "breached",
        value: residual,
        size: Decimal.abs(residual),
        title: `${nameOf(account)}: balance and transactions differ by ${amountText(residual, account.currency)}`,
        data: { accountId: account.accountId, residual, currency: account.currency, from, to, explanations: causes },
        persistHours: check.persistHours
      }
    ]
  })

const hourMillis = 3_600_000

const readStale = (check: CheckOf<"stale">, { accounts, at }: Reads): ReadonlyArray<Reading> =>
  accounts.flatMap((account): ReadonlyArray<Reading> => {
    const syncedAt = account.status?.syncedAt
    if (syncedAt === undefined || !isOf(check.accountIds, account.accountId)) return []
    const hours = Math.floor((Timestamp.toMillis(at) - Timestamp.toMillis(syncedAt)) / hourMillis)
    if (hours <= check.maxAgeHours) return []
    return [
      {
        ...accountReading(account),
        check,
        state: "breached",
        value: syncedAt,
        // An account that is not read stays so: how long is seen in the case.
        size: Decimal.make("1"),
        title: `${nameOf(account)}: nothing was read for more than ${check.maxAgeHours} hours`,
        data: { accountId: account.accountId, syncedAt, maxAgeHours: check.maxAgeHours }
      }
    ]
  })

const readConsent = (check: CheckOf<"consentExpiry">, { accounts, today, zone }: Reads): ReadonlyArray<Reading> => {
  const banks = new Map<string, SetAccount>()
  for (const account of accounts) if (!banks.has(account.bankId)) banks.set(account.bankId, account)
  return [...banks.values()].flatMap((account): ReadonlyArray<Reading> => {
    const expiresAt = account.status?.consentExpiresAt
    if (expiresAt === undefined) return []
    const days = CalendarDate.daysBetween(today, zone(expiresAt))
    if (days > check.daysBefore) return []
    const name = [...account.bankName].slice(0, 100).join("")
    return [
      {
        check,
        subject: account.bankId,
        subjectKind: "bank",
        state: "breached",
        value: expiresAt,
        size: Decimal.make("1"),
        title: `${name}: the consent ${days < 0 ? "ended" : "ends"} on ${zone(expiresAt)}; connect it again`,
        data: { bankId: account.bankId, consentExpiresAt: expiresAt },
        persistHours: 0
      }
    ]
  })
}

/** The day up to which an account was read; nobody waits for what could not be there yet. */
const syncedOn = ({ accounts, zone }: Reads, id: string): string => {
  const syncedAt = accounts.find(({ accountId }) => accountId === id)?.status?.syncedAt
  return syncedAt === undefined ? "" : zone(syncedAt)
}

const readRecurring = (check: CheckOf<"missingRecurring">, reads: Reads): ReadonlyArray<Reading> => {
  const last = new Map<string, MonitorRow["series"][number] & { readonly account: string }>()
  for (const { account, series } of reads.rows) {
    for (const one of series) if ((last.get(one.id)?.date ?? "") <= one.date) last.set(one.id, { ...one, account })
  }
  return [...last.values()].flatMap((one): ReadonlyArray<Reading> => {
    if (!isOf(check.seriesIds, one.id)) return []
    const until = CalendarDate.addDays(one.expected, check.graceDays)
    if (reads.today <= until || syncedOn(reads, one.account) <= until) return []
    return [
      {
        check,
        subject: one.id,
        subjectKind: "series",
        state: "breached",
        value: one.expected,
        size: Decimal.make("1"),
        title: `${[...one.name].slice(0, 100).join("")}: expected on ${one.expected}, has not come`,
        data: { seriesId: one.id, accountId: one.account, expectedDate: one.expected, lastDate: one.date },
        persistHours: 0
      }
    ]
  })
}

/** After so long nobody waits any more. */
const legReachDays = 60

const readLegs = (check: CheckOf<"missingTransferLeg">, reads: Reads): ReadonlyArray<Reading> =>
  reads.rows.flatMap(({ account, legs }) => {
    const currency = reads.accounts.find(({ accountId }) => accountId === account)?.currency
    const spoken = (amount: Decimal.Decimal) => (currency === undefined ? amount : amountText(amount, currency))
    return legs.flatMap(({ amount, date, recordId }): ReadonlyArray<Reading> => {
      const until = CalendarDate.addDays(date, check.afterDays)
      const isOver = CalendarDate.daysBetween(until, reads.today) > legReachDays
      if (reads.today <= until || isOver || syncedOn(reads, account) <= until) return []
      return [
        {
          check,
          subject: recordId,
          subjectKind: "transaction",
          state: "breached",
          value: amount,
          size: Decimal.abs(amount),
          title: `A transfer of ${spoken(amount)} on ${date} has no other side`,
          data: { recordId, accountId: account, date, amount },
          persistHours: 0
        }
      ]
    })
  })

const fractionDigits = 12

const average = (sum: Decimal.Decimal, count: number): Decimal.Decimal => {
  const digits = Math.max(fractionDigits, Decimal.scale(sum))
  const units = Decimal.toUnits(sum, digits)
  const size = units < 0n ? -units : units
  const each = (size * 2n + BigInt(count)) / (2n * BigInt(count))
  return Decimal.fromUnits(units < 0n ? -each : each, digits)
}

interface Total {
  readonly count: number
  readonly sum: Decimal.Decimal
  readonly max: Decimal.Decimal | undefined
  readonly unconverted: number
}
const nothing: Total = { count: 0, sum: Decimal.zero, max: undefined, unconverted: 0 }

const measured = ({ measure }: CheckOf<"aggregate">, { count, max, sum }: Total): Decimal.Decimal | undefined => {
  if (measure === "count") return Decimal.make(String(count))
  if (measure === "sum") return sum
  if (count === 0) return undefined
  return measure === "max" ? max : average(sum, count)
}

const compares = { gt: [1], gte: [0, 1], lt: [-1], lte: [-1, 0] } as const
const words = { gt: "above", gte: "at least", lt: "below", lte: "at most" } as const

const readAggregate = (check: CheckOf<"aggregate">, { config, rows, today }: Reads): ReadonlyArray<Reading> => {
  const first = CalendarDate.addDays(today, 1 - check.windowDays)
  const totals = new Map<string, Total>()
  // Without groups there is always one: nothing may be less than what was asked for.
  if (check.groupBy === undefined) totals.set("", nothing)
  for (const { groups } of rows) {
    for (const { check: key, count, date, group, max, sum, unconverted } of groups) {
      if (key !== check.key || (date !== null && (date < first || date > today))) continue
      const before = totals.get(group) ?? nothing
      totals.set(group, {
        count: before.count + count,
        sum: Decimal.add(before.sum, sum),
        max: count > 0 && (before.max === undefined || above(max, before.max)) ? max : before.max,
        unconverted: before.unconverted + unconverted
      })
    }
  }
  const name = check.name ?? check.key
  const wanted: ReadonlyArray<number> = compares[check.op]
  return [...totals].flatMap(([group, total]): ReadonlyArray<Reading> => {
    const value = measured(check, total)
    if (value === undefined) return []
    const isBreached = wanted.includes(Decimal.compare(value, check.threshold))
    const distance = Decimal.abs(Decimal.subtract(value, check.threshold))
    if (!isBreached && Decimal.compare(distance, margin(check.threshold, config.hysteresisPercent)) >= 0) return []
    return [
      {
        check,
        subject: group === "" ? "all" : group,
        subjectKind: check.groupBy ?? "enrichment",
        state: isBreached ? "breached" : "back",
        value,
        size: distance,
        title: `${name}${group === "" ? "" : ` (${[...group].slice(0, 60).join("")})`}: ${check.measure} of ${value} is ${words[check.op]} ${check.threshold}`,
        data: {
          measure: check.measure,
          value,
          threshold: check.threshold,
          op: check.op,
          from: first,
          to: today,
          records: total.count,
          ...(check.groupBy === undefined ? {} : { group }),
          ...(total.unconverted === 0 ? {} : { unconverted: total.unconverted })
        },
        persistHours: 0
      }
    ]
  })
}

const readOne = (check: CheckConfig, reads: Reads): ReadonlyArray<Reading> => {
  switch (check.kind) {
    case "balance":
      return readBalance(check, reads)
    case "tieOut":
      return readTieOut(check, reads)
    case "stale":
      return readStale(check, reads)
    case "missingRecurring":
      return readRecurring(check, reads)
    case "consentExpiry":
      return readConsent(check, reads)
    case "missingTransferLeg":
      return readLegs(check, reads)
    case "aggregate":
      return readAggregate(check, reads)
  }
}

/** By check, then subject: at most one of each. */
export const readings = (reads: Reads): ReadonlyArray<Reading> =>
  reads.config.checks.flatMap((check) =>
    readOne(check, reads).toSorted((a, b) => (a.subject < b.subject ? -1 : a.subject > b.subject ? 1 : 0))
  )
