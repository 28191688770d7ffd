/**
 * The rows of nearly all files: known leaves alone, each of them once, with values that nothing stands in. They are scanned
 * without telling anybody of each element; every other row is left to `OfxScanner`, from its beginning.
 */
import type { CalendarDate } from "@millrace/core"
import { isSpace } from "./AmountText.ts"
import { type CharacterCodes, isPart } from "./CharacterCodes.ts"
import { findTag, nameCodes, nextHash, Tag, tagNames } from "./OfxTags.ts"
import { ofxDate, ofxText, TextForm } from "./OfxValues.ts"
import { maxElement } from "./StatementLimits.ts"
import { TextLines } from "./TextLines.ts"
import { joinDistinct, tidy } from "./Wording.ts"

/** Leaves of a plain row; each has a place. */
const leaves: ReadonlyArray<number> = [
  Tag.TRNTYPE,
  Tag.DTPOSTED,
  Tag.DTUSER,
  Tag.TRNAMT,
  Tag.FITID,
  Tag.CHECKNUM,
  Tag.REFNUM,
  Tag.NAME,
  Tag.MEMO
]

const places = new Int8Array(tagNames.length).fill(-1)
for (const [place, tag] of leaves.entries()) places[tag] = place

// "/STMTTRN>"
const rowEnd = Uint8Array.from("/STMTTRN>", (character) => character.charCodeAt(0))

const isLetter = (c: number): boolean => (c >= 65 && c <= 90) || (c >= 97 && c <= 122)

/** Texts that are looked for in each other here are this long at most together. */
const maxTexts = 400

/** The row that was scanned last. */
export class OfxPlainRow {
  /** Compiled code knows the layout of these objects only while one lives: it stays valid between files. */
  static readonly exemplar = new OfxPlainRow(TextLines.exemplar)

  text: string
  /** Name of its last leaf. */
  leafFrom = 0
  leafTo = 0
  codes: CharacterCodes
  private readonly starts = new Int32Array(leaves.length)
  private readonly ends = new Int32Array(leaves.length)
  private readonly forms = new Uint8Array(leaves.length)
  /** A bit for each leaf that has a value. */
  private seen = 0
  private lastDay: CalendarDate.CalendarDate | undefined
  private lastStart = 0
  private lastEnd = 0

  // Line ends in the row, and where the line behind the last of them begins.
  private lineCount = 0
  private lastLine = 0
  private hasRuns = false
  private lines: TextLines

  constructor(lines: TextLines) {
    this.text = lines.text
    this.codes = lines.codes
    this.lines = lines
  }

  /** The file goes on in another text. */
  renew(lines: TextLines): void {
    this.text = lines.text
    this.codes = lines.codes
    this.lines = lines
    this.lastStart = 0
    this.lastEnd = 0
  }

  /** Counts the lines of the row, whose own line was asked for last. */
  passLines(): void {
    this.lines.skip(this.lineCount, this.lastLine)
  }

  /** A text with runs of blanks collapsed. */
  tidied(tag: number, text: string): string {
    return this.hasRuns || this.forms[places[tag]!] !== TextForm.plain ? tidy(text) : text
  }

  /** As `joinDistinct`, of the texts of two leaves. */
  joined(tag: number, a: string, other: number, b: string): string {
    if (a === "" || b === "") return a === "" ? b : a
    const [place, behind] = [places[tag]!, places[other]!]
    const isPlain = this.forms[place] === TextForm.plain && this.forms[behind] === TextForm.plain
    if (!isPlain || a.length + b.length > maxTexts) return joinDistinct(a, b)
    const { codes, ends, starts } = this
    const isLonger = a.length > b.length
    const [long, short] = isLonger ? [place, behind] : [behind, place]
    const isContained = isPart(codes, starts[long]!, ends[long]!, starts[short]!, ends[short]!)
    return isContained ? (isLonger ? a : b) : `${a} ${b}`
  }

  has(tag: number): boolean {
    return (this.seen & (1 << places[tag]!)) !== 0
  }

  start(tag: number): number {
    return this.starts[places[tag]!]!
  }

  end(tag: number): number {
    return this.ends[places[tag]!]!
  }

  /** The day of a leaf: rows of one day follow each other. */
  day(tag: number): CalendarDate.CalendarDate | undefined {
    const place = places[tag]!
    const start = this.starts[place]!
    const end = this.ends[place]!
    const { codes, lastEnd, lastStart } = this
    let offset = end - start === lastEnd - lastStart ? end - start - 1 : -2
    while (offset >= 0 && codes[start + offset] === codes[lastStart + offset]) offset--
    if (offset === -1) return this.lastDay
    this.lastStart = start
    this.lastEnd = end
    this.lastDay = ofxDate(this.text, start, end)
    return this.lastDay
  }

  /** The text of a leaf, `""` where there is none. */
  value(tag: number): string {
    const place = places[tag]!
    return (this.seen & (1 << place)) === 0
      ? ""
      : ofxText(this.text, this.starts[place]!, this.ends[place]!, this.forms[place]! as TextForm)
  }

  /** Position behind the end of the row whose first tag is behind `from`; -1 where it is none of this kind. */
  scan(from: number): number {
    const { codes } = this
    const { length } = this.text
    let at = from
    this.seen = 0
    this.lineCount = 0
    this.hasRuns = false
    const { terminator } = this.lines
    while (true) {
      let c = codes[at]!
      while (c === 10 || c === 13 || c === 32 || c === 9) {
        if (c === terminator) this.countLine(at)
        c = codes[++at]!
      }
      if (c !== 60 || at >= length) return -1
      if (codes[at + 1] === 47) return this.seen !== 0 && this.isAt(at + 1) ? at + 1 + rowEnd.length : -1
      const nameFrom = ++at
      let hash = 0
      c = codes[at]!
      while (c < 128) {
        const code = nameCodes[c]!
        if (code === 0) break
        hash = nextHash(hash, code)
        c = codes[++at]!
      }
      if (c !== 62) return -1
      const nameTo = at
      const place = places[findTag(hash, nameTo - nameFrom)]!
      if (place < 0) return -1
      let start = ++at
      let special = length
      c = codes[at]!
      while (c !== 60 && at < length) {
        if (c < 39) {
          if (c < 32) {
            if (c === terminator) this.countLine(at)
            if (special === length) special = at
          } else if (c === 32) {
            if (codes[at + 1] === 32) this.hasRuns = true
          } else if (c === 38 && special === length) special = at
        } else if (c === 0xa0 && special === length) special = at
        c = codes[++at]!
      }
      if (at >= length || at - nameFrom >= maxElement) return -1
      let stop = at
      while (start < stop && isSpace(codes[start]!)) start++
      while (stop > start && isSpace(codes[stop - 1]!)) stop--
      const follow = codes[at + 1]!
      // In XML each leaf has its own end.
      if (follow === 47 && !this.isAt(at + 1)) {
        const size = nameTo - nameFrom
        for (let offset = 0; offset < size; offset++) if (codes[at + 2 + offset] !== codes[nameFrom + offset]) return -1
        if (codes[at + 2 + size] !== 62) return -1
        at += size + 3
      } else if (follow !== 47 && !isLetter(follow)) return -1
      this.leafFrom = nameFrom
      this.leafTo = nameTo
      if (start === stop) continue
      const bit = 1 << place
      if ((this.seen & bit) !== 0) return -1
      this.seen |= bit
      this.starts[place] = start
      this.ends[place] = stop
      this.forms[place] = special < stop ? TextForm.written : TextForm.plain
    }
  }

  private countLine(at: number): void {
    this.lineCount++
    this.lastLine = at + 1
  }

  private isAt(at: number): boolean {
    const { codes } = this
    for (let offset = 0; offset < rowEnd.length; offset++) if (codes[at + offset] !== rowEnd[offset]) return false
    return true
  }
}
