/** End tags of elements that the reader does not know: they tell aggregates from leaves. */
import type { CharacterCodes } from "./CharacterCodes.ts"
import { findTag, nameCodes, nextHash } from "./OfxTags.ts"

/** Names of unknown elements that are looked up; a longer one counts as that of an empty leaf. */
const maxNameLength = 64

/** Names of end tags that are kept: files have some dozens. */
const maxPlaces = 10_000

/** The file is looked through once, as far as is needed. */
export class OfxEndTags {
  private readonly text: string
  private readonly codes: CharacterCodes
  // Where the last end tag of each unknown name stands, of those before `upTo`.
  private readonly places = new Map<string, number>()
  private upTo = 0

  constructor(text: string, codes: CharacterCodes) {
    this.text = text
    this.codes = codes
  }

  /** Whether an end tag of this name, which stands in the text, follows behind it. */
  follows(nameFrom: number, nameTo: number): boolean {
    if (nameTo - nameFrom > maxNameLength) return false
    const { codes, text } = this
    const name = text.slice(nameFrom, nameTo).toUpperCase()
    if ((this.places.get(name) ?? -1) > nameTo) return true
    const { length } = text
    let at = Math.max(this.upTo, nameTo)
    let found = false
    while (!found) {
      while (at < length && codes[at] !== 60) at++
      if (at >= length) break
      if (codes[at + 1] !== 47) {
        at++
        continue
      }
      const from = at + 2
      let to = from
      let hash = 0
      let code = 0
      while (to - from <= maxNameLength && (code = nameCodes[codes[to]!]!) > 0) {
        hash = nextHash(hash, code)
        to++
      }
      if (findTag(hash, to - from) === 0) {
        const closed = text.slice(from, to).toUpperCase()
        if (this.places.size < maxPlaces || this.places.has(closed)) this.places.set(closed, at)
        found = closed === name
      }
      at = to
    }
    this.upTo = at
    return found
  }
}
