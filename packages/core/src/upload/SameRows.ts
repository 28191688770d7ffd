/** Whether the rows of a statement say that it is of an account: the same amounts on the same days. */
import * as CalendarDate from "../shared/CalendarDate.ts"
import type { Decimal } from "../shared/Decimal.ts"

export interface DatedAmount {
  readonly date: CalendarDate.CalendarDate
  readonly amount: Decimal
}

/** Two sources may date a booking so many days apart. */
const apart = 1
/** Rows that must be the same, and their share of the rows of the days that both show. */
const fewest = 2
const share = 0.8

const daysOf = (rows: ReadonlyArray<DatedAmount>): readonly [first: number, last: number] => {
  const days = rows.map(({ date }) => CalendarDate.toEpochDay(date))
  return [days.reduce((a, b) => Math.min(a, b), Infinity), days.reduce((a, b) => Math.max(a, b), -Infinity)]
}

/** Rows that have a counterpart, each counterpart used once. */
const paired = (rows: ReadonlyArray<DatedAmount>, others: ReadonlyArray<DatedAmount>): number => {
  const days = new Map<Decimal, Array<number>>()
  for (const { amount, date } of others.toSorted((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0))) {
    const list = days.get(amount)
    if (list === undefined) days.set(amount, [CalendarDate.toEpochDay(date)])
    else list.push(CalendarDate.toEpochDay(date))
  }
  let pairs = 0
  for (const { amount, date } of rows.toSorted((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0))) {
    const day = CalendarDate.toEpochDay(date)
    const list = days.get(amount)
    const at = list?.findIndex((other) => Math.abs(other - day) <= apart) ?? -1
    if (at < 0) continue
    list!.splice(at, 1)
    pairs++
  }
  return pairs
}

/** Symmetric. Nothing is said of days that only one of the two shows. */
export const showSameRows = (a: ReadonlyArray<DatedAmount>, b: ReadonlyArray<DatedAmount>): boolean => {
  const [[firstA, lastA], [firstB, lastB]] = [daysOf(a), daysOf(b)]
  const [first, last] = [Math.max(firstA, firstB), Math.min(lastA, lastB)]
  const within = ({ date }: DatedAmount, margin: number): boolean => {
    const day = CalendarDate.toEpochDay(date)
    return day >= first - margin && day <= last + margin
  }
  const [ownA, ownB] = [a.filter((row) => within(row, 0)), b.filter((row) => within(row, 0))]
  const [nearA, nearB] = [a.filter((row) => within(row, apart)), b.filter((row) => within(row, apart))]
  const pairs = [paired(ownA, nearB), paired(ownB, nearA)]
  return Math.min(...pairs) >= fewest && pairs[0]! >= share * ownA.length && pairs[1]! >= share * ownB.length
}
