/** End tags of elements that the reader does not know: they tell aggregates from leaves. */
import type { CharacterCodes } from "./CharacterCodes.ts"
import { findTag, nameCodes, nextHash } from "./OfxTags.ts"
import { ownText } from "./Wording.ts"

/** Names of unknown elements that are looked up; a longer one counts as that of an empty leaf. */
const maxNameLength = 64

/** Names of end tags that are kept: files have some dozens. */
const maxPlaces = 10_000

/** A file is looked through once: as far as is needed where it is held as a whole, else from end to end before it is read. */
export class OfxEndTags {
  // Where in the file the last end tag of each unknown name stands, as far as was looked.
  private readonly places = new Map<string, number>()

  /** Whether an end tag of the name stands behind a place in the file, as far as was looked. */
  isBehind(name: string, place: number): boolean {
    return (this.places.get(name) ?? -1) > place
  }

  /**
   * Looks on through a text, up to the next end tag of `wanted` where one is wanted. Gives the position up to which it
   * looked: that of an end tag which the text ends in, where it goes on behind it.
   */
  look(text: string, codes: CharacterCodes, from: number, base: number, isLast: boolean, wanted?: string): number {
    const { length } = text
    let at = from
    while (true) {
      while (at < length && codes[at] !== 60) at++
      if (at >= length) return length
      if (at + 1 >= length && !isLast) return at
      if (codes[at + 1] !== 47) {
        at++
        continue
      }
      const nameFrom = at + 2
      let to = nameFrom
      let hash = 0
      let code = 0
      while (to - nameFrom <= maxNameLength && (code = nameCodes[codes[to]!]!) > 0) {
        hash = nextHash(hash, code)
        to++
      }
      if (to >= length && !isLast) return at
      const place = at
      at = to
      if (findTag(hash, to - nameFrom) !== 0) continue
      const closed = ownText(text.slice(nameFrom, to).toUpperCase())
      if (this.places.size >= maxPlaces && !this.places.has(closed)) continue
      this.places.set(closed, base + place)
      if (closed === wanted) return at
    }
  }
}

/** Whether unknown elements of a file end somewhere. */
export interface OfxEnds {
  /** Whether an end tag of the name, in capitals, follows behind a place in the file. */
  readonly follows: (name: string, place: number) => boolean
}

/** Of a file that is held as a whole. */
export class OfxWholeEnds implements OfxEnds {
  private readonly text: string
  private readonly codes: CharacterCodes
  private readonly tags = new OfxEndTags()
  private upTo = 0

  constructor(text: string, codes: CharacterCodes) {
    this.text = text
    this.codes = codes
  }

  follows(name: string, place: number): boolean {
    if (name.length > maxNameLength) return false
    while (!this.tags.isBehind(name, place)) {
      if (this.upTo >= this.text.length) return false
      this.upTo = this.tags.look(this.text, this.codes, this.upTo, 0, true, name)
    }
    return true
  }
}

/** Of a file that was looked through before. */
export class OfxSeenEnds implements OfxEnds {
  private readonly tags: OfxEndTags

  constructor(tags: OfxEndTags) {
    this.tags = tags
  }

  follows(name: string, place: number): boolean {
    return name.length <= maxNameLength && this.tags.isBehind(name, place)
  }
}
