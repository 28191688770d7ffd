/**
 * Blocks of records for searches: what some hundred rows say, side by side, so that a search which finds little reads
 * blocks in place of rows.
 *
 * A block is kept as it was written: a row that changes is in a later block as well. What is found in blocks is therefore
 * more than what matches, never less, and whoever asks tests every row again.
 */
import type { Fields } from "@millrace/core/record"
import type { RecordFilter } from "@millrace/core/storage"
import { clearCells, groupSizes, markCell, markedCells } from "./SearchGroup.ts"

/** Rows of one block. Half as many make twice as many blocks to look at, twice as many are twice as much to read of each. */
export const blockRows = 128

/** Stands between the rows of a block. */
const rowEnd = "\u001e"
const separator = 0x1e
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
  readonly texts: string
  /** The place where each row begins, from 1. */
  readonly starts: string
  /**
   * Whether the texts are in lower case, as PostgreSQL would make it, and places count bytes of UTF-8, which it need not look
   * for. It makes lower case of the others, as it does of the rows themselves, and their places count characters.
   */
  readonly isFolded: boolean
  /** Whether its group says what stands together in it. */
  readonly isGrouped: boolean
  /** Bits of what stands together in it, in base64; empty where it is in a group, or too small for that to help. */
  readonly signature: string
  /** Amounts as the nearest floating numbers, lowest first. */
  readonly amounts: string
  /** The row that has each of the amounts, from 1. */
  readonly amountRows: string
}

/** Several blocks of those that are written together, as PostgreSQL reads it from text. */
export interface SearchGroup {
  /** How many rows there are up to the end of each of its blocks. */
  readonly ends: string
  /** Bits of what stands together in each of them, in base64. */
  readonly signature: string
  /** The lowest and the highest amount in them; empty where there is none. */
  readonly least: string
  readonly most: string
}

export interface SearchBlocks {
  readonly blocks: ReadonlyArray<SearchBlock>
  readonly groups: ReadonlyArray<SearchGroup>
}

/** What PostgreSQL reads as the text of the field. */
const textOf = (value: unknown): string =>
  typeof value === "string" ? value : value === null || value === undefined ? "" : JSON.stringify(value)

/** Written so that no field ends a row: the same is done with what is searched for. */
const inRow = (text: string): string => (text.includes(rowEnd) ? text.replaceAll(rowEnd, fieldEnd) : text)

const rowText = ({ fields, pending }: SearchedRow): string => {
  const what = `${fieldEnd}${textOf(fields["description"])}${fieldEnd}${textOf(fields["merchantName"])}`
  const kind = `${fieldEnd}${textOf(fields["category"])}${fieldEnd}${textOf(fields["type"])}`
  return inRow(`${what}${kind}${fieldEnd}${pending ? pendingMark : ""}${fieldEnd}`)
}

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

/** Calls back with a number below 65,536 for each two and each three characters in a row, and with their classes. */
export const eachGram = (text: string, found: (gram: number, classes: number) => void): void => {
  const folded = plain(text)
  let gram = 0
  let length = 0
  for (let at = 0; at <= folded.length; at++) {
    const kind = at === folded.length ? -1 : classOf(folded.charCodeAt(at))
    // Nothing is found across rows, nor across characters that nobody is sure of.
    if (kind < 0 || kind === separator) {
      length = 0
      continue
    }
    gram = ((gram << 10) | kind) & 0x3fffffff
    length++
    if (length >= 2) found(hashOf(twoLetters | (gram & 0xfffff)), gram & 0xfffff)
    if (length >= 3) found(hashOf(gram), gram)
  }
}

/** The bits of a block while its signature is made, as many as it may have. */
const marks = new Uint8Array(mostBits / 8)

/** The bit of the block in its group; 0 where it is in none. */
let groupBit = 0

const mark = (gram: number): void => {
  if (groupBit === 0) marks[(gram >> 3) & (marks.length - 1)]! |= 1 << (gram & 7)
  else markCell(gram, groupBit)
}

const onesIn = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll("0", "").length)

/** What is marked, in base64, in as few bits as twice the grams need: the bit of a gram is its number up to there. */
const marked = (): string => {
  let ones = 0
  for (let at = 0; at < marks.length; at++) ones += onesIn[marks[at]!]!
  // Of grams that share a bit only one is seen.
  const grams = ones === mostBits ? mostBits : -mostBits * Math.log1p(-ones / mostBits)
  let bytes = fewestBits / 8
  while (bytes < marks.length && bytes * 8 < 2 * grams) bytes *= 2
  for (let half = marks.length / 2; half >= bytes; half /= 2) {
    for (let at = 0; at < half; at++) marks[at]! |= marks[half + at]!
  }
  return Buffer.from(marks.buffer, 0, bytes).toString("base64")
}

/** The signature of a block that is in no group, given its texts. */
export const signatureOf = (text: string): string => {
  groupBit = 0
  marks.fill(0)
  eachGram(text, mark)
  return marked()
}

/** What a group says of blocks, given the texts of each. */
export const groupSignatureOf = (texts: ReadonlyArray<string>): string => {
  clearCells()
  for (const [at, text] of texts.entries()) eachGram(text, (gram) => markCell(gram, 1 << at))
  return markedCells()
}

/** Whether all versions of Unicode know the same lower case of a character, and it takes as many bytes. */
const isKnown = (code: number): boolean =>
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
const bytesOfSign = 4

const isSecondHalf = (code: number): boolean => (code & 0xfc00) === 0xdc00

/** No capital letter that is known follows. */
const capitalsEnd = 0x530

const noClass = 0x7ff

/**
 * Of each of 65,536 characters, in one number, as each is asked for all of it: its bytes, 0 where it is not known, then the class
 * of its lower case, then that.
 */
const characters = (() => {
  const all = new Uint32Array(0x1_0000)
  for (let code = 0; code < all.length; code++) {
    const bytes = beginsSign(code) ? bytesOfSign : isKnown(code) ? (code < 0x80 ? 1 : code < 0x800 ? 2 : 3) : 0
    const low = code < capitalsEnd && isKnown(code) ? String.fromCharCode(code).toLowerCase().charCodeAt(0) : code
    const kind = code === separator ? -1 : classOf(plain(String.fromCharCode(low)).charCodeAt(0))
    all[code] = ((low << 16) | ((kind & noClass) << 3) | bytes) >>> 0
  }
  return all
})()

/** The characters of the text that is being folded, and what becomes of those that are one byte in Latin 1. */
let room = Buffer.alloc(2 * 0x1_0000)
let narrow = Buffer.alloc(0x1_0000)

interface Folded {
  /** As PostgreSQL makes it. */
  readonly text: string
  /** Where rows begin, in bytes, from 1. */
  readonly starts: ReadonlyArray<number>
}

/** The text in lower case, with its grams marked; or nothing where it has characters that PostgreSQL may know otherwise. */
export const folded = (text: string): Folded | undefined => {
  const { length } = text
  if (narrow.length < length) [room, narrow] = [Buffer.alloc(4 * length), Buffer.alloc(2 * length)]
  room.write(text, "utf16le")
  const codes = new Uint16Array(room.buffer, room.byteOffset, length)
  const starts = [1]
  marks.fill(0)
  let place = 1
  let gram = 0
  let before = 0
  let all = 0
  for (let at = 0; at < length; at++) {
    const code = codes[at]!
    const character = characters[code]!
    const size = character & 7
    if (size === 0) return undefined
    all |= code
    place += size
    if (size === bytesOfSign) {
      if (!isSecondHalf(codes[++at] ?? 0)) return undefined
      before = 0
      continue
    }
    const low = character >>> 16
    codes[at] = low
    narrow[at] = low
    const kind = (character >>> 3) & noClass
    if (kind === noClass) {
      if (code === separator) starts.push(place)
      before = 0
      continue
    }
    gram = ((gram << 10) | kind) & 0x3fffffff
    if (++before < 2) continue
    mark(hashOf(twoLetters | (gram & 0xfffff)))
    if (before > 2) mark(hashOf(gram))
  }
  // One byte for each character is joined and sent in half the time.
  return { text: all < 0x100 ? narrow.toString("latin1", 0, length) : room.toString("utf16le", 0, 2 * length), starts }
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

const digits = Buffer.alloc(16 * blockRows)

/** Whole numbers that are not negative, as an array of PostgreSQL. */
const arrayOf = (values: ReadonlyArray<number>): string => {
  let end = 0
  digits[end++] = 0x7b
  for (let n = 0; n < values.length; n++) {
    if (n > 0) digits[end++] = 0x2c
    let rest = values[n]!
    let length = 1
    for (let more = rest; more >= 10; more = Math.floor(more / 10)) length++
    for (let at = end + length - 1; at >= end; at--) {
      const tenth = Math.floor(rest / 10)
      digits[at] = 0x30 + rest - 10 * tenth
      rest = tenth
    }
    end += length
  }
  digits[end++] = 0x7d
  return digits.toString("latin1", 0, end)
}

/** Amounts of so few characters, with so few behind the point, are read as the same floating number at once or by way of a longer one. */
const shortAmount = /^-?\d{1,9}(?:\.\d{1,6})?$/

/** The number as text: as the amount has it, or all digits of it, which are more. */
const realText = (amount: string): string =>
  amount.length <= 12 && shortAmount.test(amount) ? amount : String(nearest(amount))

/** Where rows begin, in characters. */
const startsOf = (texts: ReadonlyArray<string>): ReadonlyArray<number> => {
  const starts: Array<number> = []
  let start = 1
  for (const text of texts) {
    starts.push(start)
    start += lengthOf(text) + 1
  }
  return starts
}

const asFloat = new Float32Array(1)
const asBits = new Int32Array(asFloat.buffer)

/** A whole number for the nearest floating number of an amount, in the order of the amounts. */
const orderOf = (amount: string): number => {
  asFloat[0] = nearest(amount)
  const bits = asBits[0]!
  return bits < 0 ? -(bits & 0x7fff_ffff) : bits
}

/** Numbers of the rows that have an amount, the lowest first. They are sorted as numbers: asking for each two takes five times as long. */
const byAmount = (rows: ReadonlyArray<SearchedRow>): ReadonlyArray<number> => {
  const keys = new Float64Array(rows.length)
  let length = 0
  for (let at = 0; at < rows.length; at++) {
    const amount = rows[at]!.fields["amount"]
    if (typeof amount === "string") keys[length++] = orderOf(amount) * blockRows + at
  }
  return Array.from(keys.subarray(0, length).toSorted(), (key) => key - Math.floor(key / blockRows) * blockRows)
}

/** `bit`: that of the block in its group, 0 where it is in none. */
const blockOf = (rows: ReadonlyArray<SearchedRow>, bit: number): SearchBlock => {
  groupBit = bit
  const each = rows.map(rowText)
  const texts = each.join(rowEnd)
  const known = folded(texts)
  if (bit > 0 && known === undefined) eachGram(texts, mark)
  const isSigned = bit === 0 && rows.length >= signedRows
  const having = byAmount(rows)
  return {
    rows: rows.length,
    texts: known?.text ?? texts,
    starts: arrayOf(known?.starts ?? startsOf(each)),
    isFolded: known !== undefined,
    isGrouped: bit > 0,
    signature: isSigned ? (known === undefined ? signatureOf(texts) : marked()) : "",
    amounts: `{${having.map((at) => realText(rows[at]!.fields["amount"] as string)).join(",")}}`,
    amountRows: arrayOf(having.map((at) => at + 1))
  }
}

/** The lowest and the highest amount of a block as it is written, where it has any. */
const endsOf = ({ amounts }: SearchBlock): ReadonlyArray<number> =>
  amounts === "{}"
    ? []
    : [nearest(amounts.slice(1, -1).split(",", 1)[0]!), nearest(amounts.slice(amounts.lastIndexOf(",") + 1 || 1, -1))]

/** Rows of a group of so many blocks, of which the first one begins at a place. */
const groupOf = (
  rows: ReadonlyArray<SearchedRow>,
  from: number,
  size: number
): { readonly blocks: ReadonlyArray<SearchBlock>; readonly group: SearchGroup } => {
  clearCells()
  const blocks: Array<SearchBlock> = []
  const ends: Array<number> = []
  for (let n = 0; n < size; n++) {
    const own = rows.slice(from + n * blockRows, from + (n + 1) * blockRows)
    blocks.push(blockOf(own, 1 << n))
    ends.push(from + n * blockRows + own.length)
  }
  const amounts = blocks.flatMap(endsOf)
  const group = {
    ends: arrayOf(ends),
    signature: markedCells(),
    least: amounts.length === 0 ? "" : String(Math.min(...amounts)),
    most: amounts.length === 0 ? "" : String(Math.max(...amounts))
  }
  return { blocks, group }
}

/** The rows in blocks, in their order. */
export const blocksOf = (rows: ReadonlyArray<SearchedRow>): SearchBlocks => {
  const blocks: Array<SearchBlock> = []
  const groups: Array<SearchGroup> = []
  let from = 0
  for (const size of groupSizes(Math.ceil(rows.length / blockRows))) {
    const made = groupOf(rows, from, size)
    blocks.push(...made.blocks)
    groups.push(made.group)
    from += size * blockRows
  }
  for (; from < rows.length; from += blockRows) blocks.push(blockOf(rows.slice(from, from + blockRows), 0))
  return { blocks, groups }
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
const mostGrams = 12

/** Characters of bank texts, those that are seen most first; all others are rarer. */
const byFrequency = "\u001f eatrnosilcdmuphgbfyvkwjxzq"
const rankOf = new Uint8Array(1_024).fill(byFrequency.length)
for (const [rank, letter] of Array.from(byFrequency).entries()) rankOf[classOf(letter.charCodeAt(0))] = rank
// Where there is no third one.
rankOf[0] = 0

/** The higher, the fewer blocks may have it. */
const rarity = (classes: number): number =>
  rankOf[classes & 1_023]! + rankOf[(classes >> 10) & 1_023]! + rankOf[(classes >> 20) & 1_023]!

/** A block that is in no group is asked for one after the other until it lacks one, so what it may lack comes first. */
const rarestOf = (needles: ReadonlyArray<string>): ReadonlyArray<number> => {
  const found = new Map<number, number>()
  for (const needle of needles) eachGram(needle, (gram, classes) => found.set(gram, rarity(classes)))
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
