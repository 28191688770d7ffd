/** The signs of two columns of amounts, one for money that leaves and one for money that comes in. */
import { Decimal } from "@millrace/core"
import { follows } from "./CsvChain.ts"
import { columnName } from "./CsvLayout.ts"
import { overrideBalance, type SignDraft, type SignInput } from "./CsvSignPlan.ts"
import { chainFor, sample, valueAt } from "./CsvSignSample.ts"

const overrideSides = "set sourceConfig.csv.sideSigns to override"

/** Debit and Credit columns: a minus printed in them is a habit, or money that goes back. */
export const planPair = (input: SignInput, plan: SignDraft): void => {
  const { layout, options, selection } = input
  const { each, table } = selection.movements
  const { credit, debit } = layout.single
  plan.negate = options.negate ?? false
  // Lines of the first ones.
  const count = { debitNegative: -1, debitPositive: -1, creditNegative: -1, creditPositive: -1 }
  if (selection.decimals.signed) {
    each((own, row) => {
      const [out, into] = [valueAt(input, own, row, debit), valueAt(input, own, row, credit)]
      if (out !== undefined && out !== "0") {
        const key = Decimal.isNegative(out) ? "debitNegative" : "debitPositive"
        if (count[key] < 0) count[key] = own.line(row)
      }
      if (into !== undefined && into !== "0") {
        const key = Decimal.isNegative(into) ? "creditNegative" : "creditPositive"
        if (count[key] < 0) count[key] = own.line(row)
      }
    })
  }
  const debitMixed = count.debitNegative >= 0 && count.debitPositive >= 0
  const hasNegativeCredit = count.creditNegative >= 0
  const creditMixed = hasNegativeCredit && count.creditPositive >= 0
  const value = (row: number, printedDebit: boolean, plainCredit: boolean): Decimal.Decimal | undefined => {
    const [out, into] = [valueAt(input, table, row, debit), valueAt(input, table, row, credit)]
    if (out === undefined && into === undefined) return undefined
    const left = out === undefined ? Decimal.zero : Decimal.negate(printedDebit ? out : Decimal.abs(out))
    const came = into === undefined ? Decimal.zero : plainCredit ? Decimal.abs(into) : into
    return Decimal.add(left, came)
  }
  plan.plainCredit = hasNegativeCredit && !creditMixed
  if (options.sideSigns !== undefined) {
    plan.printedDebit = options.sideSigns === "keep"
    plan.plainCredit = options.sideSigns === "ignore"
    return
  }
  const ways: Array<readonly [printedDebit: boolean, plainCredit: boolean]> = [[false, plan.plainCredit]]
  if (debitMixed) ways.push([true, plan.plainCredit])
  if (hasNegativeCredit) ways.push([false, !plan.plainCredit])
  if (debitMixed && hasNegativeCredit) ways.push([true, !plan.plainCredit])
  const rows = sample(input)
  const chains = layout.single.balance < 0 ? [] : ways.map(([a, b]) => chainFor(input, rows, (row) => value(row, a, b)))
  const scores = chains.map((chain) => Math.max(chain.same, chain.opposite))
  const best = scores.indexOf(Math.max(...scores))
  const tied = best >= 0 && follows(chains[best]!, scores[best]!)
  if (tied) {
    plan.printedDebit = ways[best]![0]
    plan.plainCredit = ways[best]![1]
    const chain = chains[best]!
    if (chain.opposite > chain.same) {
      plan.negateBalance = true
      plan.warnings.push(
        `line ${table.line(rows[0]!)}: the balance rises where money leaves: it is read as what is owed, ${overrideBalance}`
      )
    }
  }
  const decided = tied && scores.filter((score) => score === scores[best]).length === 1
  const say = (line: number, column: number, what: string) =>
    plan.warnings.push(`line ${line}: ${columnName(layout, column)} holds a negative amount: ${what}`)
  const byBalances = decided ? ", as the balances say" : `: ${overrideSides}`
  if (debitMixed) {
    say(count.debitNegative, debit, `read as money that ${plan.printedDebit ? "comes back" : "leaves"}${byBalances}`)
  }
  if (hasNegativeCredit) {
    say(count.creditNegative, credit, `read as money that ${plan.plainCredit ? "comes in" : "leaves"}${byBalances}`)
  }
}
