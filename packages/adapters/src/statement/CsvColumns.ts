/** Which column of a table holds what: by the reader's overrides, by header names, and by content. */
import { Currency } from "@millrace/core"
import type { CsvOptions } from "@millrace/core/feed"
import { StatementFault } from "@millrace/core/upload"
import { chooseAmount, findAlternates, findAmount } from "./CsvAmountColumns.ts"
import { ColumnClaims } from "./CsvColumnClaims.ts"
import { holdsSides } from "./CsvContent.ts"
import { flagsOf } from "./CsvFlags.ts"
import { takeGiven } from "./CsvGivenColumns.ts"
import { findHeader } from "./CsvHeaderLine.ts"
import { isKnownName, splitUnit } from "./CsvHeaders.ts"
import type { CsvLayout } from "./CsvLayout.ts"
import { takeNamed } from "./CsvNamedColumns.ts"
import { findParties } from "./CsvParties.ts"
import { refuseColumns, refuseSums } from "./CsvRefusals.ts"
import type { CsvTable } from "./CsvScanner.ts"
import { findTexts } from "./CsvTextColumns.ts"

/** Currencies of what was paid elsewhere, before it was exchanged. */
const otherCurrency = /orig|foreign|fremd|ausland|[eé]trang|extranj|original|fee|source|target|instructed/i

/** Without a day of booking, the other days that are named stand for it. */
const dateByName = (claims: ColumnClaims): void => {
  const { columns } = claims
  if (columns.date >= 0 || claims.given.has("date")) return
  columns.date = columns.valueDate >= 0 ? columns.valueDate : columns.authorizedDate
}

/** Takes the days of booking where no name has told them, or says what would help. */
const findDate = (claims: ColumnClaims): StatementFault | undefined => {
  const { columns } = claims
  if (columns.date >= 0) return undefined
  const dated = claims.free((content) => content.dates > 0 && content.dates * 5 >= content.filled * 4)
  if (dated.length > 0 && !claims.given.has("date")) {
    if (claims.headers.length > 0 || dated.length > 1) claims.guessed("date", dated[0]!)
    else claims.take("date", dated[0]!)
    return undefined
  }
  if (claims.takeByName("date")) return undefined
  return claims.fault(
    claims.headers.length === 0 ? "no header row, and no column holds dates" : "no column holds a date",
    "date"
  )
}

/** A column of words for sides, of currencies: what content alone shows. */
const findSides = (claims: ColumnClaims): void => {
  const { columns } = claims
  if (
    columns.sign < 0 &&
    !claims.given.has("sign") &&
    columns.amount >= 0 &&
    !holdsSides(claims.contents[columns.type])
  ) {
    const [side] = claims.free(holdsSides)
    if (side !== undefined) {
      claims.take("sign", side)
      const [out, into] = [...(flagsOf(claims.contents[side]!.distinct) ?? [])]
      if (out !== undefined && into !== undefined) {
        claims.warnings.push(
          `${claims.name(side)} holds "${out[0]}" and "${into[0]}", read as money that leaves and money that comes in: set sourceConfig.csv.columns.sign to override`
        )
      }
    }
  }
  const named = splitUnit(claims.headers[columns.amount] ?? "")[1] !== undefined
  if (columns.currency < 0 && !claims.given.has("currency") && columns.amount >= 0 && !named) {
    const rows = claims.contents[columns.date]!.filled
    const currency = claims
      .free((content) => content.currencies > 0 && content.currencies === content.filled && content.filled >= rows)
      .find((column) => !otherCurrency.test(claims.headers[column] ?? "") && !isKnownName(claims.headers[column] ?? ""))
    if (currency !== undefined) claims.take("currency", currency)
  }
}

/** The layout of a table, or a fault that says which override would help. */
export const findLayout = (table: CsvTable, options: CsvOptions): CsvLayout | StatementFault => {
  const header = findHeader(table, options)
  if (header instanceof StatementFault) return header
  const claims = new ColumnClaims(table, header)
  const wrong = takeGiven(claims, options)
  if (wrong !== undefined) return wrong
  takeNamed(claims)
  dateByName(claims)
  const fault = refuseColumns(claims) ?? findDate(claims) ?? findAmount(claims)
  if (fault !== undefined) return fault
  chooseAmount(claims)
  findAlternates(claims)
  const parties = findParties(claims)
  findSides(claims)
  findTexts(claims)
  const sums = refuseSums(claims)
  if (sums !== undefined) return sums
  const { columns } = claims
  const units = new Map<number, Currency.Currency>()
  for (const column of [columns.amount, columns.debit, columns.credit, ...claims.alternates]) {
    const stated = splitUnit(claims.headers[column] ?? "")[1]
    const unit = stated === undefined ? undefined : Currency.parse(stated)
    if (unit !== undefined) units.set(column, unit)
  }
  return {
    header,
    headers: claims.headers,
    single: columns,
    descriptions: claims.descriptions,
    references: claims.references,
    alternates: claims.alternates,
    units,
    marker: claims.marker,
    payer: parties.payer,
    counterparty: parties.counterparty,
    contents: claims.contents,
    warnings: claims.warnings
  }
}
