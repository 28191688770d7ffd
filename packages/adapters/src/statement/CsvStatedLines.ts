/**
 * Lines among the movements that state a balance or a turnover, told by what they come to: the first amount and all between
 * give the last one. No word of any language is needed.
 */
import { Decimal } from "@millrace/core"
import type { CsvLayout } from "./CsvLayout.ts"
import type { CsvTable } from "./CsvScanner.ts"
import type { StatedLines } from "./CsvSelection.ts"
import type { SignInput, SignPlan } from "./CsvSignPlan.ts"
import { amountOf, valueAt, withSign } from "./CsvSignSample.ts"
import { maxAccounts } from "./StatementLimits.ts"

/** Turnovers that may stand before the closing balance. */
const maxTurnovers = 3

interface Line {
  readonly line: number
  readonly amount: Decimal.Decimal
  /** Which text columns are filled, a bit each. */
  readonly filled: number
}

/** What the lines of one account come to. */
class AccountLines {
  private first: Line | undefined
  private readonly last: Array<Line> = []
  // Of the lines between that left `last`.
  private count = 0
  private incoming: Decimal.Decimal = Decimal.zero
  private outgoing: Decimal.Decimal = Decimal.zero
  private filled = -1

  add(line: Line): void {
    if (this.first === undefined) {
      this.first = line
      return
    }
    this.last.push(line)
    if (this.last.length > maxTurnovers + 1) this.settle(this.last.shift()!)
  }

  private settle({ amount, filled }: Line): void {
    this.count++
    this.filled &= filled
    if (Decimal.isNegative(amount)) this.outgoing = Decimal.add(this.outgoing, amount)
    else this.incoming = Decimal.add(this.incoming, amount)
  }

  /** The lines that are no movements: an opening balance, turnovers, and a closing balance that follows from all between. */
  stated(): ReadonlyArray<readonly [line: number, kind: "opening" | "closing" | "turnover"]> {
    const { first, last } = this
    const closing = last.pop()
    if (first === undefined || closing === undefined) return []
    while (last.length > 0) {
      // The most turnovers come first; each that is none is a movement.
      const found = this.withTurnovers(first, closing, last)
      if (found !== undefined) return found
      this.settle(last.shift()!)
    }
    return this.withTurnovers(first, closing, last) ?? []
  }

  private withTurnovers(first: Line, closing: Line, turnovers: ReadonlyArray<Line>) {
    if (this.count === 0) return undefined
    const sum = Decimal.add(this.incoming, this.outgoing)
    if (Decimal.add(first.amount, sum) !== closing.amount) return undefined
    const sizes = new Set([this.incoming, Decimal.abs(this.outgoing)])
    if (!turnovers.every(({ amount }) => sizes.has(Decimal.abs(amount)))) return undefined
    // Sums may come out even by chance: such lines also lack what every movement has.
    const lacks = ({ filled }: Line) => (this.filled & ~filled) !== 0
    if (![first, closing, ...turnovers].every(lacks)) return undefined
    return [
      [first.line, "opening"],
      ...turnovers.map(({ line }) => [line, "turnover"] as const),
      [closing.line, "closing"]
    ] as const
  }
}

const filledOf = (table: CsvTable, row: number, columns: ReadonlyArray<number>): number =>
  columns.reduce((bits, column, at) => (table.locate(row, column) ? bits | (1 << at) : bits), 0)

/** The columns that are neither days, amounts nor accounts: thirty at most. */
const textsOf = (layout: CsvLayout): ReadonlyArray<number> => {
  const { account, accountName, amount, authorizedDate, credit, currency, date, debit, sign, valueDate } = layout.single
  const others = new Set([account, accountName, amount, authorizedDate, credit, currency, date, debit, sign, valueDate])
  return layout.contents.flatMap((_, column) => (others.has(column) ? [] : [column])).slice(0, 30)
}

/** May the first row state a balance? Then it lacks what the one behind it fills. */
export const mayBeginWithBalance = ({ layout, selection }: Pick<SignInput, "layout" | "selection">): boolean => {
  if (layout.single.balance >= 0 || selection.movements.count < 3) return false
  const texts = textsOf(layout)
  const { first: rows, table } = selection.movements
  const [first, second] = [rows[0]!, rows[1]!].map((row) => filledOf(table, row, texts))
  return (second! & ~first!) !== 0
}

/** The lines of a table without running balances that state one; none where its sums do not come out. */
export const statedLinesOf = (input: SignInput, signs: SignPlan): StatedLines => {
  const { layout, selection } = input
  const { account, amount, credit, debit } = layout.single
  const stated = new Map<number, "opening" | "closing" | "turnover">()
  const texts = textsOf(layout)
  const accounts = new Map<string, AccountLines>()
  selection.movements.each((table, row, at) => {
    const value =
      amount >= 0
        ? withSign(signs.rows?.[at] ?? 0, amountOf(input, table, row))
        : Decimal.subtract(
            valueAt(input, table, row, credit) ?? Decimal.zero,
            Decimal.abs(valueAt(input, table, row, debit) ?? Decimal.zero)
          )
    if (value === undefined) return undefined
    const number = account < 0 ? "" : table.cell(row, account)
    const lines = accounts.get(number) ?? new AccountLines()
    if (accounts.size > maxAccounts) return false
    accounts.set(number, lines)
    lines.add({ line: table.line(row), amount: value, filled: filledOf(table, row, texts) })
    return undefined
  })
  if (accounts.size > maxAccounts) return stated
  for (const lines of accounts.values()) for (const [line, kind] of lines.stated()) stated.set(line, kind)
  return stated
}
