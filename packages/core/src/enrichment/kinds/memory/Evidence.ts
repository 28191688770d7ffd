/** How much what people did supports a value (enrichments D5.1, D5.3, D5.4). */
import type { Fields } from "../../../record/FieldValue.ts"
import { type CalendarDate, daysBetween } from "../../../shared/CalendarDate.ts"
import { valueText } from "./MemoryPattern.ts"

/** What a person decided last about a field of a record. */
export interface Observation {
  readonly recordId: string
  /** The record as the memory sees it. */
  readonly fields: Fields
  /** `undefined`: not what was filled in, or nothing at all; it speaks against every value. */
  readonly value: string | boolean | undefined
  readonly day: CalendarDate
  /** Acts that it counts as. */
  readonly weight: number
}

export interface Evidence {
  /** The value that most acts say; of equal ones the first by its text. */
  readonly value: string | boolean
  /** Acts that say it, and all. */
  readonly count: number
  readonly total: number
  /** In thousandths. */
  readonly bound: number
  readonly right: number
  readonly predicted: number
  /** The latest acts agree on something else. */
  readonly isContradicted: boolean
}

/** One-sided, 90 %. */
const z = 1.2816

/** The lower end of Wilson's interval for `k` of `n`. */
export const wilsonBound = (k: number, n: number): number => {
  if (n <= 0) return 0
  const p = k / n
  return (p + (z * z) / (2 * n) - z * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n))) / (1 + (z * z) / n)
}

/** Latest acts that have to agree on something else. */
const latestActs = 3
/** Days for which records are foretold. */
const backtestDays = 730

/** The oldest first; of one day in an order that does not depend on when they were heard of. */
export const inOrder = (acts: ReadonlyArray<Observation>): ReadonlyArray<Observation> =>
  acts.toSorted((a, b) =>
    a.day !== b.day ? (a.day < b.day ? -1 : 1) : a.recordId < b.recordId ? -1 : a.recordId > b.recordId ? 1 : 0
  )

interface Tally {
  readonly value: string | boolean
  count: number
  weight: number
}

/** The one with the most weight. What is as heavy as another one is the first by its text. */
const heaviest = (tallies: Iterable<Tally>, without?: { readonly of: Tally | undefined; readonly weight: number }) => {
  let best: Tally | undefined
  let most = 0
  let isTied = false
  for (const tally of tallies) {
    const weight = Math.round((tally === without?.of ? tally.weight - without.weight : tally.weight) * 1e9)
    if (weight <= 0) continue
    if (best === undefined || weight > most) {
      best = tally
      most = weight
      isTied = false
    } else if (weight === most) isTied = true
  }
  return { best, isTied }
}

/** How far acts in order (`inOrder`) agree, as seen on a day; `undefined` where none says a value. */
export const weigh = (
  acts: ReadonlyArray<Observation>,
  { halfLifeDays, today }: { readonly halfLifeDays: number; readonly today: CalendarDate },
  /** The value that is asked about; the one that most acts say unless given. */
  asked?: string | boolean
): Evidence | undefined => {
  const byText = new Map<string, Tally>()
  const weights = acts.map(({ day, weight }) => weight * 0.5 ** (Math.max(0, daysBetween(day, today)) / halfLifeDays))
  let all = 0
  for (const [n, { value }] of acts.entries()) {
    all += weights[n]!
    if (value === undefined) continue
    const text = valueText(value)
    const tally = byText.get(text) ?? { value, count: 0, weight: 0 }
    byText.set(text, tally)
    tally.count++
    tally.weight += weights[n]!
  }
  const tallies = [...byText].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, tally]) => tally)
  const top = asked === undefined ? heaviest(tallies).best : byText.get(valueText(asked))
  if (top === undefined) return undefined

  let right = 0
  let predicted = 0
  for (const [n, { day, value }] of acts.entries()) {
    if (value === undefined || daysBetween(day, today) > backtestDays) continue
    const own = byText.get(valueText(value))
    const { best, isTied } = heaviest(tallies, { of: own, weight: weights[n]! })
    if (best === undefined || isTied) continue
    predicted++
    if (best === own) right++
  }

  const last = acts.slice(-latestActs).map(({ value }) => value)
  const isContradicted = last.length === latestActs && last.every((value) => value === last[0] && value !== top.value)
  return {
    value: top.value,
    count: top.count,
    total: acts.length,
    bound: Math.round(wilsonBound(top.weight, all) * 1_000),
    right,
    predicted,
    isContradicted
  }
}
