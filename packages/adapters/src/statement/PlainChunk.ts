/**
 * Bytes of a table -> where the cells lie that are read. One pass over a copy of some rows, in which cells are made
 * ready for what becomes of them: letters of two bytes are one, doubled quotes too, and the texts of a description stand
 * beside each other. So all texts of the rows are parts of one string.
 *
 * What needs more than this is not plain, and is left to those who read anything.
 */
import { Buffer } from "node:buffer"
import { isPart } from "./CharacterCodes.ts"
import { noColumns, type PlainColumns } from "./PlainColumns.ts"

// What a byte is inside of a cell.
const ordinary = 0
const delimiting = 1
const ending = 2
const blank = 3
const letter = 4
const quoting = 5
const foreign = 6

/** What is to be known of a row beside its cells. */
export const flags = {
  /** Two blanks in a row stand somewhere in it. */
  runs: 1,
  /** Its texts are too long to be put together here. */
  apart: 2
} as const

/** Texts of a row that are put together are this long at most: each is looked for in the others. */
const maxTexts = 400

const isBlank = (c: number): boolean => c === 32 || c === 9 || c === 0xa0

const grown = (held: Int32Array<ArrayBuffer>, size: number): Int32Array<ArrayBuffer> => {
  const bigger = new Int32Array(size)
  bigger.set(held)
  return bigger
}

/** How the rows of a chunk ended. */
export type ChunkEnd = "whole" | "torn" | "strange"

export class PlainChunk {
  /** Compiled code knows the layout of these objects only while one lives: it stays valid between files. */
  static readonly exemplar = new PlainChunk(new Uint8Array(0), 0, noColumns)

  /** The copy of the bytes. */
  codes = new Uint8Array(0)
  rowCount = 0
  /** Where the rows begin in the file, the lines they begin on, and their flags. */
  rowStarts = new Int32Array(1024)
  lines = new Int32Array(1024)
  marks = new Uint8Array(1024)
  /** From and to of each cell that is read, then of the description and of the original one. */
  bounds = new Int32Array(1024)
  /** Where the first row behind the chunk begins in the file, and on which line. */
  next = 0
  line = 1

  private readonly bytes: Uint8Array
  private readonly kinds = new Uint8Array(256)
  private readonly slots: Int16Array<ArrayBuffer>
  private readonly texts: ReadonlyArray<number>
  private readonly payee: number
  private readonly stride: number

  constructor(bytes: Uint8Array, delimiter: number, columns: PlainColumns) {
    this.bytes = bytes
    this.slots = columns.slots
    this.texts = columns.texts
    this.payee = columns.payeeText
    this.stride = columns.stride
    this.kinds[0] = foreign
    this.kinds[10] = ending
    this.kinds[13] = ending
    this.kinds[32] = blank
    this.kinds[34] = quoting
    // Of two bytes: letters up to U+00FF.
    this.kinds[0xc2] = letter
    this.kinds[0xc3] = letter
    for (let byte = 0xc4; byte < 256; byte++) this.kinds[byte] = foreign
    this.kinds[delimiter] = delimiting
  }

  /** Takes the rows from `next` on, about `size` bytes of them. `torn`: not even one row ended. */
  take(size: number): ChunkEnd {
    const { bytes, next: from } = this
    let to = Math.min(from + size, bytes.length)
    if (to < bytes.length) {
      const cut = bytes.lastIndexOf(10, to - 1)
      to = cut < from ? to : cut + 1
    }
    const length = to - from
    if (this.codes.length < length + 2) this.codes = new Uint8Array(length + 2)
    this.codes.set(bytes.subarray(from, to))
    // The last row of a file may have no end, and a chunk may end within a letter.
    this.codes[length] = 10
    this.codes[length + 1] = 10
    this.rowCount = 0
    return this.scan(from, length, to === bytes.length)
  }

  /** The rows as one string. */
  text(): string {
    return Buffer.from(this.codes.buffer, 0, this.next - this.taken).toString("latin1")
  }

  private taken = 0

  private grow(): void {
    const rows = this.rowStarts.length * 2
    this.rowStarts = grown(this.rowStarts, rows)
    this.lines = grown(this.lines, rows)
    const marks = new Uint8Array(rows)
    marks.set(this.marks)
    this.marks = marks
    this.bounds = grown(this.bounds, rows * this.stride)
  }

  private scan(from: number, length: number, isLast: boolean): ChunkEnd {
    const { codes, kinds, slots, stride } = this
    const delimiter = kinds.indexOf(delimiting)
    // A tab that divides cells is no blank.
    const tab = delimiter === 9 ? 32 : 9
    const width = slots.length
    // An end that the file lacks.
    const limit = isLast ? length + 1 : length
    if (this.bounds.length < this.rowStarts.length * stride)
      this.bounds = new Int32Array(this.rowStarts.length * stride)
    this.taken = from
    let { line } = this
    let at = 0
    while (at < length) {
      const rowStart = at
      const rowLine = line
      if (this.rowCount === this.rowStarts.length) this.grow()
      const { bounds } = this
      const first = this.rowCount * stride
      let mark = 0
      let column = 0
      let isEmpty = false
      for (;;) {
        let c = codes[at]!
        let start = at
        let end: number
        let isWide = false
        if (c === 34) {
          start = ++at
          let isDoubled = false
          let hasEnd = false
          while (at < length) {
            c = codes[at]!
            const kind = kinds[c]!
            if (kind === ordinary || kind === delimiting) at++
            else if (kind === blank) {
              if (codes[at + 1] === 32) mark |= flags.runs
              at++
            } else if (kind === quoting) {
              if (codes[at + 1] !== 34 || at + 1 >= length) {
                hasEnd = true
                break
              }
              isDoubled = true
              at += 2
            } else if (kind === letter) {
              isWide = true
              at += 2
            } else if (kind === ending) {
              if (c === 10 || codes[at + 1] !== 10) line++
              at++
            } else return "strange"
          }
          if (!hasEnd || at + 1 >= limit) {
            // The row goes on behind the chunk.
            if (isLast) return "strange"
            return this.end(from + rowStart, rowLine)
          }
          end = at++
          c = codes[at]!
          if (c !== delimiter && c !== 10 && c !== 13) return "strange"
          if (isDoubled) end = this.undouble(start, end)
        } else {
          // A quote behind blanks or an equal sign is one, too.
          if (c === 32 || c === 9 || c === 61 || c === 0xc2) {
            let behind = at
            while (codes[behind] === 32 || codes[behind] === tab) behind++
            if (codes[behind] === 0xc2 && codes[behind + 1] === 0xa0) return "strange"
            if (codes[behind] === 34 || (codes[behind] === 61 && codes[behind + 1] === 34)) return "strange"
          }
          for (;;) {
            let kind = kinds[c]!
            while (kind === ordinary) kind = kinds[(c = codes[++at]!)]!
            if (kind === delimiting || kind === ending) break
            if (kind === blank) {
              if (codes[at + 1] === 32) mark |= flags.runs
            } else if (kind === letter) {
              isWide = true
              at++
            } else if (kind === foreign) return "strange"
            c = codes[++at]!
          }
          if (at >= limit) return isLast ? "strange" : this.end(from + rowStart, rowLine)
          end = at
          if (column === 0 && c !== delimiter && start === end) isEmpty = true
        }
        if (column >= width) return "strange"
        const slot = slots[column]!
        if (slot >= 0) {
          if (isWide) end = this.narrow(start, end)
          while (start < end && isBlank(codes[start]!)) start++
          while (end > start && isBlank(codes[end - 1]!)) end--
          // White space of other kinds counts inside of quotes.
          if (
            start < end &&
            ((codes[start]! <= 13 && codes[start]! >= 10) || (codes[end - 1]! <= 13 && codes[end - 1]! >= 10))
          )
            return "strange"
          bounds[first + slot] = start
          bounds[first + slot + 1] = end
        }
        if (c !== delimiter) break
        column++
        at++
      }
      if (codes[at] === 13) {
        if (codes[at + 1] !== 10 || at + 1 >= length) return "strange"
        at++
      }
      at++
      line++
      if (isEmpty) continue
      if (column !== width - 1) return "strange"
      if (this.texts.length > 0) mark |= this.join(first)
      this.rowStarts[this.rowCount] = from + rowStart
      this.lines[this.rowCount] = rowLine
      this.marks[this.rowCount] = mark
      this.rowCount++
    }
    this.next = from + length
    this.line = line
    return "whole"
  }

  /** The chunk ends before a row that is not whole in it. */
  private end(next: number, line: number): ChunkEnd {
    const isTorn = next === this.next
    this.next = next
    this.line = line
    return isTorn ? "torn" : "whole"
  }

  /** Makes two quotes one, and gives the new end. */
  private undouble(start: number, end: number): number {
    const { codes } = this
    let to = start
    for (let at = start; at < end; at++) {
      const c = codes[at]!
      codes[to++] = c
      if (c === 34) at++
    }
    return to
  }

  /** Makes letters of two bytes one, and gives the new end. */
  private narrow(start: number, end: number): number {
    const { codes } = this
    let to = start
    for (let at = start; at < end; at++) {
      const c = codes[at]!
      codes[to++] = c === 0xc2 || c === 0xc3 ? ((c & 3) << 6) | (codes[++at]! & 63) : c
    }
    return to
  }

  /** Puts the texts of a row together as `joinDistinct` does, in place: columns that follow each other. */
  private join(first: number): number {
    const { bounds, codes, payee, texts } = this
    const target = first + this.stride - 4
    let start = 0
    let end = 0
    const count = texts.length
    const from = payee >= 0 ? payee : texts[0]!
    if (bounds[first + texts[count - 1]! + 1]! - bounds[first + from]! > maxTexts) return flags.apart
    for (let index = 0; index < count; index++) {
      const slot = first + texts[index]!
      const s = bounds[slot]!
      const e = bounds[slot + 1]!
      if (s === e) continue
      if (start === end) {
        start = s
        end = e
        continue
      }
      if (end - start > e - s) {
        if (isPart(codes, start, end, s, e)) continue
      } else if (isPart(codes, s, e, start, end)) {
        start = s
        end = e
        continue
      }
      let to = s - 1
      codes[to] = 32
      if (to === end) {
        end = e
        continue
      }
      while (end > start) codes[--to] = codes[--end]!
      start = to
      end = e
    }
    bounds[target] = start
    bounds[target + 1] = end
    if (payee >= 0) {
      const s = bounds[first + payee]!
      let e = bounds[first + payee + 1]!
      if (start === end) {
        start = s
        end = e
      } else if (s !== e) {
        const isContained = e - s > end - start ? isPart(codes, s, e, start, end) : isPart(codes, start, end, s, e)
        if (isContained) {
          if (e - s > end - start) {
            start = s
            end = e
          }
        } else {
          let to = start - 1
          codes[to] = 32
          if (to === e) start = s
          else {
            bounds[first + payee + 1] = to
            while (e > s) codes[--to] = codes[--e]!
            start = to
            bounds[first + payee] = to
          }
        }
      }
    }
    bounds[target + 2] = start
    bounds[target + 3] = end
    return 0
  }
}
