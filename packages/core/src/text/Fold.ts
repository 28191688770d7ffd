/** How text is compared in conditions (enrichments E2). */

const space = /\s+/gu

/** Lower case of the upper case, code point by code point: no context and no locale can change the result. */
const foldCase = (text: string): string => {
  let folded = ""
  for (const point of text) {
    // The capital sharp s is its own upper case, although its lower case has another one: SS.
    if (point === "ẞ") folded += "ss"
    else for (const upper of point.toUpperCase()) folded += upper.toLowerCase()
  }
  return folded
}

/** Below it no letter changes when text is composed, and none depends on its neighbours when its case changes. */
const firstMark = 0x300

const isBelowMarks = (text: string): boolean => {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) >= firstMark) return false
  return true
}

/** Same as the general form, letter by letter; folding can bring marks with it, as that of a dotted capital I does. */
const foldLatin = (text: string): string => {
  const folded = text.toUpperCase().toLowerCase()
  return (isBelowMarks(folded) ? folded : folded.normalize("NFC")).replace(space, " ")
}

/**
 * Text that is equal for spellings that differ in case, Unicode composition or the amount of white space
 * between words. Accents stay significant. Idempotent.
 */
export const fold = (text: string): string => {
  let upper = false
  let spaces = false
  let previousSpace = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code > 127)
      return isBelowMarks(text) ? foldLatin(text) : foldCase(text.normalize("NFC")).normalize("NFC").replace(space, " ")
    if (code === 32) {
      if (previousSpace) spaces = true
      previousSpace = true
    } else if (code >= 9 && code <= 13) {
      spaces = true
      previousSpace = true
    } else {
      previousSpace = false
      if (code >= 65 && code <= 90) upper = true
    }
  }
  const collapsed = spaces ? text.replace(space, " ") : text
  return upper ? collapsed.toLowerCase() : collapsed
}

const upperAscii = /[A-Z]+/g

/**
 * The folded text where it is another than the text with its ASCII letters in lower case, which anyone who keeps it can
 * work out himself.
 */
export const foldBeyondAscii = (text: string): string | undefined => {
  if (isPlainAscii(text)) return undefined
  const folded = fold(text)
  return folded === text.replace(upperAscii, (letters) => letters.toLowerCase()) ? undefined : folded
}

/** ASCII alone, with single blanks and no other white space. */
const isPlainAscii = (text: string): boolean => {
  let before = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code > 127 || (code >= 9 && code <= 13) || (code === 32 && before === 32)) return false
    before = code
  }
  return true
}

/** Whether there is nothing in it but white space. */
export const isBlank = (text: string): boolean => {
  if (text === "") return true
  const first = text.charCodeAt(0)
  return first > 32 && first < 127 ? false : text.trim() === ""
}
