/**
 * Pages of records as PostgreSQL writes them: `[{"id":"txn_…","date":"2026-03-14","pending":false,"fields":["CPE…","…",0]}, …]`.
 * Where each value stands in it is found without reading any of them. What is not of this form is read as JSON: rows of
 * earlier versions, whose fields have names.
 */
import {
  isOther,
  isText,
  placeSize,
  type FieldValue,
  shownPage,
  type ShownPage,
  type ShownRecord,
  type WrittenPage,
  type WrittenRecord
} from "@millrace/core/record"
import { fieldsOf, namesOf, type PackedRow } from "./record/RecordFields.ts"

/** The columns of a page, in this order. */
export const shownColumns = "id, date, pending, fields"

export type ShownRow = PackedRow & Pick<ShownRecord, "id" | "date">

const toShown = (row: ShownRow): ShownRecord => ({ id: row.id, date: row.date, fields: fieldsOf(row) })

const encoder = new TextEncoder()
const decoder = new TextDecoder()

const beforeId = encoder.encode('{"id":"')
const beforeDate = encoder.encode(',"date":')
const beforePending = encoder.encode(',"pending":')
const beforeFields = encoder.encode(',"fields":["')

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const minus = 0x2d
const opened = 0x5b
const closed = 0x5d
const closedRow = 0x7d
const digit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** Of a record: the id, and behind it day and pending, which its fields may refer to. */
const besideFields = 3

/** Codes that stood in the page before, and what they stand for. */
interface Seen {
  readonly begin: number
  readonly length: number
  readonly names: ReadonlyArray<string>
}

/** Records of a page differ in which fields they have in a few ways; more of them are made out each time. */
const mostSeen = 16

/** Goes through a page once. */
class Finder {
  private readonly bytes: Uint8Array
  private places: Int32Array
  private length = 0
  private at = 0
  private readonly seen: Array<Seen> = []

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
    // Values take some 12 bytes, with what is around them; it grows where they are shorter.
    this.places = new Int32Array(64 + Math.ceil(bytes.length / 3))
  }

  /** Undefined where something is of another form. */
  find(): WrittenPage | undefined {
    const records: Array<WrittenRecord> = []
    if (this.bytes[this.at++] !== opened) return undefined
    this.skipSpace()
    if (this.bytes[this.at] !== closed) {
      for (;;) {
        const record = this.record()
        if (record === undefined) return undefined
        records.push(record)
        this.skipSpace()
        if (this.bytes[this.at] === closed) break
        if (this.bytes[this.at++] !== comma) return undefined
        this.skipSpace()
      }
    }
    return { bytes: this.bytes, places: this.places, records }
  }

  private skipSpace(): void {
    while (isSpace(this.bytes[this.at]!)) this.at++
  }

  private has(expected: Uint8Array): boolean {
    const { at, bytes } = this
    for (let n = 0; n < expected.length; n++) if (bytes[at + n] !== expected[n]) return false
    this.at = at + expected.length
    return true
  }

  /** From behind the quotation mark to the one that ends it, which is passed. */
  private text(): number {
    const { bytes } = this
    let { at } = this
    for (let byte = bytes[at]; byte !== quote; byte = bytes[++at]) {
      if (byte === backslash) at++
      else if (byte === undefined) break
    }
    this.at = at + 1
    return at
  }

  private add(begin: number, end: number, kind: number): void {
    const { length, places } = this
    places[length] = begin
    places[length + 1] = end
    places[length + 2] = kind
    this.length = length + placeSize
  }

  /** Adds the value here, which is no list and no object, and passes it. */
  private value(): boolean {
    if (this.bytes[this.at] === quote) {
      const begin = ++this.at
      this.add(begin, this.text(), isText)
      return true
    }
    const { bytes } = this
    const begin = this.at
    let at = begin
    // `true`, `false`, `null` and numbers consist of these.
    for (let byte = bytes[at]!; (byte >= 0x61 && byte <= 0x7a) || digit(byte) || byte === minus; byte = bytes[++at]!);
    this.at = at
    this.add(begin, at, isOther)
    return at > begin
  }

  private isAt(begin: number, { length, begin: other }: Seen): boolean {
    const { bytes } = this
    for (let n = 0; n < length; n++) if (bytes[begin + n] !== bytes[other + n]) return false
    return true
  }

  /** Names of the fields whose codes stand in the bytes. */
  private namesOf(begin: number, end: number): ReadonlyArray<string> {
    const length = end - begin
    for (const one of this.seen) if (one.length === length && this.isAt(begin, one)) return one.names
    const names = writtenNames(decoder.decode(this.bytes.subarray(begin, end)))
    if (this.seen.length < mostSeen) this.seen.push({ begin, length, names })
    return names
  }

  private record(): WrittenRecord | undefined {
    const { bytes } = this
    const most = this.length + placeSize * (besideFields + 1)
    if (most > this.places.length) this.grow(most)
    const first = this.length
    if (!this.has(beforeId)) return undefined
    this.add(this.at, this.text(), isText)
    if (!this.has(beforeDate) || !this.value()) return undefined
    if (!this.has(beforePending) || !this.value()) return undefined
    if (!this.has(beforeFields)) return undefined
    const codes = this.at
    const names = this.namesOf(codes, this.text())
    const needed = this.length + placeSize * names.length
    if (needed > this.places.length) this.grow(needed)
    for (let n = besideFields; n < names.length; n++) {
      if (bytes[this.at++] !== comma) return undefined
      this.skipSpace()
      if (!this.value()) return undefined
    }
    if (bytes[this.at++] !== closed || bytes[this.at++] !== closedRow) return undefined
    // A value may stand behind the one that says the same.
    for (let n = besideFields; n < names.length; n++) {
      const place = first + placeSize * n
      const byte = bytes[this.places[place]!]!
      if (this.places[place + 2] === isOther && (digit(byte) || byte === minus)) this.refer(first, place, names[n]!)
    }
    return { names, first }
  }

  /** A number stands for the value of another field, or for a column (`RecordFields.ts`). */
  private refer(first: number, place: number, name: string): void {
    const { bytes, places } = this
    let at = places[place]!
    const end = places[place + 1]!
    const isUnsigned = bytes[at] === minus
    let number = 0
    if (isUnsigned) at++
    for (; at < end; at++) number = number * 10 + (bytes[at]! - 0x30)
    const column = name === "date" ? 1 : 2
    // Values are counted from 1 on.
    const other = first + placeSize * (number === 0 ? column : besideFields + number - 1)
    places[place] = places[other]! + (isUnsigned ? 1 : 0)
    places[place + 1] = places[other + 1]!
    places[place + 2] = places[other + 2]!
  }

  private grow(needed: number): void {
    const grown = new Int32Array(Math.max(needed, this.places.length * 2))
    grown.set(this.places)
    this.places = grown
  }
}

/** The columns have names that no field has, so that what asks for a field does not find them. */
const columns = ["id", "\u0000date", "\u0000pending"] as const

const known = new WeakMap<ReadonlyArray<string>, ReadonlyArray<string>>()

const writtenNames = (codes: string): ReadonlyArray<string> => {
  const fields = namesOf(codes)
  let names = known.get(fields)
  if (names === undefined) known.set(fields, (names = [...columns, ...fields]))
  return names
}

/** A page that is read where somebody asks for its records. */
class ReadLater implements ShownPage {
  readonly written: WrittenPage
  private read: ReadonlyArray<ShownRecord> | undefined

  constructor(written: WrittenPage) {
    this.written = written
  }

  get length(): number {
    return this.written.records.length
  }

  get records(): ReadonlyArray<ShownRecord> {
    return (this.read ??= readPage(this.written.bytes))
  }

  position(at: number): Pick<ShownRecord, "date" | "id"> {
    const { first } = this.written.records[at]!
    const date = first + placeSize
    const isKnown = this.written.places[date + 2] === isText
    return { id: this.textAt(first), date: isKnown ? (this.textAt(date) as ShownRecord["date"]) : null }
  }

  value(at: number, field: string): FieldValue | undefined {
    const { first, names } = this.written.records[at]!
    const nth = names.indexOf(field, besideFields)
    if (nth < 0) return undefined
    const place = first + placeSize * nth
    if (this.written.places[place + 2] === isText) return this.textAt(place)
    return JSON.parse(this.bytesAt(place)) as FieldValue
  }

  private bytesAt(place: number): string {
    const { bytes, places } = this.written
    return decoder.decode(bytes.subarray(places[place], places[place + 1]))
  }

  private textAt(place: number): string {
    const text = this.bytesAt(place)
    return text.includes("\\") ? (JSON.parse(`"${text}"`) as string) : text
  }
}

const readPage = (bytes: Uint8Array): ReadonlyArray<ShownRecord> =>
  (JSON.parse(decoder.decode(bytes)) as ReadonlyArray<ShownRow>).map(toShown)

/** The page that PostgreSQL wrote. */
export const pageOf = (bytes: Uint8Array): ShownPage => {
  const written = new Finder(bytes).find()
  return written === undefined ? shownPage(readPage(bytes)) : new ReadLater(written)
}
