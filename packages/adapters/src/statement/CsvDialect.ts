/** The delimiter of a table, told by the first lines. */
import { isAmount, looksLikeDate } from "./CsvContent.ts"
import { headerScore } from "./CsvHeaderLine.ts"
import { csvTable } from "./CsvScanner.ts"
import { StatementFault } from "@millrace/core/upload"

const delimiters = [",", ";", "\t", "|"]

/** Characters that are looked at. */
export const sampleLength = 32_768
const sampleRows = 80

/** The delimiter that yields the best header, else the most rows with a date and an amount, else the most even columns. */
export const detectDelimiter = (text: string): string => {
  const sample = text.length > sampleLength ? text.slice(0, sampleLength) : text
  let best = ","
  let bestScore = -1
  for (const delimiter of delimiters) {
    const table = csvTable(sample, delimiter.charCodeAt(0), { limit: sampleRows, isLenient: true })
    if (table instanceof StatementFault) continue
    const widths = new Map<number, number>()
    let header = 0
    let movements = 0
    for (let row = 0; row < table.rowCount; row++) {
      const width = table.columns(row)
      if (width < 2) continue
      widths.set(width, (widths.get(width) ?? 0) + 1)
      const cells = table.row(row)
      if (header === 0) header = headerScore(cells)
      if (movements < 8 && cells.some(looksLikeDate) && cells.some((cell) => !looksLikeDate(cell) && isAmount(cell)))
        movements++
    }
    let even = 0
    for (const [width, rows] of widths) even = Math.max(even, rows * Math.min(width, 20))
    const score = header * 100_000 + movements * 5_000 + even
    if (score > bestScore) {
      best = delimiter
      bestScore = score
    }
  }
  return best
}
