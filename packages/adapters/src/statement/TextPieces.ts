/** The text of a file that comes in parts of any size, in pieces of whole characters. */
import { Buffer, isAscii } from "node:buffer"
import { decoderOf, type TextDecoderLike } from "./TextDecoders.ts"

/** Bytes that are decoded together at most, and characters at least. */
const pieceLength = 65_536
const leastPiece = 4_096

export class TextPieces {
  private readonly parts: Iterator<Uint8Array>
  private readonly least: number
  private readonly isUtf8: boolean
  private readonly decoder: TextDecoderLike
  private part: Uint8Array = new Uint8Array(0)
  private position = 0
  private isFirst = true
  // The byte before was ASCII: the decoder waits for nothing.
  private isSettled = true
  private isOver = false

  /** `least`: characters of a piece that is not the last one. */
  constructor(parts: Iterable<Uint8Array>, encoding: string, least = leastPiece) {
    this.least = least
    this.parts = parts[Symbol.iterator]()
    this.isUtf8 = encoding === "utf-8"
    // A mark stands at the beginning alone; the decoder is not there from the beginning.
    this.decoder = decoderOf(encoding, { ignoreBOM: true })
  }

  /** `undefined` behind the last one. */
  next(): string | undefined {
    let text = ""
    // Small parts are put together, so that a long line is not looked through again for each of them.
    while (text.length < this.least && !this.isOver) {
      text += this.decoded()
      if (!this.isFirst || text === "") continue
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
