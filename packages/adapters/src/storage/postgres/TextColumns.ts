/**
 * Many rows in one statement: a parameter for each column, holding the texts of all rows joined by a
 * separator that occurs in none of them. `string_to_array` takes that apart faster than PostgreSQL reads
 * JSON or the driver writes arrays (a fifth more rows per second than `json_to_recordset`).
 */
import * as Effect from "effect/Effect"
import { UnstorableValue } from "./SqlFailure.ts"

const firstSeparator = "\u001e"

export interface TextColumns {
  readonly separator: string
  /** One text for each column. */
  readonly texts: ReadonlyArray<string>
}

/** A separator of record separators and digits that none of the texts contains. */
const separatorFor = (columns: ReadonlyArray<ReadonlyArray<string>>): string => {
  const isFree = (candidate: string) => columns.every((column) => column.every((text) => !text.includes(candidate)))
  let separator = firstSeparator
  for (let n = 0; !isFree(separator); n++) separator = `${firstSeparator}${n}${firstSeparator}`
  return separator
}

// An escaped NUL inside JSON: an even number of backslashes before it belongs to the text.
const escapedNul = /(?<!\\)(?:\\\\)*\\u0000/

/**
 * Joins the columns of some rows. Empty text reads back as null, as does the only text of a column when it
 * is empty: columns that cannot be null say `coalesce(x, '')`. Dies on NUL, which PostgreSQL cannot hold.
 */
export const textColumns = (columns: ReadonlyArray<ReadonlyArray<string>>): Effect.Effect<TextColumns> => {
  const separator = separatorFor(columns)
  const texts = columns.map((column) => column.join(separator))
  return texts.some((text) => text.includes("\u0000") || escapedNul.test(text))
    ? Effect.die(new UnstorableValue("PostgreSQL cannot store NUL in text"))
    : Effect.succeed({ separator, texts })
}
