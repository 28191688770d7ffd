/** The signs of a single column of amounts. */
import { follows } from "./CsvChain.ts"
import { columnName } from "./CsvLayout.ts"
import type { CsvProfile } from "./CsvProfiles.ts"
import { byBalance, relateBalance } from "./CsvSignBalances.ts"
import { byKinds } from "./CsvSignKinds.ts"
import { overrideWords, type SignDraft, type SignInput } from "./CsvSignPlan.ts"
import { amountOf, chainFor, placesOf, printedSign, sample, withSign } from "./CsvSignSample.ts"
import { settleContradiction, type Tally, wordReader } from "./CsvSignWords.ts"

const byProfile = (plan: SignDraft, profile: CsvProfile): void => {
  plan.negate = profile.negate
  plan.assumed["negate"] = `${profile.negate} (${profile.name})`
}

/** Do the balances follow from the sizes of the amounts, and in some row not from the side that a word gives it? */
const areContradicted = (input: SignInput, sides: Int8Array): boolean => {
  const { table } = input.selection.movements
  const places = placesOf(input)
  const chain = chainFor(input, sample(input), (row) => withSign(sides[places.get(row)!]!, amountOf(input, table, row)))
  return chain.steps > 1 && follows(chain, chain.size) && chain.size > Math.max(chain.same, chain.opposite)
}

/** The rule by rule decision for a single amount column. */
export const planSingle = (input: SignInput, plan: SignDraft): void => {
  const { layout, options, profile, selection } = input
  const { count, each } = selection.movements
  const words = wordReader(input)
  const overridden = options.columns?.["sign"] !== undefined
  // A byte for each movement, where words may count.
  const sides = new Int8Array(words.column < 0 && !overridden ? 0 : count)
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
  if (words.column >= 0) {
    each((table, row, at) => {
      const side = words.of(table, row)
      sides[at] = side
      const sign = selection.decimals.signed ? printedSign(input, table, row) : 1
      if (sign < 0) tally.negative++
      if (side === 0) {
        if (tally.firstWordless < 0) tally.firstWordless = table.line(row)
        return
      }
      tally.worded++
      if (sign === 0) return
      if (side < 0 && sign < 0) tally.outNegative++
      else if (side < 0) tally.outPositive++
      if (sign === side) tally.agree++
      else {
        tally.contradict++
        if (tally.firstContradiction < 0) tally.firstContradiction = table.line(row)
      }
    })
  }
  const unsigned = words.column < 0 ? !selection.decimals.signed : tally.negative === 0
  const takeWords = () => {
    plan.rows = sides
    plan.assumed["sign"] = columnName(layout, words.column)
  }

  if (unsigned && count > 0) {
    if (tally.worded === count) {
      // The balances count before words.
      if (!hasBalance || !areContradicted(input, sides)) return takeWords()
      if (byBalance(input, plan, sides)) {
        plan.warnings.push(`${columnName(layout, words.column)} contradicts the balances, which are followed`)
        return
      }
      return takeWords()
    }
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
        `line ${tally.firstWordless}: ${columnName(layout, words.column)} is blank, read as money that ${other > 0 ? "comes in" : "leaves"}: ${overrideWords}`
      )
      return
    }
    if (profile !== undefined) return byProfile(plan, profile)
    if (tally.worded > 0) {
      takeWords()
      plan.warnings.push(
        `line ${tally.firstWordless}: neither a sign nor a word in ${columnName(layout, words.column)} says whether money leaves, read as money that comes in: name such a column in sourceConfig.csv.columns.sign`
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
