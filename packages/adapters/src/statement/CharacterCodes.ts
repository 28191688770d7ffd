/** The characters of a text as an array of numbers. */
import { Buffer } from "node:buffer"

/**
 * UTF-16 codes of the characters, read much faster than out of a string. Every index of `text` is the same
 * index here; a line feed stands behind the last character.
 */
export const characterCodes = (text: string): Uint16Array => {
  const codes = new Uint16Array(text.length + 2)
  Buffer.from(codes.buffer).write(text, "utf16le")
  codes[text.length] = 10
  return codes
}
