/** Observed amount against the one we hold, by magnitude: exact comparisons and rounded shares. */
import * as Decimal from "../../shared/Decimal.ts"

/** Products of these stay within the safe integers, also times 5,000. */
const small = 1e12

/** The two magnitudes in the same integer unit. */
export interface AmountRatio {
  readonly observed: bigint | number
  readonly held: bigint | number
}

export const amountRatio = (observed: Decimal.Decimal, held: Decimal.Decimal): AmountRatio => {
  const [a, b] = [Math.abs(Decimal.safeUnits(observed)), Math.abs(Decimal.safeUnits(held))]
  if (a <= small && b <= small) return { observed: a, held: b }
  const digits = Math.max(Decimal.scale(observed), Decimal.scale(held))
  return {
    observed: Decimal.toUnits(Decimal.abs(observed), digits),
    held: Decimal.toUnits(Decimal.abs(held), digits)
  }
}

const isSmall = (ratio: AmountRatio): ratio is { readonly observed: number; readonly held: number } =>
  typeof ratio.observed === "number"

/** The sign of observed / held - percent / 100. */
export const comparePercent = (ratio: AmountRatio, percent: number): number => {
  if (isSmall(ratio)) return Math.sign(ratio.observed * 100 - ratio.held * percent)
  const difference = BigInt(ratio.observed) * 100n - BigInt(ratio.held) * BigInt(percent)
  return difference > 0n ? 1 : difference < 0n ? -1 : 0
}

/** points * |observed - held| / held, halves rounded up. `held` is not zero. */
export const pointsOfChange = (ratio: AmountRatio, points: number): number => {
  if (isSmall(ratio)) {
    const change = Math.abs(ratio.observed - ratio.held)
    // Exact: a quotient of safe integers is not rounded up to the next integer.
    return Math.floor((2 * points * change + ratio.held) / (2 * ratio.held))
  }
  const [observed, held] = [BigInt(ratio.observed), BigInt(ratio.held)]
  const change = observed > held ? observed - held : held - observed
  return Number((2n * BigInt(points) * change + held) / (2n * held))
}
