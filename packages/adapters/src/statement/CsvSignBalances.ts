/** What the balance column says of signs: it gives those that are missing, and shows those that are flipped. */
import { Decimal } from "@millrace/core"
import { groupedAmount } from "./AmountText.ts"
import { follows } from "./CsvChain.ts"
import { columnName } from "./CsvLayout.ts"
import type { CsvTable } from "./CsvScanner.ts"
import { override, overrideBalance, type SignDraft, type SignInput } from "./CsvSignPlan.ts"
import { amountOf, chainFor, kindSides, placesOf, type Reading, sample, valueAt, withSign } from "./CsvSignSample.ts"

/** A movement beside another one. */
interface Neighbour {
  readonly table: CsvTable
  readonly row: number
  readonly at: number
  readonly account: string
  readonly balance: Decimal.Decimal | undefined
}

/** Unsigned amounts get the sign of the step between two balances. `sides`: what words say where no step does. */
export const byBalance = (input: SignInput, plan: SignDraft, sides?: Int8Array): boolean => {
  const { layout, selection } = input
  const { movements } = selection
  const chain = chainFor(input, sample(input), (row) => amountOf(input, movements.table, row))
  if (!follows(chain, chain.size)) return false
  const signs = new Int8Array(movements.count)
  const { account, balance } = layout.single
  const opening = selection.opening === undefined ? undefined : parse(selection.opening, input.decimal)
  // The first row has no balance before it: what it is called may tell.
  let open = 0
  let firstOpen = -1
  const sideOf = kindSides(input)
  const settle = (own: Neighbour, beside: Neighbour | undefined): void => {
    const before = beside !== undefined && beside.account === own.account ? beside.balance : opening
    const after = own.balance
    const amount = amountOf(input, own.table, own.row)
    if (before !== undefined && after !== undefined && amount !== undefined) {
      const step = Decimal.subtract(after, before)
      if (step === amount) {
        signs[own.at] = 1
        return
      }
      if (step === Decimal.negate(amount)) {
        signs[own.at] = -1
        return
      }
    }
    const side = sides === undefined ? sideOf(own.table, own.row) : sides[own.at]!
    if (side === 0 && open++ === 0) firstOpen = own.table.line(own.row)
    signs[own.at] = side === 0 ? 1 : side
  }
  let last: Neighbour | undefined
  movements.each((table, row, at) => {
    const own = {
      table,
      row,
      at,
      account: account < 0 ? "" : table.cell(row, account),
      balance: valueAt(input, table, row, balance)
    }
    if (!chain.falling) settle(own, last)
    else if (last !== undefined) settle(last, own)
    last = own
  })
  if (chain.falling && last !== undefined) settle(last, undefined)
  plan.rows = signs
  plan.assumed["sign"] = columnName(layout, balance)
  if (open > 0) {
    plan.warnings.push(
      `line ${firstOpen}: no balance before it says whether money leaves, read as money that comes in${open > 1 ? `, as in ${open - 1} more rows` : ""}: name a column of words in sourceConfig.csv.columns.sign`
    )
  }
  plan.warnings.push(`the amounts have no sign: the balances say which leave, ${override}`)
  return true
}

const parse = (text: string, decimal: number): Decimal.Decimal | undefined =>
  groupedAmount(text, 0, text.length, decimal, true)

/**
 * Amounts that the balances contradict as a whole are flipped, or the balances are. False when the balances
 * say nothing.
 */
export const relateBalance = (input: SignInput, plan: SignDraft, mayFlip: boolean): boolean => {
  const { layout } = input
  const { table } = input.selection.movements
  if (layout.single.balance < 0) return false
  const rows = sample(input)
  const places = plan.rows === undefined ? undefined : placesOf(input)
  const read: Reading = (row) => withSign(plan.rows?.[places?.get(row) ?? 0] ?? 0, amountOf(input, table, row))
  const chain = chainFor(input, rows, read)
  if (!follows(chain, Math.max(chain.same, chain.opposite)) || chain.same === chain.opposite) return false
  const values = rows.map(read)
  const negatives = values.filter((value) => value !== undefined && Decimal.isNegative(value)).length
  const first = rows[0]!
  if (chain.same > chain.opposite) {
    if (!mayFlip || input.accountType !== "credit_card" || negatives * 2 >= rows.length) return true
    // Charges raise what is owed: both are written from the bank's side.
    const owed = rows.some((row) => {
      const balance = valueAt(input, table, row, layout.single.balance)
      return balance !== undefined && !Decimal.isNegative(balance) && balance !== "0"
    })
    if (!owed) return true
    plan.negate = true
    plan.negateBalance = true
    plan.warnings.push(
      `line ${table.line(first)}: a card whose charges raise the balance: positive amounts are read as money that leaves, ${override}`
    )
    return true
  }
  if (mayFlip && negatives * 2 < rows.length) {
    plan.negate = true
    plan.assumed["negate"] = `true (${columnName(layout, layout.single.balance)})`
    plan.warnings.push(
      `line ${table.line(first)}: the balance falls where the amount is positive: positive amounts are read as money that leaves, ${override}`
    )
    return true
  }
  plan.negateBalance = true
  plan.warnings.push(
    `line ${table.line(first)}: the balance rises where money leaves: it is read as what is owed, ${overrideBalance}`
  )
  return true
}
