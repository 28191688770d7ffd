/** A ledger of any size whose rows follow from their number, so that a page costs what the page holds. */
import { CalendarDate } from "@millrace/core"
import { dateOf, dayMillis, hourMillis } from "./Calendar.ts"
import type { Entry, Posting } from "./Entry.ts"

/** All rows lie in the first days of the history, which is never shorter than a year. */
const spanDays = 360
// A prime: multiplying by another one visits every remainder once before it repeats.
const cycle = 9973
const step = 7919

const merchants = [
  "HARVEST LANE MKT",
  "SQ *BLUE DOOR COFFEE",
  "ROADSIDE FUEL",
  "EVERYTHING MART",
  "METRO TRANSIT"
] as const

const unitsAt = (index: number): bigint => {
  const rest = (index * step) % cycle
  return BigInt(rest % 40 === 0 ? 2_000 + rest : -100 - rest)
}

let cycleSum: bigint | undefined
const sumOfCycle = (): bigint => {
  if (cycleSum === undefined) {
    let sum = 0n
    for (let index = 0; index < cycle; index++) sum += unitsAt(index)
    cycleSum = sum
  }
  return cycleSum
}

/** Minor units of all rows together. */
export const total = (rows: number): bigint => {
  let sum = BigInt(Math.floor(rows / cycle)) * sumOfCycle()
  for (let index = rows - (rows % cycle); index < rows; index++) sum += unitsAt(index)
  return sum
}

/** Number of the first row dated on or after a day. */
export const firstFrom = (rows: number, start: CalendarDate.CalendarDate, from: CalendarDate.CalendarDate): number =>
  Math.min(rows, Math.max(0, Math.ceil((CalendarDate.daysBetween(start, from) * rows) / spanDays)))

/** Row `index` of `rows`, counted from 0, oldest first. */
export const row = (
  account: string,
  key: string,
  rows: number,
  start: CalendarDate.CalendarDate,
  index: number
): { readonly entry: Entry; readonly posting: Posting } => {
  const day = CalendarDate.toEpochDay(start) + Math.floor((index * spanDays) / rows)
  const at = day * dayMillis + (index % 24) * hourMillis
  const units = unitsAt(index)
  const posting: Posting = {
    date: dateOf(at),
    text: `${merchants[index % merchants.length] ?? merchants[0]} ${String(index % 9973).padStart(4, "0")}`,
    units,
    type: units > 0n ? "REFUND" : "CARD",
    category: "GENERAL_MERCHANDISE",
    reference: String(index)
  }
  return { entry: { account, id: `dl_${key}_${index}`, pending: false, versions: [{ from: at, posting }] }, posting }
}
