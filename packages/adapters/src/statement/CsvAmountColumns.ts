/** The columns of amounts: one, one for each side, or one for each currency. */
import type { Decimal } from "@millrace/core"
import type { StatementFault } from "@millrace/core/upload"
import { groupedAmount } from "./AmountText.ts"
import { chainOf, follows } from "./CsvChain.ts"
import type { ColumnClaims } from "./CsvColumnClaims.ts"
import { holdsMoney, holdsNumbers, sampleOf } from "./CsvContent.ts"
import { DecimalEvidence } from "./CsvDecimals.ts"
import { isKnownName, splitUnit } from "./CsvHeaders.ts"

const hasAmount = (claims: ColumnClaims): boolean => {
  const { amount, credit, debit } = claims.columns
  return amount >= 0 || debit >= 0 || credit >= 0
}

/** The amounts of a column in the rows of the sample. */
export const columnValues = (
  claims: ColumnClaims,
  column: number,
  rows: ReadonlyArray<number>,
  decimal: number
): Array<Decimal.Decimal | undefined> =>
  rows.map((row) => {
    const cell = claims.table.cell(row, column)
    return cell === "" ? undefined : groupedAmount(cell, 0, cell.length, decimal, true)
  })

/** The decimal separator of the amounts of some columns. */
export const decimalOf = (
  claims: ColumnClaims,
  rows: ReadonlyArray<number>,
  columns: ReadonlyArray<number>
): number => {
  const evidence = new DecimalEvidence()
  for (const row of rows) {
    for (const column of columns) {
      if (claims.table.locate(row, column)) evidence.add(claims.table.codes, claims.table.from, claims.table.to)
    }
  }
  return evidence.decide(false).decimal
}

/** Of several columns the one whose amounts lead from balance to balance, and that balance. */
const byChain = (claims: ColumnClaims, amounts: ReadonlyArray<number>, balances: ReadonlyArray<number>) => {
  const rows = sampleOf(claims.table, claims.header, (row) =>
    amounts.some((column) => claims.table.locate(row, column))
  )
  const decimal = decimalOf(claims, rows, [...new Set([...amounts, ...balances])])
  const found: Array<readonly [amount: number, balance: number]> = []
  for (const balance of balances) {
    const after = columnValues(claims, balance, rows, decimal)
    for (const amount of amounts) {
      if (amount === balance) continue
      const chain = chainOf(columnValues(claims, amount, rows, decimal), after)
      if (follows(chain, chain.size) && chain.size > 0) found.push([amount, balance])
    }
  }
  return found.length === 1 ? found[0] : undefined
}

/** Several columns that names allow: fees and gross are next to what moved the balance. */
export const chooseAmount = (claims: ColumnClaims): void => {
  const { columns } = claims
  if (columns.amount < 0 || claims.given.has("amount") || columns.balance < 0) return
  const named = claims.candidates.flatMap((fields, column) =>
    (column === columns.amount || !claims.used.has(column)) &&
    fields.some(([field]) => field === "amount") &&
    claims.contents[column]!.money > 0
      ? [column]
      : []
  )
  if (named.length < 2) return
  const chain = byChain(claims, named, [columns.balance])
  if (chain === undefined || chain[0] === columns.amount) return
  claims.release("amount")
  claims.take("amount", chain[0])
  claims.warnings.push(`several columns name an amount: ${claims.name(chain[0])} read, since it moves the balance`)
}

/** Columns that are named by nothing but their currency: `CAD$` and `USD$`. */
export const findAlternates = (claims: ColumnClaims): void => {
  const { amount } = claims.columns
  if (amount < 0 || splitUnit(claims.headers[amount] ?? "")[1] === undefined) return
  const bare = (column: number) => splitUnit(claims.headers[column] ?? "")[0].trim() === ""
  if (!bare(amount)) return
  for (const [column, content] of claims.contents.entries()) {
    if (claims.used.has(column) || content.amounts === 0 || !bare(column)) continue
    claims.alternates.push(column)
    claims.used.add(column)
  }
}

/** Names of numbers that count or identify: `account_id`, `Check No.`. */
const isNumberName = (header: string): boolean =>
  isKnownName(header) || /(?:^|[\s_.-])(?:id|nr|no|num|number|code|count|year|month)\.?$/i.test(header)

/** Takes the amounts where no name has told them, or says what would help. */
export const findAmount = (claims: ColumnClaims): StatementFault | undefined => {
  if (claims.doubt.length > 0) {
    return claims.fault(
      `${claims.doubt.map((column) => `"${claims.name(column)}"`).join(", ")} hold amounts that disagree, and nothing says which is right`,
      "amount",
      "name it in sourceConfig.csv.columns.amount, or the others in columns.debit and columns.credit"
    )
  }
  if (hasAmount(claims)) return findOtherSide(claims)
  if (claims.given.has("amount")) return claims.fault("no column holds an amount", "amount")
  const money = claims.free(holdsMoney)
  // Numbers of accounts and cheques are no amounts.
  const whole = claims
    .free((content) => holdsNumbers(content) && content.money === 0)
    .filter((column) => !isNumberName(claims.headers[column] ?? ""))
  const candidates = money.length > 0 ? money : whole
  const { balance } = claims.columns
  if (candidates.length > 1) {
    const chain = byChain(claims, candidates, balance >= 0 ? [balance] : candidates)
    if (chain !== undefined) {
      if (balance < 0) claims.take("balance", chain[1])
      claims.guessed("amount", chain[0])
      return undefined
    }
    const pair = sidePair(claims, candidates)
    if (pair !== undefined) return pair
    return claims.fault(
      `${claims.headers.length === 0 ? "no header row, and several" : "several"} columns could be the amount: ${candidates.map((column) => `"${claims.name(column)}"`).join(", ")}`,
      "amount"
    )
  }
  const [only] = candidates
  if (only !== undefined) {
    if (claims.headers.length > 0) claims.guessed("amount", only)
    else claims.take("amount", only)
    return undefined
  }
  if (claims.takeByName("amount")) return undefined
  return claims.fault(
    claims.headers.length === 0 ? "no header row, and no column holds amounts" : "no column holds an amount",
    "amount",
    "name it in sourceConfig.csv.columns.amount, or columns.debit and columns.credit"
  )
}

/** Two columns where each row fills one are sides, but nothing says which is which. */
const sidePair = (claims: ColumnClaims, candidates: ReadonlyArray<number>): StatementFault | undefined => {
  if (candidates.length !== 2) return undefined
  const [a, b] = [candidates[0]!, candidates[1]!]
  const rows = sampleOf(claims.table, claims.header, () => true)
  const both = rows.some((row) => claims.table.locate(row, a) && claims.table.locate(row, b))
  if (both) return undefined
  return claims.fault(
    `"${claims.name(a)}" and "${claims.name(b)}" seem to be money out and money in, and nothing says which is which`,
    "debit",
    "name them in sourceConfig.csv.columns.debit and columns.credit"
  )
}

/** One side is named: a column of amounts that is filled where it is blank is the other. */
const findOtherSide = (claims: ColumnClaims): undefined => {
  const { amount, credit, debit } = claims.columns
  if (amount >= 0 || (debit >= 0 && credit >= 0)) return undefined
  const [have, missing] = debit >= 0 ? ([debit, "credit"] as const) : ([credit, "debit"] as const)
  if (claims.given.has(missing)) return undefined
  const rows = sampleOf(claims.table, claims.header, (row) => claims.table.locate(row, claims.columns.date))
  const other = claims
    .free((content) => content.amounts > 0 && content.amounts === content.filled)
    .filter(
      (column) =>
        rows.some((row) => claims.table.locate(row, column)) &&
        rows.every((row) => claims.table.locate(row, column) !== claims.table.locate(row, have))
    )
  if (other.length === 1) claims.guessed(missing, other[0]!)
  return undefined
}
