/** How often things recur (enrichments D3.3). */
import * as Schema from "effect/Schema"

export const cadenceNames = [
  "weekly",
  "biweekly",
  "fourWeekly",
  "semimonthly",
  "monthly",
  "bimonthly",
  "quarterly",
  "semiannual",
  "annual"
] as const

export const CadenceName = Schema.Literals(cadenceNames)
export type CadenceName = typeof CadenceName.Type

export interface Cadence {
  readonly name: CadenceName
  /** Counted in days, where it is. */
  readonly days?: number
  /** Counted in months, where it is; half months are `semimonthly`. */
  readonly months?: number
  /** Mean days from one to the next. */
  readonly period: number
  /** Days that something may be off. */
  readonly tolerance: number
  /** Occurrences until it is one, and until it is sure. */
  readonly leastHits: number
  readonly matureHits: number
  /** Occurrences that may be missed in a row before it is over. */
  readonly misses: number
}

const monthDays = 365.25 / 12

const inDays = (
  name: CadenceName,
  days: number,
  rest: Omit<Cadence, "name" | "days" | "months" | "period">
): Cadence => ({
  name,
  days,
  period: days,
  ...rest
})

const inMonths = (
  name: CadenceName,
  months: number,
  rest: Omit<Cadence, "name" | "days" | "months" | "period">
): Cadence => ({ name, months, period: monthDays * months, ...rest })

/** In the order in which the first of equals wins. */
export const cadences: ReadonlyArray<Cadence> = [
  inDays("weekly", 7, { tolerance: 2, leastHits: 4, matureHits: 6, misses: 2 }),
  inDays("biweekly", 14, { tolerance: 3, leastHits: 3, matureHits: 5, misses: 1 }),
  inDays("fourWeekly", 28, { tolerance: 3, leastHits: 4, matureHits: 6, misses: 1 }),
  inMonths("semimonthly", 0.5, { tolerance: 3, leastHits: 4, matureHits: 6, misses: 1 }),
  inMonths("monthly", 1, { tolerance: 5, leastHits: 3, matureHits: 4, misses: 1 }),
  inMonths("bimonthly", 2, { tolerance: 6, leastHits: 3, matureHits: 4, misses: 1 }),
  inMonths("quarterly", 3, { tolerance: 8, leastHits: 3, matureHits: 4, misses: 1 }),
  inMonths("semiannual", 6, { tolerance: 12, leastHits: 2, matureHits: 3, misses: 1 }),
  inMonths("annual", 12, { tolerance: 16, leastHits: 2, matureHits: 3, misses: 0 })
]

const byName = new Map(cadences.map((cadence) => [cadence.name, cadence]))

export const cadenceOf = (name: CadenceName): Cadence => byName.get(name)!

/** Days after the last occurrence from which on a series is over. */
export const endingDays = ({ misses, period, tolerance }: Cadence): number =>
  Math.floor(period * (1 + misses) + tolerance + 2)
