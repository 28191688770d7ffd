/** Prices over time: levels that hold for a while (enrichments D3.5). Amounts are minor units without a sign. */

export type AmountKind = "fixed" | "stepped" | "variable" | "irregular"

export interface Levels {
  readonly kind: AmountKind
  /** Of `fixed` and `stepped` ones, in order: from which observation on, and how much. Empty for others. */
  readonly levels: ReadonlyArray<{ readonly from: number; readonly amount: number }>
  /** Standard deviation by mean. */
  readonly variation: number
}

const changePenalty = 1.5
/** A last observation that stands alone: half the proof, half the price. */
const tipPenalty = 0.75
const mostCost = 0.2
const mostVariation = 0.6

/** The lower one of two in the middle, so that it is an amount that was seen. */
const medianOf = (sorted: ReadonlyArray<number>): number => sorted[(sorted.length - 1) >> 1]!

const offLevel = (amount: number, level: number): number => Math.min(1, Math.abs(amount - level) / (0.02 * level + 1))

const insert = (sorted: Array<number>, value: number): void => {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle]! < value) low = middle + 1
    else high = middle
  }
  sorted.splice(low, 0, value)
}

export const variationOf = (amounts: ReadonlyArray<number>): number => {
  const mean = amounts.reduce((sum, one) => sum + one, 0) / amounts.length
  const square = amounts.reduce((sum, one) => sum + (one - mean) ** 2, 0) / amounts.length
  return mean === 0 ? 0 : Math.sqrt(square) / mean
}

interface Step {
  readonly total: number
  /** Without penalties. */
  readonly cost: number
  readonly from: number
  readonly level: number
}

/** Levels at least cost, by dynamic programming over where the last one begins. */
const segmented = (amounts: ReadonlyArray<number>): { levels: Levels["levels"]; cost: number } => {
  const n = amounts.length
  // Of everything before that place; the first costs nothing.
  const best: Array<Step | undefined> = [{ total: 0, cost: 0, from: 0, level: 0 }]
  for (let from = 0; from < n; from++) {
    const before = best[from]
    if (before === undefined) continue
    const sorted: Array<number> = []
    for (let end = from; end < n; end++) {
      insert(sorted, amounts[end]!)
      const isTip = end === from
      if (isTip && n > 1 && end < n - 1) continue
      const level = medianOf(sorted)
      let cost = 0
      for (const amount of sorted) cost += offLevel(amount, level)
      const penalty = from === 0 ? 0 : isTip ? tipPenalty : changePenalty
      // Rounded, so that sums in another order compare the same.
      const total = Math.round((before.total + cost + penalty) * 1e6) / 1e6
      const known = best[end + 1]
      if (known === undefined || total < known.total) best[end + 1] = { total, cost: before.cost + cost, from, level }
    }
  }
  const levels: Array<Levels["levels"][number]> = []
  for (let end = n; end > 0;) {
    const { from, level } = best[end]!
    levels.unshift({ from, amount: level })
    end = from
  }
  return { levels, cost: best[n]!.cost }
}

/** At least one amount, in the order of time. */
export const levelsOf = (amounts: ReadonlyArray<number>): Levels => {
  const variation = variationOf(amounts)
  const first = amounts[0]!
  if (amounts.every((amount) => amount === first)) {
    return { kind: "fixed", levels: [{ from: 0, amount: first }], variation: 0 }
  }
  const { cost, levels } = segmented(amounts)
  if (cost <= mostCost * amounts.length) return { kind: levels.length === 1 ? "fixed" : "stepped", levels, variation }
  return { kind: variation <= mostVariation ? "variable" : "irregular", levels: [], variation }
}
