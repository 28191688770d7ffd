/** What is decided once a file, by all of its rows together: separators, currency, order of the days, signs. */
import type { Currency } from "@millrace/core"
import type { AccountType } from "@millrace/core/provider"
import { StatementFault, type StatementOptions } from "@millrace/core/upload"
import { chooseCurrency } from "./CsvCurrencies.ts"
import { type DateOrder, orderOfPattern } from "./CsvDates.ts"
import { comma, point } from "./CsvDecimals.ts"
import { languageOf } from "./CsvHeaders.ts"
import { columnName, type CsvLayout } from "./CsvLayout.ts"
import type { CsvPreamble } from "./CsvPreamble.ts"
import { type CsvProfile, findProfile } from "./CsvProfiles.ts"
import type { CsvSelection } from "./CsvSelection.ts"
import type { SignInput, SignPlan } from "./CsvSignPlan.ts"
import { planSigns } from "./CsvSigns.ts"
import { accountTypeOf } from "./CsvWords.ts"

export interface CsvEvidence {
  readonly layout: CsvLayout
  readonly selection: CsvSelection
  readonly preamble: CsvPreamble
  readonly delimiter: string
  readonly options: StatementOptions
}

export interface CsvDecisions {
  /** Code of the decimal separator. */
  readonly decimal: number
  /** Of rows that name none. */
  readonly currency: Currency.Currency
  readonly order: DateOrder
}

const monthFirstCurrencies = new Set(["USD", "PHP"])

const fault = (message: string, element: string, line = 1): StatementFault =>
  new StatementFault({ message, line, element })

/** Decides, and adds what had to be assumed. */
export const decide = (
  evidence: CsvEvidence,
  assumed: Record<string, string>,
  warnings: Array<string>
): CsvDecisions | StatementFault => {
  const { delimiter, layout, options, preamble, selection } = evidence
  const { movements } = selection
  const csv = options.csv ?? {}
  const language = layout.header < 0 ? "en" : languageOf(layout.headers)
  const english = language === "en"
  const commaHint = delimiter === ";" && !english
  const { decimals } = selection
  const separators =
    csv.decimal === undefined
      ? decimals.decide(commaHint)
      : { decimal: csv.decimal === "," ? comma : point, ambiguous: false }
  if (csv.decimal === undefined) {
    assumed["decimal"] = separators.decimal === comma ? "," : "."
    if (separators.ambiguous || decimals.conflicts) {
      warnings.push(`decimal ambiguous: "${assumed["decimal"]}" assumed, set sourceConfig.csv.decimal to override`)
    }
  }

  const chosen = chooseCurrency(layout, selection, preamble, separators.decimal, options)
  if (chosen instanceof StatementFault) return chosen
  const currencyColumn = layout.single.currency
  if (csv.currency === undefined && (currencyColumn < 0 || selection.isCurrencyMissing)) {
    assumed["currency"] = chosen.currency
    if (chosen.guess !== undefined && movements.count > 0) {
      warnings.push(
        `${currencyColumn < 0 ? "no currency is named" : "some rows name no currency"}: ${chosen.currency} assumed, since ${chosen.guess}, set sourceConfig.csv.currency to override`
      )
    }
  }

  const given = csv.dateFormat === undefined ? undefined : orderOfPattern(csv.dateFormat)
  if (csv.dateFormat !== undefined && given === undefined) {
    return fault(`dateFormat "${csv.dateFormat}" names no day, month and year in an order that is known`, "dateFormat")
  }
  if (given === undefined && selection.dateConflict !== undefined) {
    const { cell, line } = selection.dateConflict
    const name = columnName(layout, layout.single.date)
    return fault(
      `${name}: some days can only be read day first and some, like "${cell.slice(0, 40)}", only month first: set sourceConfig.csv.dateFormat`,
      name,
      line
    )
  }
  const first = movements.first[0]
  const rowCurrency =
    (currencyColumn < 0 || first === undefined ? "" : movements.table.cell(first, currencyColumn).toUpperCase()) ||
    chosen.currency
  const monthFirst =
    english &&
    delimiter !== ";" &&
    separators.decimal === point &&
    (monthFirstCurrencies.has(rowCurrency) || decimals.hasDollar)
  const order = given === undefined ? selection.dates.decide(monthFirst) : { order: given, ambiguous: false }
  if (given === undefined) {
    assumed["dateFormat"] = selection.dates.pattern(order.order)
    if (order.ambiguous) {
      warnings.push(
        `dateFormat ambiguous: read as ${assumed["dateFormat"]}, set sourceConfig.csv.dateFormat to override`
      )
    }
  }
  return { decimal: separators.decimal, currency: chosen.currency, order: order.order }
}

export interface CsvSignEvidence extends Omit<CsvEvidence, "delimiter"> {
  readonly decimal: number
}

/** How the signs of the file are read, and the known layout that it has. */
export const signsOf = ({
  decimal,
  layout,
  options,
  preamble,
  selection
}: CsvSignEvidence): {
  readonly profile: CsvProfile | undefined
  readonly input: SignInput
  readonly signs: SignPlan
} => {
  const profile = findProfile(layout.headers)
  const kinds: ReadonlyArray<AccountType> = [
    profile?.accountType ?? "unknown",
    preamble.type,
    accountTypeOf(options.fileName),
    accountTypeOf(layout.headers.join(" "))
  ]
  const accountType = kinds.find((kind) => kind !== "unknown") ?? "unknown"
  const input: SignInput = { layout, selection, decimal, options: options.csv ?? {}, profile, accountType }
  return { profile, input, signs: planSigns(input) }
}
