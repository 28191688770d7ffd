/**
 * Many rows in one statement: a parameter for each column, holding the texts of all rows joined by a
 * character that occurs in none of them. `string_to_array` takes that apart faster than PostgreSQL reads
 * JSON or the driver writes arrays (a fifth more rows per second than `json_to_recordset`).
 */
import * as Effect from "effect/Effect"
import { UnstorableValue } from "./SqlFailure.ts"

/** One of them is mostly free, and one byte: texts that are joined by another character take twice the memory and time. */
const separators = ["\u001e", "\u001d", "\u001c"] as const
const firstPrivateUse = 0xe000

export interface TextColumns {
  readonly separator: string
  /** One text for each column. */
  readonly texts: ReadonlyArray<string>
}

type Columns = ReadonlyArray<ReadonlyArray<string>>

/**
 * One character that none of the texts contains: a longer separator could begin inside its neighbour. JSON has no control
 * character that is not escaped.
 */
const separatorFor = (plain: Columns, json: Columns): string => {
  const isIn = (columns: Columns, candidate: string) =>
    columns.some((column) => column.some((text) => text.includes(candidate)))
  for (const separator of separators) if (!isIn(plain, separator)) return separator
  let code = firstPrivateUse
  const next = () => String.fromCodePoint(code)
  while (isIn(plain, next()) || isIn(json, next())) code++
  return next()
}

// An escaped NUL inside JSON: an even number of backslashes before it belongs to the text.
const escapedNul = /(?<!\\)(?:\\\\)*\\u0000/

/** The expression reads every character twice; almost no text has what it looks for. */
const hasEscapedNul = (text: string): boolean => text.includes("\\u0000") && escapedNul.test(text)

/**
 * Joins columns of text, then columns of JSON, in this order. Empty text reads back as null, as does the only
 * text of a column when it is empty: columns that cannot be null say `coalesce(x, '')`. Dies on NUL, which
 * PostgreSQL cannot hold.
 */
export const textColumns = (
  plain: Columns,
  /** As `JSON.stringify` writes it, or empty. */
  json: Columns
): Effect.Effect<TextColumns> => {
  const columns = [...plain, ...json]
  const separator = separatorFor(plain, json)
  const texts = columns.map((column) => column.join(separator))
  return texts.some((text, n) => (n < plain.length ? text.includes("\u0000") : hasEscapedNul(text)))
    ? Effect.die(new UnstorableValue("PostgreSQL cannot store NUL in text"))
    : Effect.succeed({ separator, texts })
}
