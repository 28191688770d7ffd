/**
 * Columns of `record` that lists filter by. One index holds them all (`record_list`), so a list reads no row that it does not
 * return. An entry of an index has room for 2,704 bytes: of each text at most 200 stand in its column, and a row with a longer
 * one has all of them whole in `whole_texts`, which is not in the index.
 */
import { fold } from "@millrace/core/text"
import type { Fields } from "@millrace/core/record"

/** In the order in which `whole_texts` has them. */
export const textColumnNames = ["type", "currency", "category", "folded_description", "folded_merchant"] as const
export type TextColumnName = (typeof textColumnNames)[number]

const mostBytes = 200
const mostBytesOfCharacter = 4

/** A text that was cut has at least so many bytes: the next character would have ended behind the last one. */
export const fewestBytesOfCut = mostBytes - mostBytesOfCharacter + 1

const encoder = new TextEncoder()
const room = new Uint8Array(mostBytes)

/** The text, or as many of its first characters as there is room for. */
export const cut = (text: string): string =>
  text.length * mostBytesOfCharacter <= mostBytes ? text : text.slice(0, encoder.encodeInto(text, room).read)

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/** The texts of a record; empty where it has none. */
const textsOf = ({ category, currency, description, merchantName, type }: Fields): ReadonlyArray<string> => [
  textOf(type),
  textOf(currency),
  textOf(category),
  fold(textOf(description)),
  fold(textOf(merchantName))
]

export interface ListTexts {
  /** For each column the texts of all records; empty where one has none. */
  readonly columns: ReadonlyArray<ReadonlyArray<string>>
  /** For each record its whole texts in JSON; empty where none was cut. */
  readonly whole: ReadonlyArray<string>
}

export const listTexts = (records: ReadonlyArray<{ readonly fields: Fields }>): ListTexts => {
  const columns: ReadonlyArray<Array<string>> = textColumnNames.map(() => [])
  const whole = records.map(({ fields }) => {
    const texts = textsOf(fields)
    let isCut = false
    for (const [n, text] of texts.entries()) {
      const short = cut(text)
      columns[n]!.push(short)
      if (short !== text) isCut = true
    }
    return isCut ? JSON.stringify(texts) : ""
  })
  return { columns, whole }
}
