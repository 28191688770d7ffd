/** The answer of a bank to a request, which stands in an OFX file. */
import type { OfxNotes, OfxPlace } from "./OfxNotes.ts"
import { Tag } from "./OfxTags.ts"
import { ofxText, type TextForm } from "./OfxValues.ts"

/** The STATUS that is being read. One for all of a file. */
export class OfxStatus {
  private readonly notes: OfxNotes
  private code = ""
  private place: OfxPlace = { line: 1, column: 1 }
  private severity = ""
  private message = ""

  constructor(notes: OfxNotes) {
    this.notes = notes
  }

  start(position: number): void {
    this.code = ""
    this.place = this.notes.place(position)
    this.severity = ""
    this.message = ""
  }

  leaf(tag: number, source: string, start: number, end: number, form: TextForm): void {
    if (tag === Tag.CODE) this.code = source.slice(start, end)
    else if (tag === Tag.SEVERITY) this.severity = source.slice(start, end)
    else if (tag === Tag.MESSAGE) this.message = ofxText(source, start, end, form)
  }

  /** An answer that is an error refuses the file. */
  end(): void {
    const failed = this.severity.toUpperCase() === "ERROR" || (this.code !== "" && !/^0+$/.test(this.code))
    if (!failed) return
    const text = this.message === "" ? "" : `: ${this.message.slice(0, 500)}`
    this.notes.failAt(
      this.place,
      `the bank answered with status ${this.code.slice(0, 20)}${text} (get the file from the bank again)`,
      [Tag.STATUS]
    )
  }
}
