/**
 * Comparisons of text with folded literals that fold only where they must (enrichments E2). Each returns what the
 * plain form answers: `fold(text).includes(literal)` and so on. Text of ASCII letters with single blanks, which is
 * nearly all there is, is compared as it stands.
 */
import { fold } from "../text/Fold.ts"

/** Code -> code of the folded letter, for ASCII. */
const folded = new Uint8Array(128)
for (let code = 0; code < 128; code++)
  folded[code] = code >= 65 && code <= 90 ? code + 32 : code >= 9 && code <= 13 ? 32 : code

const blank = 32

const asciiOnly = /^[\0-\x7f]*$/
/**
 * Text that must be folded before it is known what it does not contain. Of the letters below U+0100 only the sharp
 * s becomes ASCII when it is folded; blanks matter only to literals with blanks.
 */
const foldable = /[\xdf\u0100-\uffff]/
const foldableWithBlanks = /[\xa0\xdf\u0100-\uffff]|\s\s|[\t-\r]/

/** The letter in both cases. Not by a flag, under which ranges of other letters mean more than they say. */
const eitherCase = (letter: string): string =>
  /[a-z]/.test(letter)
    ? `[${letter}${letter.toUpperCase()}]`
    : `\\x${letter.charCodeAt(0).toString(16).padStart(2, "0")}`

/** The literal in upper or lower case, unless a mark behind it may make another letter of its last. */
const anyCase = (literal: string): RegExp =>
  new RegExp(`${Array.from(literal, eitherCase).join("")}(?![\\u0300-\\uffff])`)

const undecidedFor = (literal: string): RegExp => (literal.includes(" ") ? foldableWithBlanks : foldable)

/** Same as `(text) => fold(text).includes(literal)`; the literal is folded. */
export const containing = (literal: string): ((text: string) => boolean) => {
  if (literal === "") return () => true
  if (!asciiOnly.test(literal)) return (text) => fold(text).includes(literal)
  const found = anyCase(literal)
  const undecided = undecidedFor(literal)
  return (text) => found.test(text) || (undecided.test(text) && fold(text).includes(literal))
}

/**
 * What `containing` asks of a text, in one: a text that does not meet it does not contain the literal. Most do not, and are gone
 * through once to see that. `undefined` where that is not told so simply.
 */
export const mayContain = (literal: string): RegExp | undefined =>
  literal === "" || !asciiOnly.test(literal)
    ? undefined
    : new RegExp(`${anyCase(literal).source}|${undecidedFor(literal).source}`)

/** -1: not decided here, because something must be folded. */
const equality = (text: string, literal: string): 0 | 1 | -1 => {
  const size = text.length
  let wasBlank = false
  for (let at = 0; at < size; at++) {
    const code = text.charCodeAt(at)
    if (code > 127) return -1
    const letter = folded[code]!
    if (letter === blank) {
      if (wasBlank) return -1
      wasBlank = true
    } else wasBlank = false
    if (at >= literal.length || letter !== literal.charCodeAt(at))
      return at + 1 < size && text.charCodeAt(at + 1) > 127 ? -1 : 0
  }
  return size === literal.length ? 1 : 0
}

/** Same as `fold(text) === literal`; the literal is folded. */
export const equalsFolded = (text: string, literal: string): boolean => {
  if (text === literal) return true
  const decided = equality(text, literal)
  return decided === -1 ? fold(text) === literal : decided === 1
}

/** How many answers are kept; texts that repeat, such as categories, are few. */
const kept = 512

/**
 * Same as `literals.includes(fold(text))`, for several literals. Remembers what it answered, in `known`: use one for each
 * compiled filter.
 */
export const oneOfFolded = (
  literals: ReadonlyArray<string>,
  known = new Map<string, boolean>()
): ((text: string) => boolean) => {
  const set = new Set(literals)
  return (text) => {
    let answer = known.get(text)
    if (answer === undefined) {
      answer = set.has(fold(text))
      // Long texts hardly repeat.
      if (text.length <= 64) {
        if (known.size >= kept) known.clear()
        known.set(text, answer)
      }
    }
    return answer
  }
}

/** Surrogates stand for the highest code points, yet they are not the highest units. */
const rank = (unit: number): number => (unit >= 0xe0_00 ? unit - 0x8_00 : unit >= 0xd8_00 ? unit + 0x20_00 : unit)

/** Order by code points, as PostgreSQL has it with the collation "C". Well-formed text only. */
export const comparePoints = (a: string, b: string): number => {
  const size = Math.min(a.length, b.length)
  for (let at = 0; at < size; at++) {
    const left = a.charCodeAt(at)
    const right = b.charCodeAt(at)
    if (left !== right) return rank(left) - rank(right)
  }
  return a.length - b.length
}
