/**
 * Blocks of records for searches: what some hundred rows say, side by side, so that a search which finds little reads
 * blocks in place of rows.
 *
 * A block is kept as it was written: a row that changes is in a later block as well. What is found in blocks is therefore
 * more than what matches, never less, and whoever asks tests every row again.
 */
import type { Fields } from "@millrace/core/record"
import type { RecordFilter } from "@millrace/core/storage"

/** Rows of one block. */
export const blockRows = 256

/** Stands between the rows of a block. */
const rowEnd = "\u001e"
/** Stands around each field, so that a whole field can be searched for. */
const fieldEnd = "\u001f"
const pendingMark = "\u0011"

export interface SearchedRow {
  readonly fields: Fields
  readonly pending: boolean
}

/** A block as it is written, each part as PostgreSQL reads it from text. */
export interface SearchBlock {
  readonly rows: number
  /** Not folded: PostgreSQL does that, as it does with the rows themselves. */
  readonly texts: string
  /** The place where each row begins, from 1. */
  readonly starts: string
  /** Whether places count bytes of UTF-8, which PostgreSQL need not look for. They count characters otherwise. */
  readonly inBytes: boolean
  /** Bits of what stands together in it, in base64; empty where the block is too small for that to help. */
  readonly signature: string
  /** Amounts as the nearest floating numbers, lowest first. */
  readonly amounts: string
  /** The row that has each of the amounts, from 1. */
  readonly amountRows: string
}

/** What PostgreSQL reads as the text of the field. */
const textOf = (value: unknown): string =>
  typeof value === "string" ? value : value === null || value === undefined ? "" : JSON.stringify(value)

/** Written so that no field ends a row: the same is done with what is searched for. */
const inRow = (text: string): string => (text.includes(rowEnd) ? text.replaceAll(rowEnd, fieldEnd) : text)

const rowText = ({ fields, pending }: SearchedRow): string =>
  inRow(
    [
      "",
      textOf(fields["description"]),
      textOf(fields["merchantName"]),
      textOf(fields["category"]),
      textOf(fields["type"]),
      pending ? pendingMark : "",
      ""
    ].join(fieldEnd)
  )

/** Bits in the signature of a block. */
const fewestBits = 64
const mostBits = 8_192
/** Blocks with fewer rows are searched as they are. */
const signedRows = 16

/**
 * Lower case as far as signatures need it: what PostgreSQL takes for the same comes out the same. Here a dotted capital I
 * would become two letters, and a sigma at the end of a word another one.
 */
const plain = (text: string): string => text.replaceAll("\u0130", "i").toLowerCase().replaceAll("\u03c2", "\u03c3")

/**
 * A number below 1,024 for a character of which all versions of Unicode know the same lower case: ASCII, Latin, Greek,
 * Cyrillic, and what East Asia writes. `-1` for all others.
 */
const classOf = (code: number): number => {
  if (code < 0x80) return code
  if (code < 0xc0) return -1
  if (code < 0x180) return 128 + code - 0xc0
  if (code < 0x370) return -1
  if (code < 0x530) return 320 + code - 0x370
  return code >= 0x3040 && code <= 0x9fff ? 768 + (code & 0xff) : -1
}

const multiplier = 0x9e3779b1
const hashOf = (gram: number): number => Math.imul(gram, multiplier) >>> 16
const twoLetters = 0x40000000

/**
 * Calls back with a number below 65,536 for each two and each three characters in a row, and with their classes. For what is
 * looked for, `sparse`, two are told only where there are no three.
 */
export const eachGram = (text: string, sparse: boolean, found: (gram: number, classes: number) => void): void => {
  const folded = plain(text)
  let gram = 0
  let length = 0
  for (let at = 0; at <= folded.length; at++) {
    const kind = at === folded.length ? -1 : classOf(folded.charCodeAt(at))
    // Nothing is found across rows, nor across characters that nobody is sure of.
    if (kind < 0 || kind === 0x1e) {
      if (sparse && length === 2) found(hashOf(twoLetters | (gram & 0xfffff)), gram & 0xfffff)
      length = 0
      continue
    }
    gram = ((gram << 10) | kind) & 0x3fffffff
    length++
    if (length >= 2 && !sparse) found(hashOf(twoLetters | (gram & 0xfffff)), gram & 0xfffff)
    if (length >= 3) found(hashOf(gram), gram)
  }
}

const seen = new Uint8Array(65_536)

const signatureOf = (text: string): string => {
  const grams: Array<number> = []
  eachGram(text, false, (gram) => {
    if (seen[gram] === 1) return
    seen[gram] = 1
    grams.push(gram)
  })
  let bits = fewestBits
  while (bits < mostBits && bits < 2 * grams.length) bits *= 2
  const signature = Buffer.alloc(bits / 8)
  for (const gram of grams) {
    seen[gram] = 0
    const bit = gram & (bits - 1)
    signature[bit >> 3]! |= 1 << (bit & 7)
  }
  return signature.toString("base64")
}

/**
 * Whether each character, and what lower case makes of it, take as many bytes in all versions of Unicode. Where that is not known,
 * bytes here are not those that PostgreSQL will have.
 */
const keepsLength = (code: number): boolean =>
  code < 0x180
    ? code !== 0x130
    : code < 0x370
      ? false
      : code < 0x530 ||
        (code >= 0x2010 && code < 0x2070) ||
        (code >= 0x20a0 && code < 0x20d0) ||
        (code >= 0x3000 && code < 0xa000) ||
        (code >= 0xac00 && code < 0xd7a4)

/** Emoji and other signs: the first half of each, which no letter begins with. */
const beginsSign = (code: number): boolean => code >= 0xd83c && code <= 0xd83e

const isSecondHalf = (code: number): boolean => (code & 0xfc00) === 0xdc00

/** Bytes as PostgreSQL has them, or nothing where that is not known. */
export const bytesOf = (text: string): number | undefined => {
  let bytes = text.length
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 0x80) continue
    if (beginsSign(code) && isSecondHalf(text.charCodeAt(at + 1))) {
      at++
      bytes += 2
    } else if (keepsLength(code)) bytes += code < 0x800 ? 1 : 2
    else return undefined
  }
  return bytes
}

/** Characters as PostgreSQL counts them. */
const lengthOf = (text: string): number => {
  let length = text.length
  for (let at = 0; at < text.length; at++) if (isSecondHalf(text.charCodeAt(at))) length--
  return length
}

const largest = 3.4028234663852886e38

/** The nearest floating number of four bytes, in the order of the amounts. */
export const nearest = (amount: string): number => Math.min(largest, Math.max(-largest, Math.fround(Number(amount))))

const arrayText = (values: ReadonlyArray<number | string>): string => `{${values.join(",")}}`

/** Amounts of so few characters, with so few behind the point, are read as the same floating number at once or by way of a longer one. */
const shortAmount = /^-?\d{1,9}(?:\.\d{1,6})?$/

/** The number as text: as the amount has it, or all digits of it, which are more. */
const realText = (amount: string, value: number): string =>
  amount.length <= 12 && shortAmount.test(amount) ? amount : String(value)

/** Where each text begins, and the separator before it. */
const startsOf = (texts: ReadonlyArray<string>, measure: (text: string) => number | undefined) => {
  const starts: Array<number> = []
  let start = 1
  for (const text of texts) {
    const length = measure(text)
    if (length === undefined) return undefined
    starts.push(start)
    start += length + 1
  }
  return starts
}

const blockOf = (rows: ReadonlyArray<SearchedRow>): SearchBlock => {
  const each = rows.map(rowText)
  const texts = each.join(rowEnd)
  const inBytes = startsOf(each, bytesOf)
  const found = new Float64Array(rows.length)
  const having: Array<number> = []
  for (let at = 0; at < rows.length; at++) {
    const amount = rows[at]!.fields["amount"]
    if (typeof amount !== "string") continue
    found[at] = nearest(amount)
    having.push(at)
  }
  having.sort((a, b) => found[a]! - found[b]!)
  return {
    rows: rows.length,
    texts,
    starts: arrayText(inBytes ?? startsOf(each, lengthOf)!),
    inBytes: inBytes !== undefined,
    signature: rows.length < signedRows ? "" : signatureOf(texts),
    amounts: arrayText(having.map((at) => realText(rows[at]!.fields["amount"] as string, found[at]!))),
    amountRows: arrayText(having.map((at) => at + 1))
  }
}

/** The rows in blocks, in their order. */
export const blocksOf = (rows: ReadonlyArray<SearchedRow>): ReadonlyArray<SearchBlock> => {
  const blocks: Array<SearchBlock> = []
  for (let at = 0; at < rows.length; at += blockRows) blocks.push(blockOf(rows.slice(at, at + blockRows)))
  return blocks
}

/** What a filter asks of blocks. */
export interface BlockSearch {
  /** Texts that are all in the row, not folded; by the first one rows are found. */
  readonly needles: ReadonlyArray<string>
  /** Grams that are all in the block, the rarest first. */
  readonly grams: ReadonlyArray<number>
  /** Nearest floating numbers between which the amount is, both ends included. */
  readonly amounts: { readonly least: number; readonly most: number } | undefined
}

/** The rarest few: more of them hardly narrow a search. */
const mostGrams = 8

/** Characters of bank texts, those that are seen most first; all others are rarer. */
const byFrequency = "\u001f eatrnosilcdmuphgbfyvkwjxzq"
const rankOf = new Uint8Array(1_024).fill(byFrequency.length)
for (const [rank, letter] of Array.from(byFrequency).entries()) rankOf[classOf(letter.charCodeAt(0))] = rank

/** The higher, the fewer blocks may have it. */
const rarity = (classes: number): number =>
  rankOf[classes & 1_023]! + rankOf[(classes >> 10) & 1_023]! + rankOf[(classes >> 20) & 1_023]!

/** Each block is asked for one after the other until it lacks one, so what it may lack comes first. */
const rarestOf = (needles: ReadonlyArray<string>): ReadonlyArray<number> => {
  const found = new Map<number, number>()
  for (const needle of needles) eachGram(needle, true, (gram, classes) => found.set(gram, rarity(classes)))
  const all = [...found].toSorted(([, a], [, b]) => b - a)
  return all.slice(0, mostGrams).map(([gram]) => gram)
}

const whole = (field: string): string => `${fieldEnd}${field}${fieldEnd}`

/** `undefined` where blocks tell nothing about what the filter asks. */
export const searchOf = (filter: RecordFilter): BlockSearch | undefined => {
  const { category, maxAmount, minAmount, pending, state = "live", text, type } = filter
  // The others are few, and have an index of their own.
  if (state !== "live") return undefined
  const needles = [
    ...(text === undefined || text === "" ? [] : [text]),
    ...(category === undefined ? [] : [whole(category)]),
    ...(type === undefined ? [] : [whole(type)]),
    ...(pending === true ? [whole(pendingMark)] : [])
  ].map(inRow)
  const amounts =
    minAmount === undefined && maxAmount === undefined
      ? undefined
      : {
          least: minAmount === undefined ? -Infinity : nearest(minAmount),
          most: maxAmount === undefined ? Infinity : nearest(maxAmount)
        }
  if (needles.length === 0 && amounts === undefined) return undefined
  return { needles, grams: rarestOf(needles), amounts }
}
