/** How the texts of a row are put together, for every statement format. */
import { Buffer } from "node:buffer"

const doubleSpace = /\s{2,}/g

/** Trimmed text with runs of blanks collapsed. */
export const tidy = (text: string): string => (text.includes("  ") ? text.replace(doubleSpace, " ").trim() : text)

// Looking for one text in another costs the product of their lengths at worst. What people read is shorter.
const maxContained = 500

/** Both texts with a blank between, or the longer one when it contains the other. */
export const joinDistinct = (a: string, b: string): string => {
  if (a === "") return b
  if (b === "" || a === b) return a
  const [long, short] = a.length > b.length ? [a, b] : [b, a]
  return (short.length <= maxContained ? long.includes(short) : long.startsWith(short)) ? long : `${a} ${b}`
}

/** A cheque number or reference; a bank that has none often writes zeros. */
export const meaningful = (reference: string): string =>
  reference === "" || (reference.charCodeAt(0) <= 48 && /^[0\s-]*$/.test(reference)) ? "" : reference

/** A text that stands by itself: a part of a longer one would keep all of that alive. */
export const ownText = (text: string): string => Buffer.from(text, "utf8").toString("utf8")
