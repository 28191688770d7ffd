/** What the lines above a table say about the account. */
import { parseIban } from "@millrace/core/account/AccountReference"
import * as Currency from "@millrace/core/shared/Currency"
import { fieldsOf } from "./CsvHeaders.ts"
import type { CsvTable } from "./CsvScanner.ts"
import { summaryOf } from "./CsvWords.ts"

export interface CsvPreamble {
  readonly number: string
  readonly name: string
  readonly currency: Currency.Currency | undefined
  /** Texts of the balances that the lines state. */
  readonly opening: string | undefined
  readonly closing: string | undefined
}

/** Reads the rows before `header`. Labels stand in their own cell, or before a colon. */
export const readPreamble = (table: CsvTable, header: number): CsvPreamble => {
  let number = ""
  let name = ""
  let currency: Currency.Currency | undefined
  let opening: string | undefined
  let closing: string | undefined
  for (let row = 0; row < header; row++) {
    const cells = table.row(row)
    cells.forEach((cell, column) => {
      const colon = cell.indexOf(":")
      const label = colon < 0 ? cell : cell.slice(0, colon)
      const inline = colon < 0 ? "" : cell.slice(colon + 1).trim()
      const value = inline === "" ? (cells.slice(column + 1).find((other) => other !== "") ?? "") : inline
      number = parseIban(cell) ?? number
      if (value === "") return
      const summary = summaryOf(label)
      if (summary === "opening" && /\d/.test(value)) opening ??= value
      if (summary === "closing" && /\d/.test(value)) closing ??= value
      for (const [field] of fieldsOf(label)) {
        if (field === "account" && number === "" && /\d{3}/.test(value)) number = value
        else if (field === "accountName" && name === "") name = value
        else if (field === "currency") currency ??= Currency.parse(value)
      }
    })
  }
  return { number, name, currency, opening, closing }
}
