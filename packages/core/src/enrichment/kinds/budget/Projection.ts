/** What a period will probably come to: spent so far, bills that are due, and the pace of the rest (enrichments C12). */
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import { addMonths, periodIndex, periodStart, type Recurrence } from "../../../shared/Recurrence.ts"
import type { PeriodRow } from "./BudgetState.ts"
import type { BudgetCell } from "./Fold.ts"

/** Periods before the current one whose rest tells what is to come while the current one is young. */
export const pacePeriods = 3
/** Days after which the pace of the period itself counts; or a quarter of it, where that is earlier. */
const paceDays = 7

const monthsOf: Readonly<Record<string, number>> = {
  monthly: 1,
  bimonthly: 2,
  quarterly: 3,
  semiannual: 6,
  annual: 12
}
const daysOf: Readonly<Record<string, number>> = { weekly: 7, biweekly: 14, fourWeekly: 28 }

/** Days for which the last record of a series says when the next one comes. */
export const seriesReachDays = 400

/** The `n`-th occurrence after one; `undefined` for a cadence that says nothing. */
const occurrence = (
  date: CalendarDate.CalendarDate,
  cadence: string,
  n: number
): CalendarDate.CalendarDate | undefined => {
  const days = daysOf[cadence]
  if (days !== undefined) return CalendarDate.addDays(date, days * n)
  const months = monthsOf[cadence]
  if (months !== undefined) return addMonths(date, months * n)
  if (cadence !== "semimonthly") return undefined
  return CalendarDate.addDays(addMonths(date, Math.floor(n / 2)), n % 2 === 0 ? 0 : 15)
}

type Series = PeriodRow["series"][number]

/** The last record of each series that goes on. */
const livingSeries = (rows: ReadonlyArray<PeriodRow>): ReadonlyArray<Series> => {
  const last = new Map<string, Series>()
  for (const { series } of rows) {
    for (const one of series) if ((last.get(one.id)?.date ?? "") <= one.date) last.set(one.id, one)
  }
  return [...last.values()].filter(({ state }) => state !== "ended")
}

/** What series will still bring in the period: occurrences in it that have no record yet, late ones included. */
const stillDue = (series: ReadonlyArray<Series>, { end, line, start }: BudgetCell): bigint => {
  let units = 0n
  for (const one of series) {
    if (!one.lines.includes(line.key)) continue
    for (let n = 1; ; n++) {
      const day = occurrence(one.date, one.cadence, n)
      if (day === undefined || day >= end) break
      if (day >= start) units += BigInt(one.units)
    }
  }
  return units
}

const dividedHalfAway = (dividend: bigint, divisor: bigint): bigint => {
  const size = dividend < 0n ? -dividend : dividend
  const rounded = (size * 2n + divisor) / (divisor * 2n)
  return dividend < 0n ? -rounded : rounded
}

const sumOf = (row: PeriodRow | undefined, key: string, from = 0): bigint => {
  let units = 0n
  for (const [line, day, some] of row?.days ?? []) if (line === key && day >= from) units += BigInt(some)
  return units
}

/** Of the cells of the current period, in their order. */
export const projections = (
  cells: ReadonlyArray<BudgetCell>,
  rows: ReadonlyArray<PeriodRow>,
  recurrence: Recurrence,
  today: CalendarDate.CalendarDate
): ReadonlyArray<bigint> => {
  const byStart = new Map<string, PeriodRow>(rows.map((row) => [row.start, row]))
  const series = livingSeries(rows)
  const index = periodIndex(recurrence, today)
  const first = cells[0]
  if (first === undefined) return []
  const { end, start } = first
  const length = CalendarDate.daysBetween(start, end)
  // Today counts: what was spent on it is in the sum.
  const elapsed = CalendarDate.daysBetween(start, today) + 1
  const remaining = length - elapsed
  const ownPace = elapsed >= paceDays || elapsed * 4 >= length
  const firstRow = rows[0]?.start
  const before = Array.from({ length: pacePeriods }, (_, n) => periodStart(recurrence, index - n - 1)).filter(
    (day) => firstRow !== undefined && day >= firstRow
  )
  return cells.map((cell) => {
    const { key } = cell.line
    const pace = ownPace
      ? dividedHalfAway(sumOf(byStart.get(start), key) * BigInt(remaining), BigInt(elapsed))
      : before.length === 0
        ? 0n
        : dividedHalfAway(
            before.reduce((sum, day) => sum + sumOf(byStart.get(day), key, elapsed), 0n),
            BigInt(before.length)
          )
    return cell.spent + stillDue(series, cell) + pace
  })
}
