/**
 * Answers whose rows storage has as JSON: their values are copied from its bytes to those of the answer, without reading them.
 * The bytes are those that `encoder` would make of the rows.
 */
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Schema from "effect/Schema"
import type { PublicRows } from "@millrace/core/kernel"
import { type Fields, isText, placeSize, type WrittenPage } from "@millrace/core/record"
import { encoder, plainFields } from "./Encoder.ts"

const encoderOfText = new TextEncoder()
const encode = (text: string): Uint8Array => encoderOfText.encode(text)

const quote = 0x22
const opened = 0x7b
const closed = 0x7d
const comma = 0x2c
/** The first letter of `null`, and of no other value. */
const ofNull = 0x6e

const nothing = new Uint8Array(0)

/** A field of rows, with the comma before it. */
interface Column {
  readonly name: string
  readonly isAmount: boolean
  readonly always: boolean
  readonly keyText: string
  /** The key with its colon. */
  readonly key: Uint8Array
  /** The same with the quotation mark of text behind it. */
  readonly quoted: Uint8Array
}

const columnsOf = (row: Schema.Constraint): ReadonlyArray<Column> =>
  plainFields(row).map(({ always, isAmount, name }) => {
    const key = `,${JSON.stringify(name)}:`
    return { name, isAmount, always, keyText: key, key: encode(key), quoted: encode(`${key}"`) }
  })

/** What is written of a field in each row of a form, or of several that all rows of an owner have the same of. */
interface Step {
  /** Place of its value among those of the row; none where all rows say the same. */
  readonly place: number
  readonly isAmount: boolean
  readonly key: Uint8Array
  readonly quoted: Uint8Array
  /** Numbers of the columns. */
  readonly columns: ReadonlyArray<number>
}

const stepsOf = (columns: ReadonlyArray<Column>, names: ReadonlyArray<string>): ReadonlyArray<Step> => {
  const steps: Array<Step> = []
  let same: Array<number> = []
  const flush = (): void => {
    if (same.length === 0) return
    steps.push({ place: -1, isAmount: false, key: nothing, quoted: nothing, columns: same })
    same = []
  }
  columns.forEach(({ isAmount, key, name, quoted }, n) => {
    const index = names.indexOf(name)
    if (index < 0) return same.push(n)
    flush()
    return steps.push({ place: index * placeSize, isAmount, key, quoted, columns: [n] })
  })
  flush()
  return steps
}

/** What rows with the same fields of one owner are written by. */
interface Form {
  readonly steps: ReadonlyArray<Step>
  /** By the numbers of the steps, what is written where the row has no value. */
  readonly otherwise: ReadonlyArray<Uint8Array>
  /** Bytes of a row beside its values, at the most. */
  readonly most: number
}

/** By the numbers of the columns, what is written where a row of the owner has no value. */
const textsOf = (columns: ReadonlyArray<Column>, owner: Fields): ReadonlyArray<string> =>
  columns.map(({ always, isAmount, keyText, name }) => {
    const own = owner[name] ?? undefined
    if (own !== undefined) return keyText + (isAmount ? String(own) : JSON.stringify(own))
    return always ? `${keyText}null` : ""
  })

const formOf = (steps: ReadonlyArray<Step>, texts: ReadonlyArray<string>): Form => {
  let most = 3
  const otherwise = steps.map(({ columns, quoted }) => {
    let text = ""
    for (const n of columns) text += texts[n]!
    const bytes = text === "" ? nothing : encode(text)
    most += Math.max(bytes.length, quoted.length + 1)
    return bytes
  })
  return { steps, otherwise, most }
}

/** Copied one by one: most are a few, for which a call of the platform costs more. */
const copied = (from: Uint8Array, begin: number, end: number, to: Uint8Array, at: number): number => {
  let next = at
  for (let n = begin; n < end; n++) to[next++] = from[n]!
  return next
}

/** What is longer is copied by the platform. */
const few = 64

const copiedWhole = (from: Uint8Array, to: Uint8Array, at: number): number => {
  if (from.length <= few) return copied(from, 0, from.length, to, at)
  to.set(from, at)
  return at + from.length
}

/** Bytes of a row at the most. */
const sizeOf = ({ most, steps }: Form, { places }: WrittenPage, first: number): number => {
  let size = most
  for (let n = 0; n < steps.length; n++) {
    const { place } = steps[n]!
    if (place >= 0) size += places[first + place + 1]! - places[first + place]!
  }
  return size
}

/** Writes a row from `start` on, and answers where it ends. */
const writeRow = (
  { otherwise, steps }: Form,
  { bytes, places }: WrittenPage,
  first: number,
  to: Uint8Array,
  start: number
): number => {
  let at = start
  for (let n = 0; n < steps.length; n++) {
    const { isAmount, key, place, quoted } = steps[n]!
    if (place < 0) {
      at = copiedWhole(otherwise[n]!, to, at)
      continue
    }
    const begin = places[first + place]!
    const end = places[first + place + 1]!
    if (places[first + place + 2] !== isText) {
      if (bytes[begin] === ofNull) at = copiedWhole(otherwise[n]!, to, at)
      else at = copied(bytes, begin, end, to, copied(key, 0, key.length, to, at))
    } else if (isAmount) at = copied(bytes, begin, end, to, copied(key, 0, key.length, to, at))
    else {
      at = copied(bytes, begin, end, to, copied(quoted, 0, quoted.length, to, at))
      to[at++] = quote
    }
  }
  // Each field has a comma before it, the first one as well.
  if (at === start) to[at++] = comma
  to[start] = opened
  to[at++] = closed
  return at
}

/** Remembers what is made of a list as long as somebody has the list. */
const remembered = <A>(make: (names: ReadonlyArray<string>) => A): typeof make => {
  const known = new WeakMap<ReadonlyArray<string>, A>()
  return (names) => {
    let made = known.get(names)
    if (made === undefined) known.set(names, (made = make(names)))
    return made
  }
}

const envelopeMark = '"data":['

/** From an answer without its rows, and the rows as they are written in a page, to what is sent. */
export const listAnswer = <Row extends Schema.Top>(
  envelope: (row: Row) => Schema.Constraint,
  row: Row
): ((answer: object, rows: PublicRows) => HttpServerResponse.HttpServerResponse) => {
  const write = encoder(envelope(row))
  const columns = columnsOf(row)
  const steps = remembered((names: ReadonlyArray<string>) => stepsOf(columns, names))
  return (answer, { length, owner, page }) => {
    const { written: source } = page
    if (source === undefined) throw new TypeError("the rows are not written yet")
    const text = write(answer)
    // `success` stands before the rows, which are not there yet, and has nothing of this in it.
    const middle = text.indexOf(envelopeMark) + envelopeMark.length
    const before = encode(text.slice(0, middle))
    const after = encode(text.slice(middle))
    const texts = textsOf(columns, owner)
    const forms = new Map<ReadonlyArray<string>, Form>()
    let size = before.length + after.length + length
    for (let n = 0; n < length; n++) {
      const { first, names } = source.records[n]!
      let form = forms.get(names)
      if (form === undefined) forms.set(names, (form = formOf(steps(names), texts)))
      size += sizeOf(form, source, first)
    }
    const bytes = new Uint8Array(size)
    bytes.set(before)
    let at = before.length
    for (let n = 0; n < length; n++) {
      const { first, names } = source.records[n]!
      if (n > 0) bytes[at++] = comma
      at = writeRow(forms.get(names)!, source, first, bytes, at)
    }
    bytes.set(after, at)
    return HttpServerResponse.uint8Array(bytes.subarray(0, at + after.length), { contentType: "application/json" })
  }
}
