/** An amount column beside columns for debit and credit: whether they say the same, and which of them is to be read. */
import { Decimal } from "@millrace/core"
import { columnValues, decimalOf } from "./CsvAmountColumns.ts"
import { chainOf, follows } from "./CsvChain.ts"
import type { ColumnClaims } from "./CsvColumnClaims.ts"
import { sampleOf } from "./CsvContent.ts"

export interface AmountSides {
  readonly amount: number
  readonly debit: number
  readonly credit: number
  /** -1 where there is none. */
  readonly balance: number
}

/**
 * `sides`: the amount has no sign and the sides have its size, or the balances follow from the sides alone. `amount`: it is
 * signed. `contradicted`: it is, and the sides differ from it. `disagree`: it has no sign, and the sides are other amounts.
 */
export const readSides = (
  claims: ColumnClaims,
  { amount, balance, credit, debit }: AmountSides
): "sides" | "amount" | "contradicted" | "disagree" => {
  const rows = sampleOf(claims.table, claims.header, (row) => claims.table.locate(row, claims.columns.date))
  const decimal = decimalOf(claims, rows, [amount, debit, credit])
  const valuesOf = (column: number) => columnValues(claims, column, rows, decimal)
  const [amounts, outs, ins] = [valuesOf(amount), valuesOf(debit), valuesOf(credit)]
  const sides = rows.map((_, at) => {
    const [out, into] = [outs[at], ins[at]]
    if (out === undefined && into === undefined) return undefined
    return Decimal.subtract(into ?? Decimal.zero, Decimal.abs(out ?? Decimal.zero))
  })
  const isSigned = amounts.some((value) => value !== undefined && Decimal.isNegative(value))
  const known = amounts.flatMap((value, at) => {
    const side = sides[at]
    return value === undefined || side === undefined ? [] : [[value, side] as const]
  })
  const isSame = known.every(([value, side]) => value === side)
  const isSameSize = known.every(([value, side]) => Decimal.abs(value) === Decimal.abs(side))
  if (balance >= 0) {
    const balances = valuesOf(balance)
    const [byAmount, bySides] = [chainOf(amounts, balances), chainOf(sides, balances)]
    if (follows(bySides, bySides.same) && !follows(byAmount, byAmount.same)) return "sides"
    if (follows(byAmount, byAmount.same)) return isSame ? "amount" : "contradicted"
  }
  if (isSigned) return isSame ? "amount" : "contradicted"
  return isSameSize || known.length === 0 ? "sides" : "disagree"
}
