/** The rows of a CSV file that comes in parts, in tables that follow each other: each has the rows that end in some text. */
import { StatementFault } from "@millrace/core/upload"
import { characterCodes } from "./CharacterCodes.ts"
import { type CsvTable, csvTable } from "./CsvScanner.ts"
import { TextPieces } from "./TextPieces.ts"

/** Characters that are read together at least. */
const leastRead = 65_536

export class CsvWindows {
  private readonly pieces: TextPieces
  private readonly least: number
  // What was looked at and not given yet.
  private ahead = ""
  private isOver = false

  private readonly look: ((text: string) => void) | undefined

  /** `look` is shown all of the text. */
  constructor(parts: Iterable<Uint8Array>, encoding: string, least = leastRead, look?: (text: string) => void) {
    this.pieces = new TextPieces(parts, encoding, least)
    this.least = least
    this.look = look
  }

  /** The first `length` characters that were not given yet, or what there is. */
  peek(length: number): string {
    while (this.ahead.length < length && !this.isOver) this.read()
    return this.ahead
  }

  private read(): void {
    const piece = this.pieces.next()
    if (piece === undefined) {
      this.isOver = true
      return
    }
    this.look?.(piece)
    this.ahead += piece
  }

  private more(least: number): string {
    while (this.ahead.length < least && !this.isOver) this.read()
    // Not all that was looked at before, so that it is known that there is more.
    const text = this.ahead.length > 2 * least ? this.ahead.slice(0, least) : this.ahead
    this.ahead = this.ahead.slice(text.length)
    return text
  }

  /** The tables, up to the first row that is none; that is reported behind them. `mostRows` more rows than the file may have. */
  *tables(delimiter: number, isLimited: boolean): Generator<CsvTable | StatementFault> {
    let text = this.more(this.least)
    let line: number | undefined
    let rowsBefore = isLimited ? 0 : Number.NEGATIVE_INFINITY
    while (true) {
      const isLast = this.isOver && this.ahead === ""
      const table = csvTable(text, delimiter, {
        codes: characterCodes(text),
        isLast,
        rowsBefore,
        ...(line === undefined ? {} : { line })
      })
      yield table
      if (table instanceof StatementFault || isLast) return
      rowsBefore += table.rowCount
      const kept = text.slice(table.rest)
      // What is long is followed by as much: no text is looked at many times.
      text = kept + this.more(Math.max(this.least, kept.length))
      if (table.rest > 0) line = table.restLine
    }
  }

  /** Goes to the end of the file, so that all of it was looked at. */
  finish(): void {
    while (!this.isOver) {
      this.ahead = ""
      this.read()
    }
  }

  close(): void {
    this.pieces.close()
  }
}
