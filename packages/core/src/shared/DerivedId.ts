/** Ids of what follows from other things (enrichments A5). */
const letters = Array.from("0123456789abcdefghjkmnpqrstvwxyz", (letter) => letter.charCodeAt(0))

/** SHA-256 of text in hexadecimal, as `Digest` has it. */
export type Sha256 = (text: string) => string

/** Of the code of a digit of base 16. */
const digitOf = (code: number): number => (code <= 57 ? code - 48 : (code | 32) - 87)

/** The letters of one id, while it is made: put together from parts, a text would be kept as a tree of them. */
const codes = Array.from({ length: 26 }, () => 0)

/** 26 characters of base 32 over the first 130 bits of a hash: the same for the same parts, everywhere. */
export const derivedId = (sha256: Sha256, ...parts: ReadonlyArray<string>): string => {
  const hex = sha256(JSON.stringify(parts))
  let [count, held, bits] = [0, 0, 0]
  for (let at = 0; count < codes.length; at++) {
    held = (held << 4) | digitOf(hex.charCodeAt(at))
    bits += 4
    if (bits < 5) continue
    bits -= 5
    codes[count++] = letters[held >> bits]!
    held &= (1 << bits) - 1
  }
  return String.fromCharCode(...codes)
}
