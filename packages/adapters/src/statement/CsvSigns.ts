/**
 * Which amounts leave the account, where the numbers alone do not say it or where something contradicts them. The
 * balance column counts most, then words for sides, then known layouts, then words about kinds; what is left to a
 * guess is said with the line it concerns.
 */
import { columnName } from "./CsvLayout.ts"
import { planPair } from "./CsvSides.ts"
import { relateBalance } from "./CsvSignBalances.ts"
import { planSingle } from "./CsvSignedAmounts.ts"
import type { SignDraft, SignInput, SignPlan } from "./CsvSignPlan.ts"

/** How the signs of this file are read. */
export const planSigns = (input: SignInput): SignPlan => {
  const plan: SignDraft = {
    negate: false,
    negateBalance: false,
    rows: undefined,
    printedDebit: false,
    plainCredit: false,
    assumed: {},
    warnings: []
  }
  if (input.selection.movements.count === 0) return plan
  if (input.layout.single.amount < 0) planPair(input, plan)
  else {
    planSingle(input, plan)
    if (plan.rows !== undefined && input.options.negate !== undefined) plan.negate = input.options.negate
    // Words made the signs: the balances may still count what is owed.
    if (plan.rows !== undefined && input.options.negate === undefined && plan.assumed["sign"] !== undefined) {
      if (plan.assumed["sign"] !== columnName(input.layout, input.layout.single.balance))
        relateBalance(input, plan, false)
    }
  }
  if (input.options.negateBalance !== undefined) plan.negateBalance = input.options.negateBalance
  return plan
}
