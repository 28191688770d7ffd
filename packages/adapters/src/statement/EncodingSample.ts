/** What the encoding of a file that comes in parts is guessed by: every byte beyond ASCII of its beginning, with those beside it. */
import { Buffer, isAscii } from "node:buffer"
import { guessEncoding, maxSample } from "./EncodingGuess.ts"

/** Bytes beside one that are kept: one more than are looked at, so that what was left out between is seen. */
const beside = 4

class EncodingSample {
  private readonly kept: Array<number> = []
  private found = 0
  // The bytes before that are not kept yet, and how many of those that follow are.
  private before: Array<number> = []
  private behind = 0

  /** Looks at the next part of the file. */
  add(part: Uint8Array): void {
    if (this.isFull) return
    if (this.behind === 0 && part.length > beside && isAscii(Buffer.from(part.buffer, part.byteOffset, part.length))) {
      this.before = [...part.subarray(part.length - beside)]
      return
    }
    for (let at = 0; at < part.length && !this.isFull; at++) {
      const byte = part[at]!
      if (byte >= 0x80) {
        this.found++
        this.kept.push(...this.before, byte)
        this.before = []
        this.behind = beside
      } else if (this.behind > 0) {
        this.kept.push(byte)
        this.behind--
      } else {
        this.before.push(byte)
        if (this.before.length > beside) this.before.shift()
      }
    }
  }

  /** Nothing that follows is looked at. */
  get isFull(): boolean {
    return this.found > maxSample + 2 * beside
  }

  guess(): string {
    return guessEncoding(Uint8Array.from(this.kept))
  }
}

/** The likeliest encoding of a file that comes in parts; those of its beginning are asked for. */
export const guessEncodingOf = (parts: Iterable<Uint8Array>): string => {
  const sample = new EncodingSample()
  for (const part of parts) {
    if (sample.isFull) break
    sample.add(part)
  }
  return sample.guess()
}
