/** What the balances that two files state say about rows at the days where they meet: one row in both, or two. */
import * as Decimal from "../../shared/Decimal.ts"
import type { Reading } from "./Reading.ts"

/** A row of the one file that was taken for a row of the other. */
export interface SharedRow {
  readonly amount: Decimal.Decimal
  /** Whether it could also be another row, as far as ids and whole days tell. */
  readonly isOpen: boolean
}

export interface BalanceProof<Row> {
  /** Rows that are not in both files. */
  readonly parted: ReadonlyArray<Row>
}

/** Choices of open rows that are tried. */
const mostChoices = 4_096

const lastsLonger = ({ days: a }: Reading, { days: b }: Reading): boolean | undefined =>
  a === undefined || b === undefined || (a[0] === b[0] && a[1] === b[1])
    ? undefined
    : a[1] === b[1]
      ? a[0] > b[0]
      : a[1] > b[1]

/** The only choice of open rows that equals the sum. */
const onlyChoice = <Row extends SharedRow>(
  open: ReadonlyArray<Row>,
  sum: Decimal.Decimal
): ReadonlyArray<Row> | undefined => {
  const amounts = [...Map.groupBy(open, ({ amount }) => amount)]
  const found: Array<ReadonlyArray<Row>> = []
  let tried = 0
  const choose = (at: number, chosen: ReadonlyArray<Row>, left: Decimal.Decimal): void => {
    if (found.length > 1 || tried++ > mostChoices) return
    if (at === amounts.length) {
      if (chosen.length > 0 && left === Decimal.zero) found.push(chosen)
      return
    }
    const [amount, rows] = amounts[at]!
    let rest = left
    for (let count = 0; count <= rows.length; count++) {
      choose(at + 1, [...chosen, ...rows.slice(0, count)], rest)
      rest = Decimal.subtract(rest, amount)
    }
  }
  choose(0, [], sum)
  return found.length === 1 && tried <= mostChoices ? found[0] : undefined
}

/**
 * What the later of two files adds is the difference of their closing balances. `undefined` where they do not state them,
 * or where more than one answer fits. `shared` are the rows that were paired; of equal open rows the first ones are parted.
 */
export const proveByBalances = <Row extends SharedRow>(
  reading: Reading,
  earlier: Reading,
  shared: ReadonlyArray<Row>
): BalanceProof<Row> | undefined => {
  const isLater = lastsLonger(reading, earlier)
  if (isLater === undefined) return undefined
  const [before, after] = isLater ? [earlier, reading] : [reading, earlier]
  if (before.closingBalance === undefined || after.closingBalance === undefined || after.sum === undefined)
    return undefined
  // Rows before the earlier one's would count as added.
  if (after.days![0] < before.days![0]) return undefined
  const added = Decimal.subtract(after.sum, Decimal.sum(shared.map(({ amount }) => amount)))
  const missing = Decimal.subtract(Decimal.subtract(after.closingBalance, before.closingBalance), added)
  if (missing === Decimal.zero) return { parted: [] }
  const parted = onlyChoice(
    shared.filter(({ isOpen }) => isOpen),
    missing
  )
  return parted === undefined ? undefined : { parted }
}
