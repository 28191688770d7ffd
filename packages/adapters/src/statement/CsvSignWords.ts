/** Words for the sides of movements, and what happens to them where they contradict the signs. */
import { Decimal } from "@millrace/core"
import { cached } from "./AnswerCache.ts"
import { follows } from "./CsvChain.ts"
import { sideReader } from "./CsvFlags.ts"
import { columnName } from "./CsvLayout.ts"
import type { CsvTable } from "./CsvScanner.ts"
import { locateAmount } from "./CsvSelection.ts"
import { overrideWords, type SignDraft, type SignInput } from "./CsvSignPlan.ts"
import { amountOf, chainFor, placesOf, printedSign, type Reading, sample, withSign } from "./CsvSignSample.ts"
import { directionOf, signOf } from "./CsvWords.ts"

const reader = (column: number, find: (text: string) => number) => {
  const side = cached(find)
  return { column, of: (table: CsvTable, row: number) => side(table.cell(row, column)) }
}

/** A word for a side in this row: of the column of sides, of the type, or that a debit column holds something. */
export const wordReader = (
  input: SignInput
): { readonly column: number; readonly of: (table: CsvTable, row: number) => number } => {
  const { layout } = input
  const { marker } = layout
  const { sign, type } = layout.single
  // `columns.sign: ""`: no words count.
  if (input.options.columns?.["sign"] !== undefined && sign < 0) return { column: -1, of: () => 0 }
  if (sign >= 0) return reader(sign, sideReader(layout.contents[sign], signOf, true))
  if (type >= 0) return reader(type, sideReader(layout.contents[type], directionOf, false))
  return { column: marker, of: (table, row) => (marker >= 0 && locateAmount(table, row, marker) ? -1 : 0) }
}

/** How often words and signs agree. */
export interface Tally {
  /** Rows in which word and sign agree, and in which they do not. */
  agree: number
  contradict: number
  /** Rows with a word. */
  worded: number
  negative: number
  /** Of the rows whose text says that money leaves: written with a minus, and without. */
  outNegative: number
  outPositive: number
  /** Lines of the first ones, -1 where there is none. */
  firstContradiction: number
  firstWordless: number
}

/** Words and signs disagree in some row. */
export const settleContradiction = (
  input: SignInput,
  plan: SignDraft,
  tally: Tally,
  sides: Int8Array,
  column: number
): void => {
  const { layout } = input
  const { movements } = input.selection
  const { table } = movements
  const name = columnName(layout, column)
  const at = `line ${tally.firstContradiction}`
  const more = tally.contradict > 1 ? ` (and in ${tally.contradict - 1} more rows)` : ""
  const byWord = sides
  const rows = sample(input)
  const places = placesOf(input)
  const sideOfRow = (row: number): number => sides[places.get(row)!]!
  const readings: ReadonlyArray<readonly [name: "printed" | "words" | "reversed", read: Reading]> = [
    ["printed", (row) => amountOf(input, table, row)],
    ["words", (row) => withSign(sideOfRow(row), amountOf(input, table, row))],
    [
      "reversed",
      (row) => {
        const stated = amountOf(input, table, row)
        return stated !== undefined && sideOfRow(row) < 0 ? Decimal.negate(stated) : stated
      }
    ]
  ]
  if (layout.single.balance >= 0) {
    const tied = readings.map(([kind, read]) => [kind, chainFor(input, rows, read)] as const)
    const best = tied.toSorted((a, b) => b[1].same - a[1].same)[0]!
    const rivals = tied.filter(([, chain]) => chain.same === best[1].same)
    if (follows(best[1], best[1].same) && (rivals.length === 1 || best[0] === "printed")) {
      plan.warnings.push(
        `${at}: ${name} and the sign of the amount contradict each other${more}: the balances agree with the ${best[0] === "printed" ? "sign" : "words"}`
      )
      return best[0] === "printed" ? undefined : apply(best[0])
    }
  }
  // A word in a few rows says nothing about the others.
  const covered = tally.worded * 2 >= movements.count
  if (covered && tally.agree === 0 && tally.contradict > 1) {
    plan.negate = true
    plan.assumed["negate"] = `true (${name})`
    plan.warnings.push(
      `${at}: ${name} and the sign of every amount contradict each other: the words are followed, ${overrideWords}`
    )
    return
  }
  const wordsRule = covered && tally.outPositive > tally.outNegative
  if (wordsRule) apply("words")
  plan.warnings.push(
    `${at}: ${name} and the sign of the amount contradict each other${more}: the ${wordsRule ? "words are" : "sign is"} followed, ${overrideWords}`
  )

  function apply(kind: "printed" | "words" | "reversed"): void {
    plan.assumed["sign"] = name
    if (kind === "words") {
      plan.rows = byWord
      return
    }
    // A minus beside "debit" gives money back.
    const signs = new Int8Array(movements.count)
    movements.each((own, row, index) => {
      const sign = printedSign(input, own, row)
      signs[index] = byWord[index]! < 0 ? -sign : sign
    })
    plan.rows = signs
  }
}
