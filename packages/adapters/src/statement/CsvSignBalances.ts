/** What the balance column says of signs: it gives those that are missing, and shows those that are turned round. */
import { Decimal } from "@millrace/core"
import { groupedAmount } from "./AmountText.ts"
import { follows } from "./CsvChain.ts"
import { columnName } from "./CsvLayout.ts"
import { override, overrideBalance, type SignDraft, type SignInput } from "./CsvSignPlan.ts"
import { amountOf, chainFor, kindSides, placesOf, type Reading, sample, valueAt, withSign } from "./CsvSignSample.ts"

/** Unsigned amounts get the sign of the step between two balances. */
export const byBalance = (input: SignInput, plan: SignDraft): boolean => {
  const { selection, table } = input
  const chain = chainFor(input, sample(input), (row) => amountOf(input, row))
  if (!follows(chain, chain.size)) return false
  const { rows } = selection
  const signs = new Int8Array(rows.length)
  const accountOf = (row: number) =>
    input.layout.single.account < 0 ? "" : table.cell(row, input.layout.single.account)
  const unknown: Array<number> = []
  const balances = rows.map((row) => valueAt(input, row, input.layout.single.balance))
  const opening = selection.opening === undefined ? undefined : parse(selection.opening, input.decimal)
  for (let at = 0; at < rows.length; at++) {
    const beside = chain.falling ? at + 1 : at - 1
    const joined = beside >= 0 && beside < rows.length && accountOf(rows[beside]!) === accountOf(rows[at]!)
    const before = joined ? balances[beside] : opening
    const after = balances[at]
    const amount = amountOf(input, rows[at]!)
    if (before === undefined || after === undefined || amount === undefined) {
      unknown.push(at)
      continue
    }
    const step = Decimal.subtract(after, before)
    if (step === amount) signs[at] = 1
    else if (step === Decimal.negate(amount)) signs[at] = -1
    else unknown.push(at)
  }
  // The first row has no balance before it: what it is called may tell.
  const open: Array<number> = []
  const sideOf = kindSides(input)
  for (const at of unknown) {
    const side = sideOf(rows[at]!)
    if (side === 0) open.push(at)
    signs[at] = side === 0 ? 1 : side
  }
  plan.rows = signs
  plan.assumed["sign"] = columnName(input.layout, input.layout.single.balance)
  if (open.length > 0) {
    plan.warnings.push(
      `line ${table.line(rows[open[0]!]!)}: no balance before it says whether money leaves, read as money that comes in${open.length > 1 ? `, as in ${open.length - 1} more rows` : ""}: name a column of words in sourceConfig.csv.columns.sign`
    )
  }
  plan.warnings.push(`the amounts have no sign: the balances say which leave, ${override}`)
  return true
}

const parse = (text: string, decimal: number): Decimal.Decimal | undefined =>
  groupedAmount(text, 0, text.length, decimal, true)

/**
 * Amounts that the balances contradict as a whole are turned round, or the balances are. False when the balances
 * say nothing.
 */
export const relateBalance = (input: SignInput, plan: SignDraft, mayFlip: boolean): boolean => {
  const { layout, table } = input
  if (layout.single.balance < 0) return false
  const rows = sample(input)
  const places = plan.rows === undefined ? undefined : placesOf(input)
  const read: Reading = (row) => withSign(plan.rows?.[places?.get(row) ?? 0] ?? 0, amountOf(input, row))
  const chain = chainFor(input, rows, read)
  if (!follows(chain, Math.max(chain.same, chain.opposite)) || chain.same === chain.opposite) return false
  const values = rows.map(read)
  const negatives = values.filter((value) => value !== undefined && Decimal.isNegative(value)).length
  const first = rows[0]!
  if (chain.same > chain.opposite) {
    if (!mayFlip || input.accountType !== "credit_card" || negatives * 2 >= rows.length) return true
    // Charges raise what is owed: both are written from the bank's side.
    const owed = rows.some((row) => {
      const balance = valueAt(input, row, layout.single.balance)
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
