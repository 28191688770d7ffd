/** How many letters differ between one text and many names: what bounds of them say already is not counted. */
import { comparedLetters, editDistance } from "./EditDistance.ts"

/** Texts up to this long are compared a column of the table at a time, as the bits of one number. */
const wordBits = 32
const plainLetters = 128

/** Sets of letters as bits; several letters may share one, which only loosens the bound. */
const bitOf = (code: number): number => 1 << (code % 32)

const lettersOf = (text: string): number => {
  let bits = 0
  for (let at = 0; at < text.length && at < comparedLetters; at++) bits |= bitOf(text.charCodeAt(at))
  return bits
}

const ones = (bits: number): number => {
  const pairs = bits - ((bits >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

export class Distances {
  private readonly names: ReadonlyArray<string>
  private readonly letters: Int32Array
  private readonly lengths: Int32Array
  /** Of the text: the bits of its places that hold each plain letter. */
  private readonly places = new Int32Array(plainLetters)
  private text = ""
  private textLetters = 0
  private isPlain = false

  constructor(names: ReadonlyArray<string>) {
    this.names = names
    this.letters = Int32Array.from(names, lettersOf)
    this.lengths = Int32Array.from(names, ({ length }) => length)
  }

  lengthOf(name: number): number {
    return this.lengths[name]!
  }

  /** The text that is compared from now on. */
  prepare(text: string): void {
    const { places } = this
    for (let at = 0; at < this.text.length; at++) {
      const code = this.text.charCodeAt(at)
      if (code < plainLetters) places[code] = 0
    }
    this.text = text
    this.textLetters = lettersOf(text)
    this.isPlain = text.length > 0 && text.length <= wordBits
    if (!this.isPlain) return
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code < plainLetters) places[code]! |= 1 << at
      else this.isPlain = false
    }
  }

  /** Insertions, deletions and replacements; more than `most` is `most + 1`. */
  upTo(name: number, most: number): number {
    const { text } = this
    if (Math.abs(text.length - this.lengths[name]!) > most) return most + 1
    // A letter that only one of them has costs an edit of its own.
    const letters = this.letters[name]!
    if (ones(letters & ~this.textLetters) > most || ones(this.textLetters & ~letters) > most) return most + 1
    const other = this.names[name]!
    return this.isPlain ? Math.min(this.byColumns(other), most + 1) : editDistance(text, other, most)
  }

  /** Myers' algorithm: each bit says whether the table grows or falls from one place of the text to the next. */
  private byColumns(other: string): number {
    const { places, text } = this
    const last = 1 << (text.length - 1)
    let [grows, falls, distance] = [-1, 0, text.length]
    for (let at = 0; at < other.length; at++) {
      const code = other.charCodeAt(at)
      const equal = code < plainLetters ? places[code]! : 0
      const across = (((equal & grows) + grows) ^ grows) | equal | falls
      let up = falls | ~(across | grows)
      let down = grows & across
      if ((up & last) !== 0) distance++
      else if ((down & last) !== 0) distance--
      up = (up << 1) | 1
      down <<= 1
      const straight = equal | falls
      grows = down | ~(straight | up)
      falls = up & straight
    }
    return distance
  }
}
