/** The signs of a single column of amounts. */
import { columnName } from "./CsvLayout.ts"
import type { CsvProfile } from "./CsvProfiles.ts"
import { byBalance, relateBalance } from "./CsvSignBalances.ts"
import { byKinds } from "./CsvSignKinds.ts"
import { overrideWords, type SignDraft, type SignInput } from "./CsvSignPlan.ts"
import { printedSign } from "./CsvSignSample.ts"
import { settleContradiction, type Tally, wordReader } from "./CsvSignWords.ts"

const byProfile = (plan: SignDraft, profile: CsvProfile): void => {
  plan.negate = profile.negate
  plan.assumed["negate"] = `${profile.negate} (${profile.name})`
}

/** The rule by rule decision for a single amount column. */
export const planSingle = (input: SignInput, plan: SignDraft): void => {
  const { layout, options, profile, selection, table } = input
  const { rows } = selection
  const words = wordReader(input)
  const sides = new Int8Array(rows.length)
  const tally: Tally = {
    agree: 0,
    contradict: 0,
    worded: 0,
    negative: 0,
    outNegative: 0,
    outPositive: 0,
    firstContradiction: -1,
    firstWordless: -1
  }
  const hasBalance = layout.single.balance >= 0
  // Without words it is enough to know that some amount has a minus.
  for (let at = 0; words.column >= 0 && at < rows.length; at++) {
    const row = rows[at]!
    const side = words.of(row)
    sides[at] = side
    const sign = selection.decimals.signed ? printedSign(input, row) : 1
    if (sign < 0) tally.negative++
    if (side === 0) {
      if (tally.firstWordless < 0) tally.firstWordless = row
      continue
    }
    tally.worded++
    if (sign === 0) continue
    if (side < 0 && sign < 0) tally.outNegative++
    else if (side < 0) tally.outPositive++
    if (sign === side) tally.agree++
    else {
      tally.contradict++
      if (tally.firstContradiction < 0) tally.firstContradiction = row
    }
  }
  const unsigned = words.column < 0 ? !selection.decimals.signed : tally.negative === 0
  const line = (row: number) => `line ${table.line(row)}`
  const takeWords = () => {
    plan.rows = sides
    plan.assumed["sign"] = columnName(layout, words.column)
  }
  const overridden = options.columns?.["sign"] !== undefined

  if (unsigned && rows.length > 0) {
    if (tally.worded === rows.length) return takeWords()
    if (options.negate !== undefined) {
      plan.negate = options.negate
      return
    }
    // A marker, or a column of sides with one word only: what has none is the other side.
    const oneSided =
      tally.worded > 0 &&
      (layout.single.sign >= 0 || layout.marker >= 0) &&
      (sides.every((side) => side <= 0) || sides.every((side) => side >= 0))
    if (hasBalance && input.accountType === "credit_card") {
      relateBalance(input, plan, true)
      if (plan.negate || plan.negateBalance) return
    }
    if (hasBalance && byBalance(input, plan)) return
    if (oneSided) {
      const other = sides.some((side) => side < 0) ? 1 : -1
      for (let at = 0; at < sides.length; at++) if (sides[at] === 0) sides[at] = other
      takeWords()
      plan.warnings.push(
        `${line(tally.firstWordless)}: ${columnName(layout, words.column)} is blank, read as money that ${other > 0 ? "comes in" : "leaves"}: ${overrideWords}`
      )
      return
    }
    if (profile !== undefined) return byProfile(plan, profile)
    if (tally.worded > 0) {
      takeWords()
      plan.warnings.push(
        `${line(tally.firstWordless)}: neither a sign nor a word in ${columnName(layout, words.column)} says whether money leaves, read as money that comes in: name such a column in sourceConfig.csv.columns.sign`
      )
      return
    }
    return byKinds(input, plan, true)
  }

  if (options.negate !== undefined) {
    plan.negate = options.negate
    if (overridden) takeWords()
    return
  }
  if (overridden && tally.worded > 0) return takeWords()
  if (tally.contradict > 0) return settleContradiction(input, plan, tally, sides, words.column)
  if (tally.worded > 0) {
    relateBalance(input, plan, false)
    return
  }
  if (profile !== undefined) {
    byProfile(plan, profile)
    return
  }
  if (hasBalance && relateBalance(input, plan, true)) return
  byKinds(input, plan, false)
}
