import { characterCodes, type CharacterCodes } from "./CharacterCodes.ts"

/** Where a text stands in the file that it is a part of. */
export interface TextPlace {
  /** Characters before it. */
  readonly base: number
  /** Its first line, and where that begins: at most 0. */
  readonly line: number
  readonly start: number
  readonly terminator: number
  /** Whether the file ends with it. */
  readonly isLast: boolean
}

/** Line numbers of positions, counted on demand: only rows and faults need one. */
export class TextLines {
  /** Compiled code knows the layout of these objects only while one lives: it stays valid between files. */
  static readonly exemplar = new TextLines("")
  readonly text: string
  /** Character codes of `text`. */
  readonly codes: CharacterCodes
  /** Code that ends a line: files of old systems end them with a bare carriage return. */
  readonly terminator: number
  readonly base: number
  readonly isLast: boolean
  private readonly first: number
  private line: number
  // Where the current line begins, and the line end behind it (the length of the text in the last line).
  private start: number
  private next: number

  /** `codes` as `characterCodes` gives them, where they are known already. Without a place the text is that of a whole file. */
  constructor(text: string, codes: CharacterCodes = characterCodes(text), place?: TextPlace) {
    this.text = text
    this.codes = codes
    this.terminator = place === undefined ? (text.includes("\n") ? 10 : 13) : place.terminator
    this.base = place === undefined ? 0 : place.base
    this.isLast = place === undefined ? true : place.isLast
    this.line = place === undefined ? 1 : place.line
    this.first = place === undefined ? 0 : place.start
    this.start = this.first
    this.next = this.find(0)
  }

  private find(from: number): number {
    const { codes, terminator } = this
    const { length } = this.text
    let at = from
    while (at < length && codes[at] !== terminator) at++
    return at
  }

  /** Line of `position`, from 1. Costs the way from the position that was asked before. */
  at(position: number): number {
    while (position < this.start) {
      this.line--
      this.next = this.start - 1
      const before = this.next === 0 ? -1 : this.text.lastIndexOf(String.fromCharCode(this.terminator), this.next - 1)
      this.start = before < 0 ? this.first : before + 1
    }
    while (this.next < position && this.next < this.text.length) {
      this.line++
      this.start = this.next + 1
      this.next = this.find(this.start)
    }
    return this.line
  }

  /** Where in its line `position` is, from 1. */
  column(position: number): number {
    this.at(position)
    return position - this.start + 1
  }

  /** The place of what begins at `position`: a text that goes on behind this one. */
  placeOf(position: number, isLast: boolean): TextPlace {
    const { base, terminator } = this
    return {
      base: base + position,
      line: this.at(position),
      start: this.start - position,
      terminator,
      isLast
    }
  }
}
