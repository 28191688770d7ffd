/** Which facts of a period are worth telling, the most first (enrichments C16). */
import * as Decimal from "../../../shared/Decimal.ts"
import type { DigestFact, Measured } from "./DigestFact.ts"

export interface DigestItem {
  readonly fact: DigestFact
  readonly previous: Decimal.Decimal
  /** 0 to 100. */
  readonly score: number
}

/** How much a reader can do about it. */
const actionability: Readonly<Record<string, number>> = {
  recurring: 0.8,
  fees: 0.8,
  dataQuality: 0.8,
  anomalies: 0.7,
  budgets: 0.5,
  categories: 0.3,
  merchants: 0.3,
  transfers: 0.1
}

/** Facts of one kind that are reported at most: the others are in the sums. */
const mostOfSection = 5

const number = (value: Decimal.Decimal): number => Number(value)

/** How far a value is from those before, 0 to 1; half where there are too few to tell. */
const surpriseOf = (value: number, before: ReadonlyArray<number>): number => {
  if (before.length < 3) return 0.5
  const mean = before.reduce((sum, one) => sum + one, 0) / before.length
  const variance = before.reduce((sum, one) => sum + (one - mean) ** 2, 0) / before.length
  const spread = Math.max(Math.sqrt(variance), Math.abs(mean) * 0.05, 0.01)
  return Math.min(1, Math.abs(value - mean) / spread / 6)
}

/** `before`: the periods before, the newest first. Facts of the sums are reported separately. */
export const itemsOf = (
  now: Measured,
  before: ReadonlyArray<Measured>,
  sections: ReadonlyArray<string>,
  most: number
): ReadonlyArray<DigestItem> => {
  const turnover = Math.max(0.01, number(now.turnover))
  const ids = new Set([...now.facts.keys(), ...(before[0]?.facts.keys() ?? [])])
  const items = [...ids].flatMap((id): ReadonlyArray<DigestItem> => {
    const last = before[0]?.facts.get(id)
    const fact = now.facts.get(id) ?? { ...last!, value: Decimal.zero, records: "" }
    if (fact.section === "flow" || !sections.includes(fact.section)) return []
    // What is not there any more is reported where it was money of some size.
    if (fact.value === "0" && fact.unit === "count") return []
    const previous = last?.value ?? Decimal.zero
    const known = before.filter(({ records }) => records > 0)
    const surprise = surpriseOf(
      number(fact.value),
      known.map(({ facts }) => number(facts.get(id)?.value ?? Decimal.zero))
    )
    const change = Math.abs(number(fact.value) - number(previous))
    const size = fact.unit === "money" ? Math.min(1, change / (turnover / 10)) : Math.min(1, number(fact.value) / 10)
    const score = Math.round(40 * surprise + 30 * size + 20 * (actionability[fact.section] ?? 0) + 10)
    return [{ fact, previous, score }]
  })
  items.sort((a, b) => b.score - a.score || (a.fact.id < b.fact.id ? -1 : 1))
  const counts = new Map<string, number>()
  return items
    .filter(({ fact: { section } }) => {
      const count = (counts.get(section) ?? 0) + 1
      counts.set(section, count)
      return count <= mostOfSection
    })
    .slice(0, most)
}
