/**
 * Fields of rows of one reading as text, for as long as they are put aside: values without their names, which most rows have
 * in common. So little is written and packed, and a row that is asked for is read without the others.
 */
import { blankOf } from "../record/BlankFields.ts"
import type { Fields } from "../record/FieldValue.ts"

// Clean text holds neither.
const rowEnd = "\u001e"
const valueEnd = "\u001f"

type NoText = Exclude<Fields[string], string>

/** What rows have in common. */
interface Shape {
  readonly number: number
  readonly keys: ReadonlyArray<string>
  /** The values that are no text; `undefined` where one is. */
  readonly plain: ReadonlyArray<NoText | undefined>
  readonly texts: number
  readonly blank: ReturnType<typeof blankOf>
}

const plainOf = (value: Fields[string]): NoText | undefined => (typeof value === "string" ? undefined : value)

const fits = ({ keys, plain }: Shape, fields: Fields, own: ReadonlyArray<string>): boolean => {
  if (keys.length !== own.length) return false
  for (let at = 0; at < own.length; at++) {
    const key = own[at]!
    if (keys[at] !== key || plain[at] !== plainOf(fields[key]!)) return false
  }
  return true
}

/** The same in memory of its own: a part of a text keeps all of it, and words of rows are remembered for long. */
const copied = (text: string): string => JSON.parse(JSON.stringify(text)) as string

/** Texts of fields, which this one alone can read. */
export class FieldTexts {
  readonly #shapes: Array<Shape> = []

  write(fields: Fields): string {
    const keys = Object.keys(fields)
    const shape = this.#shapes.find((one) => fits(one, fields, keys)) ?? this.#added(fields, keys)
    let text = shape.number + valueEnd
    for (const key of keys) {
      const value = fields[key]!
      if (typeof value === "string") text += value + valueEnd
    }
    return text
  }

  #added(fields: Fields, keys: ReadonlyArray<string>): Shape {
    const plain = keys.map((key) => plainOf(fields[key]!))
    const texts = plain.reduce<number>((count, value) => (value === undefined ? count + 1 : count), 0)
    const shape: Shape = { number: this.#shapes.length, keys, plain, texts, blank: blankOf(keys) }
    this.#shapes.push(shape)
    return shape
  }

  read(text: string): Fields {
    const values = copied(text).split(valueEnd)
    const { blank, keys, plain, texts } = this.#shapes[Number(values[0])]!
    // The number of the shape comes first, and behind the last value there is nothing more.
    if (values.length !== texts + 2) throw new RangeError(`${texts} texts of a row came back as ${values.length - 2}`)
    const fields = blank()
    let next = 1
    for (let at = 0; at < keys.length; at++) {
      const value = plain[at]
      fields[keys[at]!] = value === undefined ? values[next++]! : value
    }
    return fields
  }

  /** The texts of several rows as one. */
  static joined(texts: ReadonlyArray<string>): string {
    return texts.join(rowEnd)
  }

  static parted(text: string): ReadonlyArray<string> {
    return text.split(rowEnd)
  }
}
