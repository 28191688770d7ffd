/**
 * Cells of comma-separated text that every spreadsheet shows as what they are (decisions 7.4). A spreadsheet
 * takes text that begins like a formula for one, and works it out; text of banks must never get that far.
 */

export const lineEnd = "\r\n"

// Tab, line feed and carriage return are text; the other control characters are not.
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const unprintable = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufeff]/g

const formulaLike = /^[=+\-@\t\r\n＝＋－＠]/

const mustQuote = /[",\r\n]/

/** One cell, quoted where it holds a quote, a comma or a line break. Reading it gives back the same text. */
export const quote = (cell: string): string => (mustQuote.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

/**
 * Text that every spreadsheet shows as text: no control characters but tabs and line breaks, no lone
 * surrogates, and an apostrophe in front of what would begin a formula.
 */
export const spreadsheetText = (text: string): string => {
  // Halves first: without the control character between them, two would join to a letter that nobody wrote.
  const clean = text.toWellFormed().replace(unprintable, "")
  return formulaLike.test(clean) ? `'${clean}` : clean
}
