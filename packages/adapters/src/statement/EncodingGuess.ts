/**
 * The encoding of a text that names none: the one in which its letters are words of one language, and its signs stand where
 * such signs stand. Each reading of the bytes gets the logarithm of its likelihood; windows-1252 needs no proof.
 */
import { type EncodingLanguage, languages, type WideEncoding, wideEncodings } from "./EncodingLanguages.ts"
import { decoderOf } from "./TextDecoders.ts"

/** High bytes that are looked at, each with what is next to it. */
export const maxSample = 4_000
const beside = 3

/** Every byte beyond ASCII of the beginning, with three bytes around it. */
const sampleOf = (bytes: Uint8Array): Uint8Array => {
  const sample = new Uint8Array(maxSample * (beside * 2 + 2))
  let length = 0
  let found = 0
  let last = -1
  for (let at = 0; at < bytes.length && found < maxSample; at++) {
    if (bytes[at]! < 0x80) continue
    found++
    const from = Math.max(last + 1, at - beside)
    if (from > last + 1) sample[length++] = 32
    const to = Math.min(bytes.length - 1, at + beside)
    for (let each = from; each <= to; each++) sample[length++] = bytes[each]!
    last = Math.max(last, to)
    // What stands behind the byte is in the sample: high bytes of it count as well.
    while (at + 1 <= to && found < maxSample) if (bytes[++at]! >= 0x80) found++
  }
  return sample.subarray(0, length)
}

const isLatin = /\p{Script=Latin}/u
const isLetter = /\p{L}/u
const isUpper = /\p{Lu}/u
const isLower = /\p{Ll}/u
const isDigit = /\d/

/** Of a letter that the language does not have. */
const strange = -8
/** Of a character that is in no text. */
const impossible = -14

/** How likely a sign is between the characters beside it, whatever the language. */
const signScore = (sign: string, before: string, after: string, wide: readonly [string, string]): number => {
  const inWord = isLetter.test(before) && isLetter.test(after)
  switch (sign) {
    case "€":
    case "£":
    case "¥":
      return isLetter.test(before) || isLetter.test(after) ? -10 : isDigit.test(before + after) ? -1.5 : -3
    case "’":
      // Behind one letter (d’or, O’Neil), before a vowel (dell’arte), or before the end of a word (Joe’s)
      return inWord &&
        ((!isLetter.test(wide[0]) && isLatin.test(before)) || /[aeiouh]/i.test(after) || !isLetter.test(wide[1]))
        ? -1.5
        : inWord
          ? -7
          : -3
    case "\u00a0":
      return isDigit.test(before) || isDigit.test(after) ? -1.5 : inWord ? -7 : -3
    case "–":
    case "—":
      return inWord ? -7 : isLetter.test(before) !== isLetter.test(after) ? -5 : -2.5
    case "“":
    case "„":
    case "‘":
    case "«":
      return isLetter.test(before) ? -6 : -3
    case "”":
    case "»":
    case "…":
    case "®":
    case "™":
    case "°":
    case "º":
    case "ª":
      return isLetter.test(after) ? -9 : -3
    case "©":
      return isLetter.test(before) || isLetter.test(after) ? -9 : -3
    case "§":
    case "·":
    case "•":
    case "№":
      return inWord ? -6 : -3
    default: {
      const code = sign.charCodeAt(0)
      return code < 0xa0 || code === 0xfffd || (code >= 0x2500 && code < 0x2600) || (code >= 0xe000 && code < 0xf900)
        ? impossible
        : isLetter.test(before) || isLetter.test(after)
          ? -10
          : -7
    }
  }
}

/** How likely the letters around a letter are: words begin with capitals or have none, and mix no scripts. */
const placeScore = (letter: string, before: string, after: string): number => {
  const hasBefore = isLetter.test(before)
  const hasAfter = isLetter.test(after)
  let score = 0
  if (isUpper.test(letter)) {
    if (isLower.test(before) || (isUpper.test(before) && isLower.test(after))) score -= 5
    else if (!isUpper.test(before) && !isUpper.test(after)) score -= 1
  } else if (isUpper.test(after)) score -= 4
  if (!hasBefore && !hasAfter) score -= isDigit.test(before) || isDigit.test(after) ? 6 : 2
  if (!isLatin.test(letter)) {
    // A Latin letter beside one of another script
    if (/[A-Za-z]/.test(before) || /[A-Za-z]/.test(after)) score -= 6
    return score
  }
  // Latin words are mostly of ASCII letters.
  if (hasBefore && before > "\u007f") score -= 2.5
  return score
}

/** How often a letter follows another one, and how often one follows it, beside what chance would give. */
const smoothing = 4
const chance = 1 / 20

/** How likely letters beyond ASCII are in a language, by themselves and beside others. */
class LetterModel {
  private readonly shares: ReadonlyMap<string, number>
  private readonly counts = new Map<string, number>()

  constructor({ letters, words }: EncodingLanguage) {
    const weights = [...letters].map((letter, rank) => [letter, 1 / (rank + 1.5)] as const)
    const all = weights.reduce((sum, [, weight]) => sum + weight, 0)
    this.shares = new Map(weights.map(([letter, weight]) => [letter, Math.log(weight / all)]))
    const text = ` ${words} `
    for (let at = 1; at < text.length - 1; at++) {
      const letter = text[at]!
      if (letter.charCodeAt(0) < 0x80) continue
      for (const key of [letter, text[at - 1]! + letter, `${letter}>${text[at + 1]!}`]) {
        this.counts.set(key, (this.counts.get(key) ?? 0) + 1)
      }
    }
  }

  /** Of a small letter, and what stands before it and behind it, small too; a blank where that is no letter. */
  score(letter: string, before: string, after: string): number {
    const share = this.shares.get(letter)
    if (share === undefined) return strange
    const all = (this.counts.get(letter) ?? 0) + smoothing
    const lift = (count: number) => Math.log((count + smoothing * chance) / all / chance)
    const both = lift(this.counts.get(before + letter) ?? 0) + lift(this.counts.get(`${letter}>${after}`) ?? 0)
    return share + (isLatin.test(letter) ? 0.8 : 0.25) * both
  }
}

const models: ReadonlyArray<LetterModel> = languages.map((language) => new LetterModel(language))

/** A reading of the bytes: how likely its letters and signs stand where they do, and its letters with their neighbours. */
interface ReadText {
  readonly score: number
  readonly letters: ReadonlyMap<string, number>
}

const small = (character: string): string => (isLetter.test(character) ? character.toLowerCase() : " ")

const lookAt = (text: string): ReadText => {
  let score = 0
  const letters = new Map<string, number>()
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!
    if (character.charCodeAt(0) < 0x80) continue
    const [before, after] = [text[at - 1] ?? " ", text[at + 1] ?? " "]
    if (!isLetter.test(character)) {
      // The letter that begins a line of QIF belongs to no word.
      const far = text[at - 3] === "\n" ? " " : (text[at - 2] ?? " ")
      score += signScore(character, before, after, [far, text[at + 2] ?? " "])
      continue
    }
    score += placeScore(character, before, after)
    const key = small(before)[0]! + small(character)[0]! + small(after)[0]!
    letters.set(key, (letters.get(key) ?? 0) + 1)
  }
  return { score, letters }
}

const frequentOf = ({ frequent: [from, to, trail], table }: WideEncoding): ReadonlySet<string> => {
  const bytes: Array<number> = []
  for (let lead = from; lead <= to; lead++) {
    for (let second = trail; second < 0xff; second++) if (second !== 0x7f) bytes.push(lead, second, 10)
  }
  return new Set(decoderOf(table).decode(Uint8Array.from(bytes)))
}

/** The characters in use of each wide encoding, found when the first file asks for them. */
const frequents = new Map<string, ReadonlySet<string>>()

const scoreWide = (text: string, encoding: WideEncoding): number => {
  const frequent = frequents.get(encoding.table) ?? frequentOf(encoding)
  frequents.set(encoding.table, frequent)
  const { syllables } = encoding
  let score = 0
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!
    if (character.charCodeAt(0) < 0x80) continue
    for (const near of [text[at - 1], text[at + 1]]) if (near !== undefined && /[A-Za-z]/.test(near)) score -= 3
    if (syllables?.[0].test(character) === true) score -= Math.log(syllables[1])
    else if (/[\uff66-\uff9f]/.test(character)) score -= encoding.table === "shift_jis" ? 4.5 : 9
    else if (/[\u4e00-\u9fff]/.test(character)) score -= frequent.has(character) ? 6.8 : 11
    else if (/[\uac00-\ud7a3]/.test(character)) score -= encoding.table === "euc-kr" ? 8 : 11
    else if (/[\u3000-\u301f\uff01-\uff65]/.test(character)) score -= 4
    else score += signScore(character, " ", " ", [" ", " "]) - 3
  }
  return score
}

/** The likeliest encoding; windows-1252 where nothing supports another. */
export const guessEncoding = (bytes: Uint8Array): string => {
  const sample = sampleOf(bytes)
  let best = "windows-1252"
  let bestScore = Number.NEGATIVE_INFINITY
  const consider = (table: string, score: number): void => {
    const own = score + (table === "windows-1252" ? 1 : 0)
    if (own <= bestScore) return
    best = table
    bestScore = own
  }
  const texts = new Map<string, ReadText>()
  for (const [index, language] of languages.entries()) {
    for (const [rank, table] of language.tables.entries()) {
      const text = texts.get(table) ?? lookAt(decoderOf(table).decode(sample))
      texts.set(table, text)
      let score = text.score + (language.prior ?? 0) - rank * 0.7
      for (const [key, count] of text.letters) score += count * models[index]!.score(key[1]!, key[0]!, key[2]!)
      consider(table, score)
    }
  }
  for (const encoding of wideEncodings) {
    consider(encoding.table, scoreWide(decoderOf(encoding.table).decode(sample), encoding) + (encoding.prior ?? 0))
  }
  return best
}

/** UTF-16 without a mark: every other byte of a text in Latin letters is zero. */
export const bareUtf16 = (bytes: Uint8Array): "utf-16le" | "utf-16be" | undefined => {
  const length = Math.min(bytes.length, 2_000)
  if (length < 16) return undefined
  let even = 0
  let odd = 0
  for (let at = 0; at < length; at++) {
    if (bytes[at] !== 0) continue
    if (at % 2 === 0) even++
    else odd++
  }
  if (odd > length * 0.4 && even === 0) return "utf-16le"
  return even > length * 0.4 && odd === 0 ? "utf-16be" : undefined
}
