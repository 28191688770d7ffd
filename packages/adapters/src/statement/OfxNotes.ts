/** What the reading of an OFX file has to say beside its rows: where it was wrong, and what was made of it. */
import { type RefusedRow, StatementFault } from "@millrace/core/upload"
import { tagNames } from "./OfxTags.ts"
import { TextLines } from "./TextLines.ts"
import { ownText } from "./Wording.ts"

/** Warnings that are named; the others are counted. */
const maxWarnings = 50

/** Where in the file something stands: its line and the place in it, from 1. */
export interface OfxPlace {
  readonly line: number
  readonly column: number
}

/** The elements from the outer one to the one that is meant, such as `STMTTRN.DTPOSTED`. */
export const pathOf = (tags: ReadonlyArray<number>): string => tags.map((tag) => tagNames[tag]).join(".")

export class OfxNotes {
  /** Compiled code knows the layout of these objects only while one lives: it stays valid between files. */
  static readonly exemplar = new OfxNotes(TextLines.exemplar)

  /** The first reason why nothing of the file can be taken. */
  fault: StatementFault | undefined
  readonly refused: Array<RefusedRow> = []
  readonly assumed: Record<string, string> = {}

  /** Of the text that is read: positions are positions in it. */
  lines: TextLines
  private readonly named: Array<string> = []
  private more = 0

  constructor(lines: TextLines) {
    this.lines = lines
  }

  line(position: number): number {
    return this.lines.at(position)
  }

  column(position: number): number {
    return this.lines.column(position)
  }

  place(position: number): OfxPlace {
    return { line: this.lines.at(position), column: this.lines.column(position) }
  }

  /** About the file as a whole. */
  say(message: string): void {
    if (this.named.length < maxWarnings) this.named.push(ownText(message))
    else this.more++
  }

  warn(position: number, message: string): void {
    this.warnOf(this.named.length < maxWarnings ? this.lines.at(position) : 0, message)
  }

  warnOf(line: number, message: string): void {
    this.say(`line ${line}: ${message}`)
  }

  /** A row from which nothing is taken; the others are. */
  refuse(place: OfxPlace, message: string, tags: ReadonlyArray<number>): void {
    this.refused.push({ ...place, element: pathOf(tags), message: ownText(message) })
  }

  fail(position: number, message: string, tags: ReadonlyArray<number>): void {
    this.failAt(this.place(position), message, tags)
  }

  failAt(place: OfxPlace, message: string, tags: ReadonlyArray<number>): void {
    const element = pathOf(tags)
    this.fault ??= new StatementFault({ message: `${element}: ${message}`, ...place, element })
  }

  warnings(): ReadonlyArray<string> {
    return this.more === 0 ? this.named : [...this.named, `${this.more} more warnings like these`]
  }
}
