/** The characters of a text as an array of numbers. */
import { Buffer } from "node:buffer"
import { isStringOneByteRepresentation } from "node:v8"

/** A byte each where all of them fit in one. */
export type CharacterCodes = Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer>

const isWide = /[\u0100-\uffff]/

/**
 * UTF-16 codes of the characters, read much faster than out of a string. Every index of `text` is the same
 * index here; a line feed stands behind the last character.
 */
export const characterCodes = (text: string): CharacterCodes => {
  // Asking for the form of the string costs nothing; one of two bytes may hold small characters alone.
  const wide = !isStringOneByteRepresentation(text) && isWide.test(text)
  const codes = wide ? new Uint16Array(text.length + 2) : new Uint8Array(text.length + 2)
  Buffer.from(codes.buffer).write(text, wide ? "utf16le" : "latin1")
  codes[text.length] = 10
  return codes
}
