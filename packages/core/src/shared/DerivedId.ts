/** Ids of what follows from other things (enrichments A5). */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

/** SHA-256 of text in hexadecimal, as `Digest` has it. */
export type Sha256 = (text: string) => string

/** 26 characters of base 32 over the first 130 bits of a hash: the same for the same parts, everywhere. */
export const derivedId = (sha256: Sha256, ...parts: ReadonlyArray<string>): string => {
  let bits = BigInt(`0x${sha256(JSON.stringify(parts)).slice(0, 34)}`) >> 6n
  let text = ""
  for (let n = 0; n < 26; n++) {
    text = alphabet[Number(bits & 31n)]! + text
    bits >>= 5n
  }
  return text
}
