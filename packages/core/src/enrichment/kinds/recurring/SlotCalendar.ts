/** Days of months and what happens to them on days without business, as numbers of days since 1970-01-01. */
import { type BusinessCalendar, shift as shiftDate, type ShiftPolicy } from "../../../shared/BusinessCalendar.ts"
import * as CalendarDate from "../../../shared/CalendarDate.ts"

const policyNumber: Readonly<Record<ShiftPolicy, number>> = { none: 0, following: 1, preceding: 2 }

interface Month {
  readonly start: number
  readonly length: number
}

/** Month numbers are `year * 12 + month - 1`. What was asked for once is known from then on. */
export class SlotCalendar {
  readonly calendar: BusinessCalendar
  private readonly months = new Map<number, Month>()
  private readonly shifted: readonly [Map<number, number>, Map<number, number>, Map<number, number>] = [
    new Map(),
    new Map(),
    new Map()
  ]
  /** By month, then anchor and policy. */
  private readonly slots = new Map<number, Int32Array>()
  private readonly monthsOfDays = new Map<number, number>()

  constructor(calendar: BusinessCalendar) {
    this.calendar = calendar
  }

  private month(number: number): Month {
    let month = this.months.get(number)
    if (month === undefined) {
      const year = Math.floor(number / 12)
      const index = number - year * 12
      month = { start: Date.UTC(year, index, 1) / 86_400_000, length: CalendarDate.daysInMonth(year, index + 1) }
      this.months.set(number, month)
    }
    return month
  }

  monthOf(day: number): number {
    let month = this.monthsOfDays.get(day)
    if (month === undefined) {
      const date = new Date(day * 86_400_000)
      month = date.getUTCFullYear() * 12 + date.getUTCMonth()
      this.monthsOfDays.set(day, month)
    }
    return month
  }

  /** 1 to 31. */
  dayIn(day: number): number {
    return day - this.month(this.monthOf(day)).start + 1
  }

  isLastOfMonth(day: number): boolean {
    return this.dayIn(day) === this.month(this.monthOf(day)).length
  }

  /** That day of the month, at most its last one, moved as the policy says. */
  dayOfMonth(month: number, day: number, policy: ShiftPolicy): number {
    let known = this.slots.get(month)
    if (known === undefined) this.slots.set(month, (known = new Int32Array(96).fill(-2_147_483_648)))
    const at = policyNumber[policy] * 32 + day
    const slot = known[at]!
    if (slot !== -2_147_483_648) return slot
    const { length, start } = this.month(month)
    return (known[at] = this.shift(start + Math.min(day, length) - 1, policy))
  }

  /** The n-th such weekday (0 is Sunday) of the month; the last one for 5. */
  nthWeekday(month: number, nth: number, weekday: number): number {
    const { length, start } = this.month(month)
    const first = start + ((((weekday - start - 4) % 7) + 7) % 7)
    if (nth < 5) return first + (nth - 1) * 7
    return first + 7 * Math.floor((start + length - 1 - first) / 7)
  }

  shift(day: number, policy: ShiftPolicy): number {
    if (policy === "none") return day
    const known = this.shifted[policyNumber[policy] as 0 | 1 | 2]
    let moved = known.get(day)
    if (moved === undefined) {
      moved = CalendarDate.toEpochDay(shiftDate(this.calendar, CalendarDate.fromEpochDay(day), policy))
      known.set(day, moved)
    }
    return moved
  }
}

/** 0 is Sunday. */
export const weekdayOfDay = (day: number): number => (((day + 4) % 7) + 7) % 7
