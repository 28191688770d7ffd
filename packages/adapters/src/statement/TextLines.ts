/** Line numbers of positions, counted on demand: only rows and faults need one. */
export class TextLines {
  readonly text: string
  // Files of old systems end lines with a bare carriage return.
  private readonly terminator: string
  private position = 0
  private line = 1

  constructor(text: string) {
    this.text = text
    this.terminator = text.includes("\n") ? "\n" : "\r"
  }

  /** Line of `position`, from 1. Cheap for rising positions. */
  at(position: number): number {
    if (position < this.position) {
      this.position = 0
      this.line = 1
    }
    let next = this.text.indexOf(this.terminator, this.position)
    while (next >= 0 && next < position) {
      this.line++
      this.position = next + 1
      next = this.text.indexOf(this.terminator, this.position)
    }
    return this.line
  }
}
