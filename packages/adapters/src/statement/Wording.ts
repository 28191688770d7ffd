/** How the texts of a row are put together, for every statement format. */

const doubleSpace = /\s{2,}/g

/** Trimmed text with runs of blanks collapsed. */
export const tidy = (text: string): string => (text.includes("  ") ? text.replace(doubleSpace, " ").trim() : text)

/** Both texts with a blank between, or the longer one when it contains the other. */
export const joinDistinct = (a: string, b: string): string => {
  if (a === "") return b
  if (b === "" || a === b) return a
  const contained = a.length > b.length ? a.includes(b) : b.includes(a)
  return contained ? (a.length > b.length ? a : b) : `${a} ${b}`
}

/** A cheque number or reference; a bank that has none often writes zeros. */
export const meaningful = (reference: string): string =>
  reference === "" || (reference.charCodeAt(0) <= 48 && /^[0\s-]*$/.test(reference)) ? "" : reference
