/** Rows of a file by themselves, as a table of their own: those that are looked at to tell what a file holds. */
import { CsvTable } from "./CsvScanner.ts"
import { characterCodes } from "./CharacterCodes.ts"
import { ownText } from "./Wording.ts"

export class CsvSample {
  private readonly texts: Array<string> = []
  private readonly ends: Array<number> = []
  private readonly firstCell: Array<number> = [0]
  private readonly starts: Array<number> = []
  private readonly lines: Array<number> = []
  private length = 0

  get count(): number {
    return this.starts.length
  }

  /** Adds a row behind the others. */
  add(table: CsvTable, row: number): void {
    const start = table.rowStart(row)
    const text = ownText(table.text.slice(start, table.rowEnd(row)))
    const moved = this.length - start
    this.texts.push(text, "\n")
    this.starts.push(this.length)
    this.lines.push(table.line(row))
    for (let column = 0; column < table.columns(row); column++) this.ends.push(table.end(row, column) + moved)
    this.firstCell.push(this.ends.length)
    this.length += text.length + 1
  }

  table(): CsvTable {
    const text = this.texts.join("")
    return new CsvTable(text, characterCodes(text), this.count, {
      cellEnds: Int32Array.from(this.ends),
      firstCell: Int32Array.from(this.firstCell),
      rowStarts: Int32Array.from(this.starts),
      rowLines: Int32Array.from(this.lines)
    })
  }
}
