/** What kinds of movements and of accounts say of signs, where no column does. */
import { override, type SignDraft, type SignInput } from "./CsvSignPlan.ts"
import { kindSides, kindText, printedSign } from "./CsvSignSample.ts"
import { isCardPayment } from "./CsvWords.ts"

/** No column tells: kinds of movements, the kind of account, else a warning. */
export const byKinds = (input: SignInput, plan: SignDraft, unsigned: boolean): void => {
  const { accountType, selection } = input
  const { count, each } = selection.movements
  if (count === 0) return
  const sideOf = kindSides(input)
  let agree = 0
  let contradict = 0
  // Of the rows with a minus: those that say that money comes in, all of them as payments of what a card owes.
  let negative = 0
  let comingNegative = 0
  let cardPayments = 0
  // Lines.
  let first = -1
  let positive = 0
  let firstPositive = -1
  const step = Math.max(1, Math.floor(count / 2_000))
  let seen = 0
  const textOf = kindText(input)
  each((table, row, at) => {
    if (at % step !== 0) return
    seen++
    const sign = unsigned ? 1 : printedSign(input, table, row)
    if (sign > 0) {
      positive++
      if (firstPositive < 0) firstPositive = table.line(row)
    }
    const side = sideOf(table, row)
    if (sign < 0) {
      negative++
      if (side > 0) comingNegative++
      if (isCardPayment(textOf(table, row))) cardPayments++
    }
    if (side === 0 || sign === 0) return
    if (side === sign) agree++
    else {
      contradict++
      if (first < 0) first = table.line(row)
    }
  })
  const mostlyPositive = positive * 2 > seen
  const turned = "positive amounts are read as money that leaves"
  // One row turns no file. Where some amounts have a minus, one of those has to say that it comes in.
  const isContradicted = contradict > 1 && agree === 0 && (negative === 0 || comingNegative > 0)
  const isCard = negative > 0 && cardPayments === negative && positive > 1 && agree === 0
  if (mostlyPositive && (isContradicted || isCard)) {
    plan.negate = true
    plan.warnings.push(`line ${first}: its text says the other side than its sign: ${turned}, ${override}`)
    return
  }
  if (mostlyPositive && accountType === "credit_card" && agree <= contradict) {
    plan.negate = true
    plan.warnings.push(`line ${firstPositive}: a card with charges as positive numbers: ${turned}, ${override}`)
    return
  }
  if (unsigned) {
    plan.warnings.push(
      `line ${first < 0 ? firstPositive : first}: every amount is positive and read as money that comes in: set sourceConfig.csv.negate if the file writes money that leaves as a positive number`
    )
    return
  }
  if (contradict > 0) {
    const more = contradict > 1 ? ` (as in ${contradict - 1} more rows)` : ""
    plan.warnings.push(
      `line ${first}: its text says the other side than its sign${more}: the sign is followed, set sourceConfig.csv.negate if the file writes it the other way round`
    )
    return
  }
  if (mostlyPositive && positive * 4 >= seen * 3 && agree === 0 && seen >= 4) {
    plan.warnings.push(
      `line ${firstPositive}: a positive amount is read as money that comes in: set sourceConfig.csv.negate if the file writes it the other way round`
    )
  }
}
