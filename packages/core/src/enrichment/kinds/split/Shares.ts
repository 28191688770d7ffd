/**
 * How an amount falls into lines (enrichments C7): in integer minor units, without a sign, so that the lines are exactly
 * the amount.
 */

/** One line of a rule, as the arithmetic needs it. */
export type Share =
  | { readonly method: "fixed"; readonly units: bigint }
  /** Ten-thousandths of a percent. */
  | { readonly method: "percent"; readonly parts: bigint }
  | { readonly method: "remainder"; readonly weight: bigint }

export interface Sharing {
  readonly shares: ReadonlyArray<Share>
  /** What happens where fixed lines are more than there is. */
  readonly onOverflow: "clip" | "skip"
  /** Whether what no line takes becomes a line of its own. */
  readonly implicitRemainder: boolean
}

/** What a line was due before it was rounded: the exact number is `dividend / divisor`. */
export interface Quota {
  readonly dividend: bigint
  readonly divisor: bigint
}

export interface GivenUnits extends Quota {
  readonly units: bigint
}

export type Shared =
  | {
      readonly kind: "lines"
      /** One for each share, in their order. */
      readonly lines: ReadonlyArray<GivenUnits>
      /** What no line takes, for the implicit line. */
      readonly rest: bigint
    }
  /** The fixed line at `at` needs more than is left. */
  | { readonly kind: "overflow"; readonly at: number }
  /** No line takes the rest. */
  | { readonly kind: "mismatch"; readonly rest: bigint }

/** All parts of a whole that percentages can name: 100 percent in ten-thousandths. */
export const wholeParts = 1_000_000n

/**
 * Whole units for quotas that have one divisor: each is rounded down, and what is left of `total` goes to the largest
 * fractions, of equal ones to the first. The sum is `total`, which is at most one unit per quota away from theirs.
 */
const apportion = (total: bigint, dividends: ReadonlyArray<bigint>, divisor: bigint): ReadonlyArray<GivenUnits> => {
  const units = dividends.map((dividend) => dividend / divisor)
  let left = total
  for (const one of units) left -= one
  const byFraction = dividends
    .map((dividend, at) => ({ at, fraction: dividend % divisor }))
    .toSorted((a, b) => (a.fraction > b.fraction ? -1 : a.fraction < b.fraction ? 1 : a.at - b.at))
  for (const { at } of byFraction) {
    if (left === 0n) break
    units[at]! += 1n
    left -= 1n
  }
  return units.map((one, at) => ({ units: one, dividend: dividends[at]!, divisor }))
}

const sumOf = (all: ReadonlyArray<bigint>): bigint => all.reduce((sum, one) => sum + one, 0n)

/** `amount`: units above zero. */
export const share = (amount: bigint, { implicitRemainder, onOverflow, shares }: Sharing): Shared => {
  const lines = new Map<number, GivenUnits>()
  const percents: Array<readonly [at: number, parts: bigint]> = []
  const remainders: Array<readonly [at: number, weight: bigint]> = []
  let left = amount
  for (const [at, one] of shares.entries()) {
    if (one.method === "percent") percents.push([at, one.parts])
    else if (one.method === "remainder") remainders.push([at, one.weight])
    else {
      if (one.units > left && onOverflow === "skip") return { kind: "overflow", at }
      const units = one.units > left ? left : one.units
      lines.set(at, { units, dividend: one.units, divisor: 1n })
      left -= units
    }
  }
  const give = (to: ReadonlyArray<readonly [at: number, weight: bigint]>, given: ReadonlyArray<GivenUnits>): void => {
    for (const [n, [at]] of to.entries()) lines.set(at, given[n]!)
    left -= sumOf(given.map(({ units }) => units))
  }
  const parts = sumOf(percents.map(([, one]) => one))
  if (parts > 0n) {
    // Half away from zero.
    const wanted = (amount * parts * 2n + wholeParts) / (wholeParts * 2n)
    // Where there is enough the exact quotas decide, so that each line is less than a unit away from its own.
    give(
      percents,
      wanted <= left
        ? apportion(
            wanted,
            percents.map(([, one]) => amount * one),
            wholeParts
          )
        : apportion(
            left,
            percents.map(([, one]) => left * one),
            parts
          )
    )
  } else for (const [at] of percents) lines.set(at, { units: 0n, dividend: 0n, divisor: 1n })
  if (remainders.length > 0) {
    const weights = sumOf(remainders.map(([, weight]) => weight))
    give(
      remainders,
      apportion(
        left,
        remainders.map(([, weight]) => left * weight),
        weights
      )
    )
  }
  if (left > 0n && !implicitRemainder) return { kind: "mismatch", rest: left }
  return { kind: "lines", lines: shares.map((_, at) => lines.get(at)!), rest: left }
}
