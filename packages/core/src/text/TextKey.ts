/** What is left of the text of a transaction when everything that changes from one showing to the next is taken away. */
import { asciiWords } from "./AsciiWords.ts"
import { remembered } from "./Remembered.ts"
import { fold } from "./Fold.ts"
import { processorPrefixAt } from "./ProcessorPrefixes.ts"
import { trailingLocationWords } from "./TrailingLocations.ts"

/** Code units that are read; what is behind them adds nothing to who was paid. */
const longest = 4_096

export interface TextReading {
  /** Words that name the other side, folded, without marks, parted by one space. */
  readonly textKey: string
  /** The card processor or wallet in front of it; `""` without one. */
  readonly processor: string
}

/** Nothing is to be composed or taken apart in it. */
const ascii = /^[\0-\x7f]*$/
const marks = /\p{M}+/gu
const separators = /[^\p{L}\p{N}&']+/gu
const numericDate = /(?<![\p{L}\p{N}])(\d{1,4})([./-])(\d{1,2})(?:\2(\d{1,4}))?(?![\p{L}\p{N}])/gu
const clock = /(?<![\p{L}\p{N}])\d{1,2}:\d{2}(?::\d{2})?(?![\p{L}\p{N}])/gu
/** A masked number stands in one piece, whatever masks it. */
const masked = /(?<![\p{L}\p{N}])[x*#•]{2,20}[ -]?\d{2,6}(?![\p{L}\p{N}])/gu

/** What a date, and a masked number, cannot be without: most texts have neither. */
const dateParts = /\d[./-]\d/
const masks = /[x*#•]{2}/

const monthNames = "jan|feb|mar|apr|may|mai|jun|jul|aug|sep|sept|oct|okt|nov|dec|dez"
const months: ReadonlySet<string> = new Set(monthNames.split("|"))
const dayWithMonth = new RegExp(`^\\d{1,2}(?:${monthNames})(?:\\d{2}|\\d{4})?$`)
const shortNumber = /^\d{1,2}$/
const digits = /^\p{N}+$/u
const number = /\p{N}/gu

/** Digits from which a number with separators is one for telephones. */
const phoneDigits = 7

/** How many digits a word has, in whatever script. */
const digitsIn = (word: string): number => {
  let count = 0
  for (let at = 0; at < word.length; at++) {
    const code = word.charCodeAt(at)
    if (code > 127) return word.match(number)?.length ?? 0
    if (code >= 48 && code <= 57) count++
  }
  return count
}

const isDayAndMonth = (a: number, b: number): boolean => a >= 1 && b >= 1 && a <= 31 && b <= 31 && (a <= 12 || b <= 12)

const withoutDates = (text: string): string =>
  text.replace(numericDate, (all, first: string, _: string, second: string, third: string | undefined) => {
    const parts = first.length > 2 ? [second, third ?? ""] : [first, second]
    return parts[1] !== "" && isDayAndMonth(Number(parts[0]), Number(parts[1])) ? " " : all
  })

/** Words that say what the code behind them is. */
const labels: ReadonlySet<string> = new Set(
  (
    "ref reference refno auth authcode authorisation authorization card carte karte tarjeta carta no nr nro num number " +
    "id txn tx trx trn trans trace term terminal tid mid seq invoice inv order kundennr mandat mandate mref eref cref rrn stan"
  ).split(" ")
)

/** Codes of authorisations and references: long numbers, or letters among digits. */
const isCode = (word: string, count = digitsIn(word)): boolean => count >= 4 || (count === 3 && count < word.length)

const withoutCodes = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const kept: Array<string> = []
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!
    const count = digitsIn(word)
    if (count === 0) {
      if (months.has(word) && shortNumber.test(words[i + 1] ?? "")) i++
      else kept.push(word)
      continue
    }
    if (isCode(word, count)) {
      while (labels.has(kept.at(-1) ?? "")) kept.pop()
      continue
    }
    if (dayWithMonth.test(word)) continue
    if (shortNumber.test(word) && months.has(words[i + 1] ?? "")) {
      i++
      continue
    }
    if (digits.test(word)) {
      let end = i
      let size = 0
      while (end < words.length && digits.test(words[end]!)) size += words[end++]!.length
      if (size >= phoneDigits) {
        i = end - 1
        continue
      }
    }
    kept.push(word)
  }
  return kept
}

/**
 * Reads a text (enrichments A12). Linear in its length, and the same on every machine; any text will do, also one
 * that is not well-formed. Nothing is kept: for anyone who keeps what follows from it.
 */
export const readingOf = (text: string): TextReading => {
  const bounded = (text.length > longest ? text.slice(0, longest) : text).toWellFormed()
  const plain = ascii.test(bounded)
    ? fold(bounded)
    : fold(bounded.normalize("NFKC")).normalize("NFD").replace(marks, "").normalize("NFC")
  const undated = dateParts.test(plain) ? withoutDates(plain) : plain
  const untimed = undated.includes(":") ? undated.replace(clock, " ") : undated
  const bare = masks.test(untimed) ? untimed.replace(masked, " ") : untimed
  const words =
    asciiWords(bare, true) ??
    bare
      .replace(separators, " ")
      .split(" ")
      .filter((word) => word !== "")
  let from = 0
  let processor = ""
  for (;;) {
    const phrase = processorPrefixAt(words, from)
    if (phrase === undefined) {
      // A code between two phrases hides the second one.
      if (from < words.length && isCode(words[from]!)) {
        from++
        continue
      }
      break
    }
    if (phrase.kind === "processor" && processor === "") processor = words.slice(from, from + phrase.words).join(" ")
    from += phrase.words
  }
  const kept = withoutCodes(words.slice(from))
  const named = kept.slice(0, kept.length - trailingLocationWords(kept))
  return { textKey: named.length === 0 ? processor : named.join(" "), processor }
}

/** The same, as it is kept of texts that were read last. */
export const readText = remembered(readingOf)

/** The words of a text that name the other side; `""` when there are none. */
export const textKey = (text: string): string => readText(text).textKey

const companyForms: ReadonlySet<string> = new Set(
  (
    "ltd limited inc incorporated llc llp lp corp corporation co company plc gmbh ag kg ohg ug mbh eg ev se sa sas sarl eurl " +
    "srl spa snc sl slu sau bv nv vof cv pty pte oy oyj ab as asa aps hf ehf kft zrt bt doo dd sro spol zoo ooo oao lda ltda"
  ).split(" ")
)

const merchantWords = 4

/** The first words of a text key without forms of companies: one key for a merchant. `""` names none. */
export const merchantKey = (key: string): string =>
  key
    .split(" ")
    .filter((word) => word !== "" && !companyForms.has(word))
    .slice(0, merchantWords)
    .join(" ")
