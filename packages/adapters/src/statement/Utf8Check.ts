/** Whether a file that comes in parts is valid UTF-8, told as it passes. */
import { Buffer, isAscii } from "node:buffer"

export class Utf8Check {
  /** False behind the first part that is none. */
  isValid = true
  /** Whether no byte of them is beyond ASCII. */
  isAscii = true
  private readonly decoder = new TextDecoder("utf-8", { fatal: true })
  // The bytes before ended a character.
  private isSettled = true

  private passes(part: Uint8Array | undefined): boolean {
    const isPlain = part === undefined || isAscii(Buffer.from(part.buffer, part.byteOffset, part.byteLength))
    if (!isPlain) this.isAscii = false
    if (part !== undefined && isPlain && this.isSettled) return true
    try {
      this.decoder.decode(part, { stream: part !== undefined })
      this.isSettled = part === undefined || part.length === 0 ? this.isSettled : part[part.length - 1]! < 0x80
    } catch {
      this.isValid = false
    }
    return this.isValid
  }

  /** The parts, up to the one that is no UTF-8. */
  *watch(parts: Iterable<Uint8Array>): Generator<Uint8Array> {
    for (const part of parts) {
      if (!this.passes(part)) return
      yield part
    }
    this.passes(undefined)
  }
}
