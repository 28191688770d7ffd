/** A plain table after its rows were built: one row at a time is looked at again, for what few rows are asked. */
import { Buffer } from "node:buffer"
import type { CharacterCodes } from "./CharacterCodes.ts"
import { CsvTable } from "./CsvScanner.ts"

export class PlainTable extends CsvTable {
  /** Compiled code knows the layout of these objects only while one lives: it stays valid between files. */
  static override readonly exemplar = new PlainTable(new Uint8Array(0), 0, 0, 0, new Int32Array(1), new Int32Array(1))
  override text = ""
  override codes: CharacterCodes
  private readonly buffer: Buffer
  private readonly delimiter: number
  private readonly starts: Int32Array<ArrayBuffer>
  private readonly lines: Int32Array<ArrayBuffer>
  private readonly ends: Int32Array<ArrayBuffer>
  private current = -1

  /** `starts` and `lines` of its rows, which have `width` cells each. */
  constructor(
    bytes: Uint8Array,
    delimiter: number,
    width: number,
    rowCount: number,
    starts: Int32Array<ArrayBuffer>,
    lines: Int32Array<ArrayBuffer>
  ) {
    const none = new Int32Array(1)
    const codes = new Uint8Array(2)
    super("", codes, rowCount, { cellEnds: none, firstCell: none, rowStarts: none, rowLines: none })
    this.codes = codes
    this.buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.delimiter = delimiter
    this.starts = starts
    this.lines = lines
    this.ends = new Int32Array(width)
  }

  override line(row: number): number {
    return this.lines[row]!
  }

  override columns(_row: number): number {
    return this.ends.length
  }

  override start(row: number, column: number): number {
    if (column < 0 || column >= this.ends.length) return -1
    if (row !== this.current) this.load(row)
    return column === 0 ? 0 : this.ends[column - 1]! + 1
  }

  override end(row: number, column: number): number {
    if (row !== this.current) this.load(row)
    return this.ends[column]!
  }

  private load(row: number): void {
    const to = row + 1 < this.rowCount ? this.starts[row + 1]! : this.buffer.length
    this.text = this.buffer.toString("utf8", this.starts[row]!, to)
    const { delimiter, ends, text } = this
    if (this.codes.length <= text.length) this.codes = new Uint8Array(text.length * 2)
    const { codes } = this
    for (let index = 0; index < text.length; index++) codes[index] = text.charCodeAt(index)
    codes[text.length] = 10
    this.current = row
    let at = 0
    for (let column = 0; column < ends.length; column++) {
      if (codes[at] === 34) {
        at++
        while (codes[at] !== 34 || codes[at + 1] === 34) at += codes[at] === 34 ? 2 : 1
        at++
      } else while (codes[at] !== delimiter && codes[at] !== 10 && codes[at] !== 13) at++
      ends[column] = at++
    }
  }
}
