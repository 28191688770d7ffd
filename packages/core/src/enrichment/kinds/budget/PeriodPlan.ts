/** What the records of one period come to, and what is said of each (enrichments C12). */
import * as Schema from "effect/Schema"
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import type { Sha256 } from "../../../shared/DerivedId.ts"
import { periodIndex, periodStart } from "../../../shared/Recurrence.ts"
import type { SetClaim, SetRecord } from "../SetKind.ts"
import type { PeriodRow } from "./BudgetState.ts"
import { type Contribution, contributionOf, type Counting, type PreparedBudget, purchaseDays } from "./Contribution.ts"

/** Why a record counts, and with what. */
export const BudgetEvidence = Schema.Struct({
  /** Keys of the lines. */
  lines: Schema.Array(Schema.String),
  date: CalendarDate.CalendarDate,
  amount: Decimal.DecimalText,
  currency: Schema.String,
  /** What is added to each line, in the currency of the budget; `null` where it could not be converted. */
  counted: Schema.NullOr(Decimal.DecimalText),
  into: Schema.String,
  /** One unit of the one currency in the other; 0 where there is no rate. */
  rate: Decimal.DecimalText,
  /** The first day of the period in which it is booked. */
  period: CalendarDate.CalendarDate
})
export type BudgetEvidence = typeof BudgetEvidence.Type

export const keysField = "budget.keys"

export interface PeriodPlanned {
  readonly row: PeriodRow
  readonly claims: ReadonlyArray<SetClaim<BudgetEvidence>>
}

/** Adds up by a text. */
class Sums {
  private readonly sums = new Map<string, bigint>()
  private readonly parts = new Map<string, readonly [string, string | number]>()

  add(left: string, right: string | number, units: bigint): void {
    const key = JSON.stringify([left, right])
    this.parts.set(key, [left, right])
    this.sums.set(key, (this.sums.get(key) ?? 0n) + units)
  }

  /** In the order of their texts. */
  all<R extends string | number>(): Array<[string, R, string]> {
    return [...this.sums]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, units]) => {
        const [left, right] = this.parts.get(key)!
        return [left, right as R, String(units)]
      })
  }
}

const latestSeries = (contributions: ReadonlyArray<Contribution>, keysOf: (one: Contribution) => Array<string>) => {
  const last = new Map<string, Contribution>()
  for (const one of contributions) {
    if (one.series === undefined || one.units === undefined) continue
    const other = last.get(one.series.id)
    if (other === undefined || other.date < one.date || (other.date === one.date && other.recordId < one.recordId)) {
      last.set(one.series.id, one)
    }
  }
  return [...last]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, one]) => ({ ...one.series!, date: one.date, lines: keysOf(one), units: String(one.units) }))
}

export interface PeriodInput extends Counting {
  readonly digits: number
  readonly sha256: Sha256
  /** Records that a person does not want counted. */
  readonly silenced: (recordId: string) => boolean
}

/** `around`: all records that can have something to do with refunds of the period, its own included. */
export const planPeriod = (
  prepared: PreparedBudget,
  start: CalendarDate.CalendarDate,
  records: ReadonlyArray<SetRecord>,
  around: ReadonlyArray<SetRecord>,
  input: PeriodInput
): PeriodPlanned => {
  const { config, recurrence } = prepared
  const { digits, sha256, silenced } = input
  const of = (all: ReadonlyArray<SetRecord>) =>
    all.flatMap((record) => (silenced(record.recordId) ? [] : (contributionOf(prepared, record, input) ?? [])))
  const contributions = of(records)
  const bought = config.refunds === "original" ? purchaseDays(of(around)) : new Map<string, CalendarDate.CalendarDate>()
  const keysOf = ({ lines }: Contribution): Array<string> => lines.map((at) => config.lines[at]!.key)
  const booked = new Sums()
  const days = new Sums()
  const missing = new Map<string, { count: number; amount: Decimal.Decimal }>()
  const claims: Array<SetClaim<BudgetEvidence>> = []
  const counted: Array<string> = []
  for (const one of contributions) {
    const keys = keysOf(one)
    const purchase = bought.get(one.recordId)
    const period = purchase === undefined ? start : periodStart(recurrence, periodIndex(recurrence, purchase))
    for (const key of keys) {
      if (one.units === undefined) {
        const place = JSON.stringify([key, one.currency])
        const before = missing.get(place) ?? { count: 0, amount: Decimal.zero }
        missing.set(place, { count: before.count + 1, amount: Decimal.add(before.amount, one.amount) })
        continue
      }
      booked.add(period, key, one.units)
      if (one.series === undefined && period === start) {
        days.add(key, CalendarDate.daysBetween(start, one.date), one.units)
      }
    }
    counted.push(`${one.recordId} ${one.units ?? "-"} ${keys.join(",")}`)
    claims.push({
      recordId: one.recordId,
      field: keysField,
      value: keys.join(","),
      evidence: {
        lines: keys,
        date: one.date,
        amount: one.amount,
        currency: one.currency,
        counted: one.units === undefined ? null : Decimal.fromUnits(one.units, digits),
        into: input.currency,
        rate: one.rate,
        period
      }
    })
  }
  const row: PeriodRow = {
    start,
    booked: booked.all<string>().map(([into, key, units]) => [CalendarDate.make(into), key, units] as const),
    unconverted: [...missing]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([place, { amount, count }]) => {
        const [key, currency] = JSON.parse(place) as [string, string]
        return [key, currency, count, amount] as const
      }),
    days: days.all<number>(),
    series: latestSeries(contributions, keysOf),
    digest: sha256(counted.join("\n")).slice(0, 22)
  }
  return { row, claims }
}
