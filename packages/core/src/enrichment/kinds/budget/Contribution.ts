/** What a record adds to the lines of a budget (enrichments C12). */
import type { FieldCatalog } from "../../../record/FieldCatalog.ts"
import type { Fields, FieldValue } from "../../../record/FieldValue.ts"
import { Cells } from "../../../filter/Cells.ts"
import { predicate, type Predicate } from "../../../filter/Closures.ts"
import type { PatternEngine } from "../../../pattern/Pattern.ts"
import { conditionOf } from "../../../rule/Condition.ts"
import { leavesOf } from "../../../rule/ConditionGroup.ts"
import { movesWithTheDay } from "../../../rule/lint/ConditionCheck.ts"
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import * as Currency from "../../../shared/Currency.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import { convert, type RateTable } from "../../../shared/RateTable.ts"
import { periodIndex, periodStart, type Recurrence } from "../../../shared/Recurrence.ts"
import type { Work } from "../../../shared/Work.ts"
import { merchantKey, textKey } from "../../../text/TextKey.ts"
import { fold } from "../../../text/Fold.ts"
import type { SetRecord } from "../SetKind.ts"
import { type BudgetConfig, recurrenceOf } from "./BudgetConfig.ts"

/** A budget that is ready to look at records. Keeps scratch space: one record at a time. */
export interface PreparedBudget {
  readonly config: BudgetConfig
  readonly recurrence: Recurrence
  readonly cells: Cells
  readonly matches: ReadonlyArray<Predicate<Cells>>
  readonly fields: ReadonlyArray<string>
  /** Whether a line may match other records on another day. */
  readonly moves: boolean
}

const own = [
  "date",
  "amount",
  "currency",
  "pending",
  "category",
  "transfer.kind",
  "transfer.state",
  "recurring.seriesId",
  "recurring.cadence",
  "recurring.state"
]
const ofMerchant = ["merchantName", "description"]

export const prepareBudget = (config: BudgetConfig, catalog: FieldCatalog, patterns: PatternEngine): PreparedBudget => {
  const cells = new Cells()
  const asked = config.lines.flatMap(({ match }) => Array.from(leavesOf(match, ""), ([{ field }]) => field))
  return {
    config,
    recurrence: recurrenceOf(config),
    cells,
    matches: config.lines.map(({ match }) => predicate(conditionOf(match, catalog, patterns), cells.reading)),
    fields: [...new Set([...own, ...(config.refunds === "original" ? ofMerchant : []), ...asked])].toSorted(),
    moves: config.lines.some(({ match }) => movesWithTheDay(match, catalog, patterns))
  }
}

const textOf = (value: FieldValue | undefined): string => (typeof value === "string" ? value : "")

const dateOf = ({ fields }: SetRecord): CalendarDate.CalendarDate | undefined =>
  CalendarDate.ofText(textOf(fields["date"]))

/** The first day of the period of a record; `undefined` where it belongs to none. */
export const placeOf = ({ config, recurrence }: PreparedBudget, record: SetRecord): string | undefined => {
  const date = dateOf(record)
  if (date === undefined) return undefined
  const start = periodStart(recurrence, periodIndex(recurrence, date))
  const { startDate } = config
  if (startDate !== undefined && start < periodStart(recurrence, periodIndex(recurrence, startDate))) return undefined
  return start
}

/** A record that counts, in minor units of the currency of the budget. */
export interface Contribution {
  readonly recordId: string
  readonly date: CalendarDate.CalendarDate
  /** Lines, by their places in the configuration. */
  readonly lines: ReadonlyArray<number>
  readonly amount: Decimal.Decimal
  readonly currency: Currency.Currency
  /** What it adds to each of the lines; `undefined` where it cannot be converted. */
  readonly units: bigint | undefined
  readonly rate: Decimal.Decimal
  readonly series: { readonly id: string; readonly cadence: string; readonly state: string } | undefined
  /** Whom it was paid to, where refunds go to their purchases. */
  readonly merchant: string
}

const isIncome = (fields: Fields): boolean => fold(textOf(fields["category"])).startsWith("income")

/** Spending leaves wages and the like out, income leaves spending out; a net budget counts both. */
const counts = ({ flow }: BudgetConfig, fields: Fields, amount: Decimal.Decimal): boolean => {
  if (flow === "net") return true
  return flow === "spending" ? !isIncome(fields) : isIncome(fields) || !Decimal.isNegative(amount)
}

const linked: ReadonlySet<string> = new Set(["auto", "confirmed"])

const isLeftOut = ({ includeTransferKinds, pending }: BudgetConfig, fields: Fields): boolean => {
  if (pending === "exclude" && fields["pending"] === true) return true
  const kind = textOf(fields["transfer.kind"])
  return kind !== "" && linked.has(textOf(fields["transfer.state"])) && !includeTransferKinds.includes(kind)
}

export interface Counting {
  readonly currency: Currency.Currency
  readonly rates: RateTable
  readonly today: CalendarDate.CalendarDate
  readonly work: Work
}

/** `undefined` where the record is in no line. */
export const contributionOf = (
  prepared: PreparedBudget,
  record: SetRecord,
  { currency, rates, today, work }: Counting
): Contribution | undefined => {
  const { cells, config, matches } = prepared
  const { fields } = record
  const date = dateOf(record)
  const amount = Decimal.parse(textOf(fields["amount"]))
  if (date === undefined || amount === undefined) return undefined
  if (isLeftOut(config, fields) || !counts(config, fields, amount)) return undefined
  cells.load(fields, { today, work })
  const lines: Array<number> = []
  for (const [at, holds] of matches.entries()) {
    if (!holds(cells)) continue
    lines.push(at)
    if (config.assignment === "first") break
  }
  if (lines.length === 0) return undefined
  const from = Currency.parse(textOf(fields["currency"])) ?? currency
  const signed = config.flow === "income" ? amount : Decimal.negate(amount)
  const converted = convert(rates, signed, from, currency, date)
  const seriesId = textOf(fields["recurring.seriesId"])
  const name = config.refunds === "original" ? textOf(fields["merchantName"]) || textOf(fields["description"]) : ""
  return {
    recordId: record.recordId,
    date,
    lines,
    amount,
    currency: from,
    units: converted === undefined ? undefined : Decimal.toUnits(converted.amount, Currency.minorDigits(currency)),
    rate: converted?.rate ?? Decimal.zero,
    series:
      seriesId === ""
        ? undefined
        : {
            id: seriesId,
            cadence: textOf(fields["recurring.cadence"]),
            state: textOf(fields["recurring.state"])
          },
    merchant: name === "" ? "" : merchantKey(textKey(name))
  }
}

/** Days before a refund in which its purchase is looked for. */
export const refundReachDays = 90

/** By day; on one day what was bought comes before what was given back. */
const inTime = (a: Contribution, b: Contribution): number =>
  a.date !== b.date
    ? a.date < b.date
      ? -1
      : 1
    : a.units! > 0n !== b.units! > 0n
      ? a.units! > 0n
        ? -1
        : 1
      : a.recordId < b.recordId
        ? -1
        : 1

/**
 * The day of the purchase that each refund gives back, where one is found among earlier ones at the same merchant in the same
 * lines: the latest of the same size, else the latest that was larger. No purchase is given back twice over.
 */
export const purchaseDays = (
  contributions: ReadonlyArray<Contribution>
): ReadonlyMap<string, CalendarDate.CalendarDate> => {
  const days = new Map<string, CalendarDate.CalendarDate>()
  const left = new Map<string, bigint>()
  const ordered = contributions
    .filter(({ merchant, units }) => merchant !== "" && units !== undefined && units !== 0n)
    .toSorted(inTime)
  const byMerchant = new Map<string, Array<Contribution>>()
  for (const one of ordered) {
    const units = one.units!
    const key = `${one.lines.join(" ")} ${one.currency} ${one.merchant}`
    const bought = byMerchant.get(key) ?? []
    byMerchant.set(key, bought)
    if (units > 0n) {
      bought.push(one)
      left.set(one.recordId, units)
      continue
    }
    const near = bought.filter(({ date }) => CalendarDate.daysBetween(date, one.date) <= refundReachDays)
    const purchase =
      near.findLast(({ recordId, units: paid }) => paid === -units && left.get(recordId) === paid) ??
      near.findLast(({ recordId }) => left.get(recordId)! >= -units)
    if (purchase === undefined) continue
    left.set(purchase.recordId, left.get(purchase.recordId)! + units)
    days.set(one.recordId, purchase.date)
  }
  return days
}
