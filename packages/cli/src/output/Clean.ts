/**
 * Text of others on a terminal: bank descriptions can hold sequences that move the cursor, change the title
 * or turn the direction of writing, so none of them gets through.
 */

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const breaks = /[\t\n\r\v\f\x85\u2028\u2029]+/g

/** C0, DEL and C1 controls, and the marks that change the direction of writing. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const unsafe = /[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g

/** One line of text without control characters; line breaks and tabs become spaces. */
export const clean = (text: string): string => text.replace(breaks, " ").replace(unsafe, "").toWellFormed()

/** Several lines, each one clean. */
export const cleanLines = (text: string): string => text.split("\n").map(clean).join("\n")

/** JSON text with those characters escaped: the same value, safe to show. */
export const escapeJson = (json: string): string =>
  json.replace(
    /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )
