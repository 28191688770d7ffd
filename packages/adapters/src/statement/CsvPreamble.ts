/** What the lines above a table say about the account. */
import { parseIban } from "@millrace/core/bank"
import type { AccountType } from "@millrace/core/provider"
import { Currency } from "@millrace/core"
import { fieldsOf } from "./CsvHeaders.ts"
import type { CsvTable } from "./CsvScanner.ts"
import { summaryOf } from "./CsvSummaries.ts"
import { accountTypeOf } from "./CsvWords.ts"

export interface CsvPreamble {
  readonly number: string
  readonly name: string
  /** Name of the holder, for telling it from merchants. */
  readonly holder: string
  readonly type: AccountType
  readonly currency: Currency.Currency | undefined
  /** Texts of the balances that the lines state. */
  readonly opening: string | undefined
  readonly closing: string | undefined
}

export const maxLines = 200
const maxCell = 300

const ibanInside = /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{2,4}){3,8}\b/g

/** Labels such as `Account no.`, `Konto-Nr.`, `Compte n°`, `Numer rachunku`, `Card ending in`. */
const accountLabel =
  /(?:^|[^\p{L}])(?:account|acct|a\/c|konto|kontonr|kontonummer|girokonto|compte|cuenta|conto|rekening|rekeningnummer|conta|rachunek|rachunku|[uú][cč]et|[uú][cč]tu|sz[aá]mlasz[aá]m|tilinumero|kontonummer|card|karte|carte|tarjeta|счет|iban)(?:[^\p{L}]|$)/iu
const numberInside = /(?:^|[\s:#])([\d*xX•.][\d*xX•./ -]{2,40}\d)(?:$|[\s,;(])/
const holderLabel =
  /\b(?:account\s*(?:holder|owner)|customer(?:\s*name)?|kontoinhaber(?:in)?|titulaire|titular|intestatario|rekeninghouder|w[lł]a[sś]ciciel)\b/i
const periodLabel =
  /\b(?:period|zeitraum|p[eé]riode|periodo|from|von|between|date|datum|fecha|data|as\s+of|generated|printed|erstellt)\b/i
const currencyInside = /(?:^|[\s\d(])([A-Z]{3})(?:$|[\s\d)])/

/** The number of an account in a text such as `Account: Checking 1234-567`. */
const numberIn = (text: string): string => {
  const found = numberInside.exec(text)?.[1]?.trim() ?? ""
  return /\d{3}/.test(found) && !/^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}$/.test(found) ? found : ""
}

const ibanOf = (cell: string): string | undefined => {
  const whole = parseIban(cell)
  if (whole !== undefined) return whole
  for (const [found] of cell.matchAll(ibanInside)) {
    // The words behind an IBAN may look like its end.
    for (let text = found; text.length >= 15; text = text.slice(0, Math.max(0, text.lastIndexOf(" ")))) {
      const iban = parseIban(text)
      if (iban !== undefined) return iban
    }
  }
  return undefined
}

/** Reads the rows before `header`. Labels stand in their own cell, or before a colon. */
export const readPreamble = (table: CsvTable, header: number): CsvPreamble => {
  let iban = ""
  let number = ""
  let loose = ""
  let name = ""
  let holder = ""
  let type: AccountType = "unknown"
  let currency: Currency.Currency | undefined
  let inBalance: Currency.Currency | undefined
  let opening: string | undefined
  let closing: string | undefined
  for (let row = 0; row < Math.min(header, maxLines); row++) {
    const cells = table.row(row).map((cell) => cell.slice(0, maxCell))
    for (const [column, cell] of cells.entries()) {
      if (cell === "") continue
      const colon = cell.indexOf(":")
      const label = colon < 0 ? cell : cell.slice(0, colon)
      const inline = colon < 0 ? "" : cell.slice(colon + 1).trim()
      const value = inline === "" ? (cells.slice(column + 1).find((other) => other !== "") ?? "") : inline
      if (iban === "") iban = ibanOf(cell) ?? ""
      if (type === "unknown") type = accountTypeOf(cell)
      if (loose === "" && accountLabel.test(cell) && !periodLabel.test(cell)) {
        loose = numberIn(cell) || (accountLabel.test(label) ? numberIn(value) : "")
      }
      if (value === "") continue
      const summary = summaryOf(label)
      if (summary === "opening" && /\d/.test(value)) opening ??= value
      if (summary === "closing" && /\d/.test(value)) closing ??= value
      if (summary !== undefined) inBalance ??= Currency.parse(currencyInside.exec(value)?.[1] ?? "")
      if (holder === "" && holderLabel.test(label)) holder = value
      for (const [field] of fieldsOf(label)) {
        if (field === "account" && number === "" && /\d{3}/.test(value)) number = ibanOf(value) ?? value
        else if (field === "accountName" && name === "") name = value
        else if (field === "currency") currency ??= Currency.parse(value)
      }
    }
  }
  const found = [iban, number, loose].find((each) => each !== "") ?? ""
  return { number: found, name, holder, type, currency: currency ?? inBalance, opening, closing }
}
