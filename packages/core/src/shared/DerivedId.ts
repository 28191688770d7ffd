/** Ids of what follows from other things (enrichments A5). */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

/** SHA-256 of text in hexadecimal, as `Digest` has it. */
export type Sha256 = (text: string) => string

const letter = (bits: number): string => alphabet[bits & 31]!

/** 26 characters of base 32 over the first 130 bits of a hash: the same for the same parts, everywhere. */
export const derivedId = (sha256: Sha256, ...parts: ReadonlyArray<string>): string => {
  const hex = sha256(JSON.stringify(parts))
  let text = ""
  // Five digits are four letters.
  for (let at = 0; at < 30; at += 5) {
    const bits = Number.parseInt(hex.slice(at, at + 5), 16)
    text += letter(bits >> 15) + letter(bits >> 10) + letter(bits >> 5) + letter(bits)
  }
  const last = Number.parseInt(hex.slice(30, 33), 16) >> 2
  return text + letter(last >> 5) + letter(last)
}
