/** What is said about files and rows that cannot be read. */
import type { RefusedRow, StatementFault } from "./Statement.ts"

/** Where in the file, then what: `line 12, column 5, STMTTRN.DTPOSTED: the row has no date`. */
export const describe = ({ column, element, line, message }: RefusedRow | StatementFault): string => {
  const place = [
    ...(line === undefined ? [] : [`line ${line}`]),
    ...(column === undefined ? [] : [`column ${column}`]),
    // Some messages name the element themselves.
    ...(element === undefined || message.startsWith(element) ? [] : [element])
  ].join(", ")
  const joint = element !== undefined && message.startsWith(element) ? ", " : ": "
  return place === "" ? message : `${place}${joint}${message}`
}

/** Rows that could not be read and are named one by one; the others are counted. */
const namedRows = 20

/** Warnings of an upload about rows that are left out. */
export const refusals = (rows: ReadonlyArray<RefusedRow>): ReadonlyArray<string> => [
  ...rows.slice(0, namedRows).map((row) => `${describe(row)}; the row is left out`),
  ...(rows.length > namedRows ? [`${rows.length - namedRows} more rows could not be read and are left out`] : [])
]
