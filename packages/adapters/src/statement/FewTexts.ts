/** Texts of which a file has few, many times: the same string for the same letters, found without making another one. */
import type { CharacterCodes } from "./CharacterCodes.ts"
import { ownText } from "./Wording.ts"

const size = 256

export class FewTexts {
  private readonly held: Array<string> = Array.from({ length: size }, () => "")

  /** The text between `start` and `end`; `codes` are those of its characters. */
  of(source: string, codes: CharacterCodes, start: number, end: number): string {
    let hash = 0
    for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + codes[at]!) | 0
    const place = (hash ^ (hash >>> 8)) & (size - 1)
    const held = this.held[place]!
    if (held.length === end - start) {
      let offset = 0
      while (offset < held.length && held.charCodeAt(offset) === codes[start + offset]) offset++
      if (offset === held.length) return held
    }
    // A text of its own: these are kept longer than what they stand in.
    const text = ownText(source.slice(start, end))
    this.held[place] = text
    return text
  }
}
