/**
 * The lines of a file, decoded piece by piece: the memory that is needed does not grow with the file. Lines end with
 * LF, CRLF, or with a bare CR where no LF stands in the first megabyte.
 */
import { Buffer, isUtf8 } from "node:buffer"
import { bareUtf16, guessEncoding } from "./EncodingGuess.ts"
import { TextPieces } from "./TextPieces.ts"

/** Longer lines belong to no format of lines that banks write. */
const maxLine = 1_048_576

export interface FileEncoding {
  /** A label of the Encoding standard. */
  readonly encoding: string
  /** Told by the letters that it gives, and by nothing else. */
  readonly guessed: boolean
}

/** The encoding of a file that names none: by its byte order mark, by its content, else by its letters. */
export const fileEncoding = (bytes: Uint8Array, given: string | undefined): FileEncoding => {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return { encoding: "utf-8", guessed: false }
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { encoding: "utf-16le", guessed: false }
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { encoding: "utf-16be", guessed: false }
  if (given !== undefined) return { encoding: given, guessed: false }
  const bare = bareUtf16(bytes)
  if (bare !== undefined) return { encoding: bare, guessed: true }
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return isUtf8(buffer) ? { encoding: "utf-8", guessed: false } : { encoding: guessEncoding(bytes), guessed: true }
}

export class LineSource {
  /** Number of the line that `next` gave last, from 1. */
  line = 0
  /** Set when a line is longer than any format has. */
  isTooLong = false

  private readonly pieces: TextPieces
  private terminator: "\n" | "\r" | undefined
  private text = ""
  private at = 0

  /** The bytes of a file in parts of any size, which are asked for one by one. */
  constructor(parts: Iterable<Uint8Array>, encoding: string) {
    this.pieces = new TextPieces(parts, encoding)
  }

  /** The next line without its end; `undefined` behind the last one, and behind one that is too long. */
  next(): string | undefined {
    const terminator = (this.terminator ??= this.findTerminator())
    let from = this.at
    let end = this.text.indexOf(terminator, from)
    while (end < 0) {
      const rest = Math.max(this.text.length - from, 0)
      const piece = rest > maxLine ? undefined : this.pieces.next()
      if (piece === undefined) {
        if (rest === 0) return undefined
        end = this.text.length
        break
      }
      this.text = rest === 0 ? piece : this.text.slice(from) + piece
      from = 0
      this.at = 0
      end = this.text.indexOf(terminator, rest)
    }
    this.at = end + 1
    this.line++
    if (end - from > maxLine) {
      this.isTooLong = true
      return undefined
    }
    const last = end > from && terminator === "\n" && this.text.charCodeAt(end - 1) === 13 ? end - 1 : end
    return this.text.slice(from, last)
  }

  /** No more parts are asked for: the source closes what they come from. */
  close(): void {
    this.pieces.close()
  }

  private findTerminator(): "\n" | "\r" {
    let at = this.text.indexOf("\n")
    while (at < 0 && this.text.length <= maxLine) {
      const piece = this.pieces.next()
      if (piece === undefined) break
      const from = this.text.length
      this.text += piece
      at = this.text.indexOf("\n", from)
    }
    return at >= 0 && at <= maxLine ? "\n" : "\r"
  }
}
