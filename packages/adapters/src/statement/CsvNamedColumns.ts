/** The columns that their header names tell, where what they hold agrees. */
import { type CsvField, csvFields } from "@millrace/core/feed"
import type { ColumnClaims } from "./CsvColumnClaims.ts"
import { holdsDates, holdsMoney, holdsNumbers, holdsText } from "./CsvContent.ts"
import { readSides } from "./CsvAmountSides.ts"
import { weakRank } from "./CsvHeaders.ts"

/** Does what the column holds agree with its name? A name of other words needs proof, a known one only no contradiction. */
const agrees = (claims: ColumnClaims, field: CsvField, column: number, rank: number): boolean => {
  const content = claims.contents[column]
  const weak = rank >= weakRank
  if (content === undefined || content.filled === 0) return !weak && field !== "date" && field !== "amount"
  switch (field) {
    case "date":
    case "valueDate":
    case "authorizedDate":
      return holdsDates(content)
    case "amount":
      return weak ? holdsMoney(content) || holdsNumbers(content) : content.amounts * 2 >= content.filled
    case "balance":
      return weak ? holdsNumbers(content) : content.amounts > 0
    case "currency":
      return content.currencies > 0
    case "payee":
      return !weak || holdsText(content)
    case "description":
      return holdsText(content) && !(weak && content.dates > 0)
    case "account":
      return content.money === 0 || content.money * 2 < content.filled
    default:
      return true
  }
}

const best = (claims: ColumnClaims, field: CsvField): number => {
  let column = -1
  let rank = Number.POSITIVE_INFINITY
  for (const [index, fields] of claims.candidates.entries()) {
    if (claims.used.has(index)) continue
    for (const [candidate, own] of fields) {
      if (candidate !== field || own >= rank || !agrees(claims, field, index, own)) continue
      // "Valuta" is a currency in one language, a day in another.
      if (field === "valueDate" && !holdsDates(claims.contents[index]) && claims.contents[index]!.filled > 0) continue
      column = index
      rank = own
    }
  }
  return column
}

const dropSides = (claims: ColumnClaims): void => {
  if (claims.columns.amount < 0) return
  for (const side of ["debit", "credit"] as const) if (!claims.given.has(side)) claims.release(side)
}

/** Beside an amount column, Debit and Credit count only as a pair of amounts; a single one tells the sign. */
const settleSides = (claims: ColumnClaims): void => {
  const { amount, credit, debit } = claims.columns
  if (debit < 0 && credit < 0) return
  const overridden = claims.given.has("debit") || claims.given.has("credit")
  const holds = (column: number) => column >= 0 && claims.contents[column]!.amounts > 0
  const pair = debit >= 0 && credit >= 0 && (holds(debit) || holds(credit))
  if (amount < 0) {
    // Columns of words are no sides.
    if (!overridden && !holds(debit) && !holds(credit) && claims.contents.some((content) => content.filled > 0)) {
      if (claims.contents[debit]?.filled || claims.contents[credit]?.filled) {
        if (debit >= 0) claims.release("debit")
        if (credit >= 0) claims.release("credit")
      }
    }
    return
  }
  if (overridden) {
    claims.release("amount")
    return
  }
  if (pair) {
    settlePair(claims)
    return
  }
  if (debit >= 0) {
    if (claims.contents[debit]!.filled > 0) claims.marker = debit
    claims.columns.debit = -1
  }
  if (credit >= 0) claims.release("credit")
}

/** An amount column beside a column for each side: a signed amount says more than the sides, unless the balances follow them. */
const settlePair = (claims: ColumnClaims): void => {
  const { amount, balance, credit, debit } = claims.columns
  const said = readSides(claims, { amount, balance, credit, debit })
  if (said === "sides") {
    claims.release("amount")
    return
  }
  if (said === "disagree") {
    claims.doubt = [amount, debit, credit]
    return
  }
  claims.columns.debit = -1
  claims.columns.credit = -1
  if (said === "contradicted") {
    claims.warnings.push(
      `${claims.name(amount)} is signed and read, ${claims.name(debit)} and ${claims.name(credit)} say otherwise: name one or the others in sourceConfig.csv.columns`
    )
  }
}

const isNamedText = (fields: ReadonlyArray<readonly [CsvField, number]>): boolean =>
  fields.some(([field, rank]) => field === "description" && rank < weakRank)

/** Is it the only column whose name may mean a text? */
const isOnlyText = ({ candidates }: ColumnClaims, column: number): boolean =>
  isNamedText(candidates[column]!) && !candidates.some((fields, at) => at !== column && isNamedText(fields))

/** Takes the best column for each field; texts and accounts are left to those who compare several. */
export const takeNamed = (claims: ColumnClaims): void => {
  for (const field of csvFields) {
    if (claims.given.has(field) || field === "description" || field === "reference" || field === "account") continue
    const column = best(claims, field)
    if (column >= 0 && !(field === "category" && isOnlyText(claims, column))) claims.take(field, column)
  }
  if (claims.given.has("amount")) dropSides(claims)
  else settleSides(claims)
}
