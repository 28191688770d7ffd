/** What the reading of a file has to say beside its rows: what was assumed, what was left out, and why. */
import { type RefusedRow, StatementFault } from "@millrace/core/upload"
import { ownText } from "./Wording.ts"

/** Warnings that are named; the others are counted. */
const maxWarnings = 50

/** Where in a file something stands: its line and the place in it, from 1, and the name of the field. */
export interface Place {
  readonly line: number
  readonly column?: number
  readonly element?: string
}

export class ReaderNotes {
  /** The first reason why nothing of the file can be taken. */
  fault: StatementFault | undefined
  readonly refused: Array<RefusedRow> = []
  readonly assumed: Record<string, string> = {}
  private readonly named: Array<string> = []
  private more = 0

  /** About the file as a whole. */
  say(message: string): void {
    if (this.named.length < maxWarnings) this.named.push(ownText(message))
    else this.more++
  }

  warn(line: number, message: string): void {
    this.say(`line ${line}: ${message}`)
  }

  /** A row from which nothing is taken; the others are. */
  refuse(place: Place, message: string): void {
    this.refused.push({ ...place, message: ownText(message) })
  }

  fail(place: Place, message: string): void {
    this.fault ??= new StatementFault({ ...place, message })
  }

  warnings(): ReadonlyArray<string> {
    return this.more === 0 ? this.named : [...this.named, `${this.more} more warnings like these`]
  }
}
