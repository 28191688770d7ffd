/** Whether amounts lead from one balance to the next: what no name of a column can tell. */
import { Decimal } from "@millrace/core"

/** How many steps between balances the amounts explain as they are, and how many flipped. */
export interface Chain {
  readonly steps: number
  readonly same: number
  readonly opposite: number
  /** Steps whose size alone is right. */
  readonly size: number
  /** The rows stand newest first. */
  readonly falling: boolean
}

/** Most of the steps: rows of one day may stand in any order. */
export const follows = (chain: Chain, part: number): boolean => chain.steps > 0 && part * 5 >= chain.steps * 3

const count = (
  amounts: ReadonlyArray<Decimal.Decimal | undefined>,
  balances: ReadonlyArray<Decimal.Decimal | undefined>,
  falling: boolean
): Chain => {
  let steps = 0
  let same = 0
  let opposite = 0
  let size = 0
  for (let at = 1; at < balances.length; at++) {
    const [before, after] = falling ? [balances[at], balances[at - 1]] : [balances[at - 1], balances[at]]
    const amount = amounts[falling ? at - 1 : at]
    if (before === undefined || after === undefined || amount === undefined || amount === "0") continue
    steps++
    const step = Decimal.subtract(after, before)
    if (step === amount) same++
    else if (step === Decimal.negate(amount)) opposite++
    if (Decimal.abs(step) === Decimal.abs(amount)) size++
  }
  return { steps, same, opposite, size, falling }
}

/** Follows the rows in the order of the file and against it, and gives the better. */
export const chainOf = (
  amounts: ReadonlyArray<Decimal.Decimal | undefined>,
  balances: ReadonlyArray<Decimal.Decimal | undefined>
): Chain => {
  const rising = count(amounts, balances, false)
  const falling = count(amounts, balances, true)
  const best = (chain: Chain) => Math.max(chain.same, chain.opposite) * 1_000 + chain.size
  return best(falling) > best(rising) ? falling : rising
}
