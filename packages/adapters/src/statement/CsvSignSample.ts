/** The amounts, balances and words of single rows, and how the amounts of a sample lead from balance to balance. */
import { Decimal } from "@millrace/core"
import { groupedAmount, plainAmount } from "./AmountText.ts"
import { cached } from "./AnswerCache.ts"
import { type Chain, chainOf } from "./CsvChain.ts"
import { point } from "./CsvDecimals.ts"
import { locateAmount } from "./CsvSelection.ts"
import type { CsvTable } from "./CsvScanner.ts"
import type { SignInput } from "./CsvSignPlan.ts"
import { kindDirectionOf, maxKind } from "./CsvWords.ts"

/** The cell as an amount; `undefined` when it is blank or none. */
export const valueAt = (
  { decimal }: SignInput,
  table: CsvTable,
  row: number,
  column: number
): Decimal.Decimal | undefined =>
  column >= 0 && locateAmount(table, row, column)
    ? ((decimal === point ? plainAmount(table.text, table.from, table.to) : undefined) ??
      groupedAmount(table.text, table.from, table.to, decimal, true))
    : undefined

/** The signed amount as it is printed, in whichever amount column the row fills. */
export const amountOf = (input: SignInput, table: CsvTable, row: number): Decimal.Decimal | undefined => {
  const { layout } = input
  const own = valueAt(input, table, row, layout.single.amount)
  if (own !== undefined) return own
  for (const column of layout.alternates) {
    const other = valueAt(input, table, row, column)
    if (other !== undefined) return other
  }
  return undefined
}

/** -1 for an amount with a minus, parentheses or `DR`, 0 for zero. */
export const printedSign = (input: SignInput, table: CsvTable, row: number): -1 | 0 | 1 => {
  const value = amountOf(input, table, row)
  return value === undefined || value === "0" ? 0 : Decimal.isNegative(value) ? -1 : 1
}

/** The type and the description of a row in one text. */
export const kindText = ({ layout }: SignInput): ((table: CsvTable, row: number) => string) => {
  const { payee, type } = layout.single
  const texts = [type, payee, ...layout.descriptions.slice(0, 3)].filter((column) => column >= 0)
  return (table, row) =>
    texts
      .map((column) => table.cell(row, column))
      .join(" ")
      .slice(0, maxKind)
}

/** What the type and the description of a row say about its side. */
export const kindSides = (input: SignInput): ((table: CsvTable, row: number) => -1 | 0 | 1) => {
  const text = kindText(input)
  // No word has a digit, and texts that differ in nothing else are many.
  const side = cached(kindDirectionOf)
  return (table, row) => side(text(table, row).replace(/\d+/g, "0"))
}

/** The amount of a side, whatever its own sign; as it stands where the side is not known. */
export const withSign = (side: number, value: Decimal.Decimal | undefined): Decimal.Decimal | undefined =>
  value === undefined || side === 0 ? value : side < 0 ? Decimal.negate(Decimal.abs(value)) : Decimal.abs(value)

/** Rows of the sample, of the table of the first movements: those of one account, in the order of the file. */
export const sample = ({ layout, selection }: SignInput): ReadonlyArray<number> => {
  const { account } = layout.single
  const { first: rows, table } = selection.movements
  if (account < 0 || rows.length === 0) return rows
  const own = table.cell(rows[0]!, account)
  return rows.filter((row) => table.cell(row, account) === own)
}

/** Where the rows of the sample stand in the selection. */
export const placesOf = ({ selection }: SignInput): ReadonlyMap<number, number> =>
  new Map(selection.movements.first.map((row, at) => [row, at] as const))

/** One way to read the amount of a row of the sample. */
export type Reading = (row: number) => Decimal.Decimal | undefined

/** How well a reading of the amounts follows the balances. */
export const chainFor = (input: SignInput, rows: ReadonlyArray<number>, read: Reading): Chain =>
  chainOf(
    rows.map(read),
    rows.map((row) => valueAt(input, input.selection.movements.table, row, input.layout.single.balance))
  )
