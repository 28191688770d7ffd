/**
 * The lines of a file, decoded piece by piece: the memory that is needed does not grow with the file. Lines end with
 * LF, CRLF, or with a bare CR where the file has no LF.
 */
import { Buffer, isAscii, isUtf8 } from "node:buffer"
import { bareUtf16, guessEncoding } from "./EncodingGuess.ts"

const pieceLength = 262_144

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

  private readonly bytes: Uint8Array
  private readonly encoding: string
  private readonly decoder: InstanceType<typeof TextDecoder>
  private readonly terminator: "\n" | "\r"
  private readonly code: number
  private position = 0
  private text = ""
  private at = 0

  constructor(bytes: Uint8Array, encoding: string) {
    this.bytes = bytes
    this.encoding = encoding
    this.decoder = new TextDecoder(encoding)
    this.terminator = bytes.includes(10) ? "\n" : "\r"
    this.code = this.terminator.charCodeAt(0)
  }

  /** The next line without its end; `undefined` behind the last one, and behind one that is too long. */
  next(): string | undefined {
    let from = this.at
    let end = this.text.indexOf(this.terminator, from)
    while (end < 0) {
      const rest = this.text.length - from
      if (rest > maxLine) {
        this.isTooLong = true
        this.line++
        return undefined
      }
      const piece = this.piece()
      if (piece === undefined) {
        if (rest <= 0) return undefined
        end = this.text.length
        break
      }
      this.text = rest <= 0 ? piece : this.text.slice(from) + piece
      from = 0
      this.at = 0
      end = this.text.indexOf(this.terminator, Math.max(rest, 0))
    }
    this.at = end + 1
    this.line++
    const last = end > from && this.terminator === "\n" && this.text.charCodeAt(end - 1) === 13 ? end - 1 : end
    return this.text.slice(from, last)
  }

  private piece(): string | undefined {
    const { bytes } = this
    const from = this.position
    if (from >= bytes.length) return undefined
    let to = Math.min(from + pieceLength, bytes.length)
    if (this.encoding !== "utf-8") {
      this.position = to
      return this.decoder.decode(bytes.subarray(from, to), { stream: to < bytes.length })
    }
    // Whole lines where there are any, so that no character is torn.
    if (to < bytes.length) {
      const cut = bytes.lastIndexOf(this.code, to - 1)
      if (cut >= from) to = cut + 1
      else while (to > from + 1 && (bytes[to]! & 0xc0) === 0x80) to--
    }
    this.position = to
    const part = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from)
    if (isAscii(part)) return part.toString("latin1")
    const text = part.toString("utf8")
    return from === 0 && text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  }
}
