/** A CSV file that comes in parts, looked through once: how its text and its rows lie, and the rows that tell its layout. */
import { StatementFault, type StatementOptions } from "@millrace/core/upload"
import { detectDelimiter, sampleLength } from "./CsvDialect.ts"
import { CsvFirstRows } from "./CsvFirstRows.ts"
import type { CsvLayout } from "./CsvLayout.ts"
import { type CsvMovements, firstMovements } from "./CsvMovements.ts"
import { CsvSample } from "./CsvSample.ts"
import type { CsvTable } from "./CsvScanner.ts"
import { type CsvSelection, selectorOf, type StatedLines } from "./CsvSelection.ts"
import { CsvWindows } from "./CsvWindows.ts"
import { guessEncodingOf } from "./EncodingSample.ts"
import { bareUtf16 } from "./EncodingGuess.ts"
import { headOf } from "./FileHead.ts"
import { maxRows } from "./StatementLimits.ts"
import { markedEncoding } from "./TextDecoding.ts"
import { Utf8Check } from "./Utf8Check.ts"

/** Bytes of the beginning that tell marks and forms. */
const headLength = 4_096

export interface CsvOutline {
  readonly encoding: string
  readonly isGuessed: boolean
  readonly delimiter: string
  /** The rows that tell the layout. */
  readonly table: CsvTable
}

/** What a file is before it is read: text that is blank, or no text. */
export const blankFault = (): StatementFault => new StatementFault({ message: "the file is empty", line: 1 })
export const binaryFault = (): StatementFault =>
  new StatementFault({
    message: "the file holds binary data, or UTF-16 without a byte order mark: set sourceConfig.csv.encoding",
    line: 1,
    element: "encoding"
  })

/** A file in parts. */
export class CsvParts {
  private readonly parts: () => Iterable<Uint8Array>
  private readonly options: StatementOptions
  /** Whether the rows are kept; there is a limit then. */
  private readonly isLimited: boolean
  private readonly least: number | undefined

  constructor(
    parts: () => Iterable<Uint8Array>,
    options: StatementOptions,
    isLimited: boolean,
    least: number | undefined
  ) {
    this.parts = parts
    this.options = options
    this.isLimited = isLimited
    this.least = least
  }

  /** Asks for the parts once, and twice more where they are no UTF-8: the letters tell what they are. */
  outline(): CsvOutline | StatementFault {
    const given = this.options.csv?.encoding
    const { head, parts } = headOf(this.parts(), headLength)
    const bare = given === undefined ? bareUtf16(head) : undefined
    const told = given ?? bare
    const marked = markedEncoding(head)
    if (marked !== undefined || told !== undefined) {
      return this.lookAt(parts, marked ?? told!, bare !== undefined)
    }
    const check = new Utf8Check()
    const outline = this.lookAt(check.watch(parts), "utf-8", false)
    if (check.isValid) return outline
    return this.lookAt(this.parts(), guessEncodingOf(this.parts()), true)
  }

  private lookAt(parts: Iterable<Uint8Array>, encoding: string, isGuessed: boolean): CsvOutline | StatementFault {
    const csv = this.options.csv ?? {}
    let isBlank = true
    let isBinary = false
    const windows = new CsvWindows(parts, encoding, this.least, (text) => {
      if (isBlank && text.trim() !== "") isBlank = false
      if (!isBinary && text.includes("\u0000")) isBinary = true
    })
    const delimiter = csv.delimiter ?? detectDelimiter(windows.peek(sampleLength))
    const rows = new CsvFirstRows(csv)
    let fault: StatementFault | undefined
    for (const table of windows.tables(delimiter.charCodeAt(0), this.isLimited)) {
      if (table instanceof StatementFault) fault = table
      else for (let row = 0; row < table.rowCount; row++) rows.add(table, row)
    }
    windows.finish()
    if (isBinary) return binaryFault()
    if (isBlank) return blankFault()
    return fault ?? { encoding, isGuessed, delimiter, table: rows.table() }
  }

  /** Asks for the parts, and gives the rows behind the header to `visit`, which says whether it wants more. */
  private rows(
    { delimiter, encoding, table: first }: CsvOutline,
    { header }: CsvLayout,
    use: (table: CsvTable) => void,
    visit: (row: number) => boolean
  ): void {
    const above = header < 0 ? 0 : first.line(header)
    const windows = new CsvWindows(this.parts(), encoding, this.least)
    try {
      for (const table of windows.tables(delimiter.charCodeAt(0), false)) {
        if (table instanceof StatementFault) return
        use(table)
        for (let row = 0; row < table.rowCount; row++) {
          if (table.line(row) > above && !visit(row)) return
        }
      }
    } finally {
      windows.close()
    }
  }

  /** The movements: the parts are asked for once, and again for each time that all of them are looked at. */
  select(outline: CsvOutline, layout: CsvLayout, stated?: StatedLines): CsvSelection | StatementFault {
    const first = new CsvSample()
    const most = this.isLimited ? maxRows : Number.POSITIVE_INFINITY
    const rows = {
      movement: (table: CsvTable, row: number) => {
        if (first.count <= firstMovements) first.add(table, row)
      },
      continuation: () => undefined
    }
    const selector = selectorOf(layout, rows, most, stated)
    let fault: StatementFault | undefined
    this.rows(outline, layout, selector.use, (row) => {
      fault = selector.select(row)
      return fault === undefined
    })
    if (fault !== undefined) return fault
    const all = selector.end()
    const table = first.table()
    const count = Math.min(all.count, firstMovements)
    const movements: CsvMovements = {
      count: all.count,
      table,
      first: Array.from({ length: count }, (_, at) => at),
      each: (visit) => {
        let at = -1
        let held: CsvTable | undefined
        let heldRow = -1
        let below: Array<string> = []
        // A movement is complete once the next one begins.
        const tell = (): boolean => {
          const isOne = held !== undefined && at >= 0 && at < all.count
          return !isOne || visit(held!, heldRow, at, below) !== false
        }
        let isWanted = true
        const again = selectorOf(
          layout,
          {
            movement: (own, row) => {
              isWanted = tell()
              held = own
              heldRow = row
              at++
              below = []
            },
            continuation: (own, row) => {
              below.push(...own.row(row))
            }
          },
          Number.POSITIVE_INFINITY,
          stated
        )
        this.rows(outline, layout, again.use, (row) => {
          again.select(row)
          return isWanted
        })
        if (isWanted) tell()
      }
    }
    return { ...all, movements }
  }
}
