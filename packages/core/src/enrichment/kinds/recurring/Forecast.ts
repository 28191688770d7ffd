/** What comes next (enrichments D3.7): pure, for anyone who plans ahead, such as budgets and digests. */
import type { BusinessCalendar } from "../../../shared/BusinessCalendar.ts"
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import { cadenceOf } from "./Cadence.ts"
import type { Levels } from "./Levels.ts"
import { readRhythm, type Rhythm, slotAfter, slotDay, slotNear } from "./Rhythm.ts"
import { SlotCalendar } from "./SlotCalendar.ts"

/** What is known of a series; days since 1970-01-01, minor units without a sign. */
export interface Forecastable {
  readonly rhythm: Rhythm
  /** The slot of its last payment, and the day of that. */
  readonly lastSlot: number
  readonly lastDay: number
  readonly residual90: number
  readonly levels: Levels
  /** In the order of time. */
  readonly payments: ReadonlyArray<{ readonly day: number; readonly amount: number }>
}

export interface Expected {
  readonly day: number
  /** The days between which it comes, nine times of ten. */
  readonly earliest: number
  readonly latest: number
  readonly amount: number
  /** The amounts between which it lies, four times of five. */
  readonly least: number
  readonly most: number
}

const recentPayments = 6
const seasonMonths = 24

const quantile = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))]!

/** How much the payment of a month differs from the mean of its year, by calendar month. Of two whole years at least. */
const seasonOf = ({ payments, rhythm }: Forecastable, slots: SlotCalendar): ReadonlyMap<number, number> | undefined => {
  if (rhythm.cadence !== "monthly" || payments.length < seasonMonths) return undefined
  const ratios = new Map<number, Array<number>>()
  for (let end = payments.length; end >= 12; end -= 12) {
    const year = payments.slice(end - 12, end)
    const mean = year.reduce((sum, { amount }) => sum + amount, 0) / 12
    for (const { amount, day } of year) {
      const month = slots.monthOf(day) % 12
      const known = ratios.get(month) ?? []
      ratios.set(month, known)
      known.push(amount / mean)
    }
  }
  return new Map([...ratios].map(([month, all]) => [month, all.reduce((sum, one) => sum + one, 0) / all.length]))
}

/** The payments that follow the last one, up to that day. */
export const forecast = (series: Forecastable, until: number, slots: SlotCalendar): ReadonlyArray<Expected> => {
  const { lastDay, lastSlot, levels, payments, residual90, rhythm } = series
  const level = levels.levels.at(-1)?.amount
  const recent = payments
    .slice(-recentPayments)
    .map(({ amount }) => amount)
    .toSorted((a, b) => a - b)
  const season = level === undefined ? seasonOf(series, slots) : undefined
  const base =
    season === undefined
      ? quantile(recent, 0.5)
      : payments.slice(-12).reduce((sum, { amount }) => sum + amount, 0) / Math.min(12, payments.length)
  const expected: Array<Expected> = []
  for (let slot = slotAfter(rhythm, lastSlot + 1, lastDay, slots); ; slot++) {
    const day = slotDay(rhythm, slot, slots)
    if (day > until) return expected
    const ratio = season?.get(slots.monthOf(day) % 12) ?? 1
    const amount = level ?? Math.round(base * ratio)
    const scale = season === undefined ? 1 : amount / Math.max(1, quantile(recent, 0.5))
    expected.push({
      day,
      earliest: day - residual90,
      latest: day + residual90,
      amount,
      least: level ?? Math.round(quantile(recent, 0.1) * scale),
      most: level ?? Math.round(quantile(recent, 0.9) * scale)
    })
  }
}

/** What the payments of the twelve months from the next one on add up to. */
export const yearFrom = (series: Forecastable, slots: SlotCalendar): number => {
  const next = slotDay(series.rhythm, slotAfter(series.rhythm, series.lastSlot + 1, series.lastDay, slots), slots)
  // One day less than a year: what comes once a year is counted once, also when it comes a few days earlier.
  const { tolerance } = cadenceOf(series.rhythm.cadence)
  return forecast(series, next + 364 - Math.min(tolerance, 3), slots).reduce((sum, { amount }) => sum + amount, 0)
}

/**
 * The days from one to another on which a schedule falls, both included: `schedule` as the field `recurring.schedule` has it.
 * For those who have nothing but the fields of a record; none for a text that is no schedule.
 */
export const scheduledDays = (
  schedule: string,
  from: CalendarDate.CalendarDate,
  until: CalendarDate.CalendarDate,
  calendar: BusinessCalendar
): ReadonlyArray<CalendarDate.CalendarDate> => {
  const rhythm = readRhythm(schedule)
  if (rhythm === undefined) return []
  const slots = new SlotCalendar(calendar)
  const [first, last] = [CalendarDate.toEpochDay(from), CalendarDate.toEpochDay(until)]
  const days: Array<CalendarDate.CalendarDate> = []
  for (let slot = slotNear(rhythm, first, slots) - 3; ; slot++) {
    const day = slotDay(rhythm, slot, slots)
    if (day > last) return days
    if (day >= first) days.push(CalendarDate.fromEpochDay(day))
  }
}
