/** The columns that the reader's overrides name. */
import { type CsvField, csvFields, type CsvOptions } from "@millrace/core/feed"
import { StatementFault } from "@millrace/core/upload"
import type { ColumnClaims } from "./CsvColumnClaims.ts"
import { normaliseHeader } from "./CsvHeaders.ts"

const columnOf = (claims: ColumnClaims, wanted: string): number => {
  const exact = claims.headers.indexOf(wanted)
  if (exact >= 0) return exact
  const plain = normaliseHeader(wanted)
  const loose = plain === "" ? -1 : claims.headers.findIndex((header) => normaliseHeader(header) === plain)
  if (loose >= 0) return loose
  if (!/^\d{1,3}$/.test(wanted)) return -1
  const number = Number(wanted) - 1
  return number >= 0 && number < Math.max(claims.headers.length, claims.contents.length) ? number : -1
}

/** Takes what the options name: headers, numbers from 1, or nothing where a field is to have no column. */
export const takeGiven = (claims: ColumnClaims, options: CsvOptions): StatementFault | undefined => {
  for (const [key, value] of Object.entries(options.columns ?? {})) {
    const field = key as CsvField
    if (!csvFields.includes(field)) {
      return new StatementFault({
        message: `columns.${key}: not a field; known are ${csvFields.join(", ")}`,
        line: claims.line,
        element: key
      })
    }
    claims.given.add(field)
    const found: Array<number> = []
    for (const wanted of typeof value === "string" ? [value] : value) {
      if (wanted.trim() === "") continue
      const column = columnOf(claims, wanted.trim())
      if (column < 0) {
        return claims.fault(
          `columns.${field}: the file has no column "${wanted}"`,
          field,
          `correct sourceConfig.csv.columns.${field}`
        )
      }
      found.push(column)
      claims.used.add(column)
    }
    claims.columns[field] = found[0] ?? -1
    if (field === "description") claims.descriptions.push(...found)
    if (field === "reference") claims.references.push(...found)
  }
  return undefined
}
