/**
 * The lines of a file, decoded piece by piece: the memory that is needed does not grow with the file. Lines end with
 * LF, CRLF, or with a bare CR where no LF stands in the first megabyte.
 */
import { Buffer, isAscii, isUtf8 } from "node:buffer"
import { bareUtf16, guessEncoding } from "./EncodingGuess.ts"

/** Bytes that are decoded together at most, and characters at least. */
const pieceLength = 65_536
const leastPiece = 4_096

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

/** The text of a file that comes in parts of any size, in pieces of whole characters. */
class TextPieces {
  private readonly parts: Iterator<Uint8Array>
  private readonly isUtf8: boolean
  private readonly decoder: InstanceType<typeof TextDecoder>
  private part: Uint8Array = new Uint8Array(0)
  private position = 0
  private isFirst = true
  // The byte before was ASCII: the decoder waits for nothing.
  private isSettled = true
  private isOver = false

  constructor(parts: Iterable<Uint8Array>, encoding: string) {
    this.parts = parts[Symbol.iterator]()
    this.isUtf8 = encoding === "utf-8"
    // A mark stands at the beginning alone; the decoder is not there from the beginning.
    this.decoder = new TextDecoder(encoding, { ignoreBOM: true })
  }

  /** `undefined` behind the last one. */
  next(): string | undefined {
    let text = ""
    // Small parts are put together, so that a long line is not looked through again for each of them.
    while (text.length < leastPiece && !this.isOver) text += this.decoded()
    if (this.isFirst && text !== "") {
      this.isFirst = false
      if (text.charCodeAt(0) === 0xfeff) text = text.slice(1)
    }
    return text === "" ? undefined : text
  }

  close(): void {
    this.parts.return?.()
  }

  private decoded(): string {
    if (this.position >= this.part.length) {
      const { done, value } = this.parts.next()
      if (done === true) {
        this.isOver = true
        return this.decoder.decode()
      }
      this.part = value
      this.position = 0
    }
    const { part, position } = this
    if (part.length === 0) return ""
    let to = Math.min(position + pieceLength, part.length)
    // Whole lines where there are any, so that no character is torn.
    if (to < part.length) {
      const cut = part.lastIndexOf(10, to - 1)
      if (cut >= position) to = cut + 1
    }
    this.position = to
    const wasSettled = this.isSettled
    this.isSettled = this.isUtf8 && part[to - 1]! < 0x80
    if (!wasSettled || !this.isSettled) return this.decoder.decode(part.subarray(position, to), { stream: true })
    const bytes = Buffer.from(part.buffer, part.byteOffset + position, to - position)
    return isAscii(bytes) ? bytes.toString("latin1") : bytes.toString("utf8")
  }
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

  /** No more parts are asked for: whoever gives them lets go of what they come from. */
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
