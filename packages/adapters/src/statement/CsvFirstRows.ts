/**
 * The rows that tell the layout of a file, gathered as all of them pass: those above the table, and for each column the first
 * ones that fill it. What is asked of the first rows of some kind is asked of these, and the answer is that of all rows.
 */
import type { CsvOptions } from "@millrace/core/feed"
import { StatementFault } from "@millrace/core/upload"
import { sampleRows } from "./CsvContent.ts"
import { findHeader, maxPreamble } from "./CsvHeaderLine.ts"
import { maxLines } from "./CsvPreamble.ts"
import { CsvSample } from "./CsvSample.ts"
import type { CsvTable } from "./CsvScanner.ts"

export class CsvFirstRows {
  private readonly options: CsvOptions
  private readonly sample = new CsvSample()
  private isHeaderKnown: boolean
  // Rows behind the header: all of them, those of several cells, and those that fill each column; not counted beyond the sample.
  private all = 0
  private wide = 0
  private readonly filled: Array<number> = []
  private full = 0

  constructor(options: CsvOptions) {
    this.options = options
    this.isHeaderKnown = options.headerLine === 0
  }

  add(table: CsvTable, row: number): void {
    if (this.isHeaderKnown) {
      if (this.counts(table, row)) this.sample.add(table, row)
      return
    }
    const { headerLine } = this.options
    if (headerLine === undefined) {
      this.sample.add(table, row)
      if (this.sample.count < maxPreamble) return
      this.isHeaderKnown = true
      const held = this.sample.table()
      const header = findHeader(held, this.options)
      const from = header instanceof StatementFault ? held.rowCount : header + 1
      for (let behind = from; behind < held.rowCount; behind++) this.counts(held, behind)
      return
    }
    const line = table.line(row)
    if (line >= headerLine) this.isHeaderKnown = true
    if (line === headerLine || this.sample.count < maxLines) this.sample.add(table, row)
  }

  /** Whether the row is among the first of some kind. */
  private counts(table: CsvTable, row: number): boolean {
    const columns = table.columns(row)
    if (this.all >= sampleRows && this.wide >= sampleRows && this.full === this.filled.length) {
      if (columns <= this.filled.length) return false
    }
    let isFirst = this.all++ < sampleRows
    if (columns >= 2 && this.wide++ < sampleRows) isFirst = true
    while (this.filled.length < columns) this.filled.push(0)
    for (let column = 0; column < columns; column++) {
      if (this.filled[column]! >= sampleRows || !table.locate(row, column)) continue
      isFirst = true
      if (++this.filled[column]! === sampleRows) this.full++
    }
    return isFirst
  }

  /** The rows that were kept, in their order. */
  table(): CsvTable {
    return this.sample.table()
  }
}
