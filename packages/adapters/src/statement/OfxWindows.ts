/** The text of an OFX file that comes in parts, as texts that follow each other: each begins with what is not read of the one before. */
import { characterCodes } from "./CharacterCodes.ts"
import { TextLines } from "./TextLines.ts"
import type { TextPieces } from "./TextPieces.ts"

const leastAdded = 65_536

export class OfxWindows {
  private readonly pieces: TextPieces
  /** Characters of the file without what fills its end, and of those how many were given. */
  private readonly length: number
  private given = 0

  private readonly least: number

  /** `pieces`: the whole text; `length` characters of it count. `least`: characters that are added at least. */
  constructor(pieces: TextPieces, length: number, least = leastAdded) {
    this.least = least
    this.pieces = pieces
    this.length = length
  }

  /** The first of them. `terminator`: code that ends the lines of the file. */
  first(terminator: number): TextLines {
    const text = this.more(this.least)
    return new TextLines(text, characterCodes(text), {
      base: 0,
      line: 1,
      start: 0,
      terminator,
      isLast: this.given >= this.length
    })
  }

  /** What stands from `from` on, with more behind it. What is long is followed by as much: no text is looked at many times. */
  after(lines: TextLines, from: number): TextLines {
    const kept = lines.text.slice(from)
    const text = kept + this.more(Math.max(this.least, kept.length))
    return new TextLines(text, characterCodes(text), lines.placeOf(from, this.given >= this.length))
  }

  private more(least: number): string {
    let added = ""
    while (added.length < least && this.given < this.length) {
      const piece = this.pieces.next()
      if (piece === undefined) break
      const text = this.given + piece.length > this.length ? piece.slice(0, this.length - this.given) : piece
      this.given += text.length
      added += text
    }
    // A file that is shorter now than when it was looked through ends here.
    if (added.length < least) this.given = this.length
    return added
  }
}
