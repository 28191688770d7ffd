/**
 * Comma-separated text as RFC 4180 has it: CRLF after every line, cells quoted where they must be, no byte
 * order mark. The same records give the same text.
 *
 * A spreadsheet takes cells that begin like a formula for one, so text that does gets an apostrophe in front
 * (decisions 7.4); numbers are written bare, negative ones too.
 */
import type { Column } from "@millrace/core/destination"
import type { Fields, FieldValue } from "@millrace/core/record"
import { lineEnd, quote, spreadsheetText } from "@millrace/core/text"

/** Every cell that can not be written as it is: most cells cost this one test. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const special = /[\0-\x1f",\x7f-\x9f\ud800-\udfff\ufeff]|^[=+\-@＝＋－＠]/

const plainNumber = /^-?\d+(?:\.\d+)?$/

const textCell = (text: string): string => (special.test(text) ? quote(spreadsheetText(text)) : text)

const valueCell = (value: FieldValue | undefined, number: boolean): string => {
  // A number is written bare only if it is one: whatever else stands in the column is text.
  if (typeof value === "string") return number && plainNumber.test(value) ? value : textCell(value)
  return typeof value === "boolean" ? String(value) : ""
}

// A lone empty cell would be an empty line, which readers skip.
const line = (cells: string): string => (cells === "" ? `""${lineEnd}` : cells + lineEnd)

export interface CsvWriter {
  /** The first line: the names of the columns. */
  readonly header: string
  /** One record as a line. Values are found by the names of the columns; null and absent are empty cells. */
  readonly row: (values: Fields) => string
}

export const make = (columns: ReadonlyArray<Column>): CsvWriter => {
  const names = columns.map((column) => column.name)
  const numbers = columns.map((column) => column.type === "num")
  return {
    header: line(names.map(textCell).join(",")),
    row: (values) => {
      let cells = ""
      for (let i = 0; i < names.length; i++) {
        if (i > 0) cells += ","
        cells += valueCell(values[names[i]!], numbers[i]!)
      }
      return line(cells)
    }
  }
}
