/** The columns of texts: descriptions and references. */
import type { CsvField } from "@millrace/core/feed"
import type { ColumnClaims } from "./CsvColumnClaims.ts"
import { holdsSides, holdsText } from "./CsvContent.ts"
import { normaliseHeader, weakRank } from "./CsvHeaders.ts"

/** Known under a name that is no text: an account, an id. */
const isNamedElse = (claims: ColumnClaims, column: number): boolean => {
  return (claims.candidates[column] ?? []).some(
    ([field, rank]) => rank < weakRank && (field === "account" || field === "id" || field === "reference")
  )
}

const rowsAreThere = (claims: ColumnClaims): boolean => {
  return claims.contents.some((content) => content.filled > 0)
}

/** Letters alone, days and words for sides say nothing; a text may be short or a number where its name is sure. */
const describes = (claims: ColumnClaims, column: number, rank: number): boolean => {
  const content = claims.contents[column]!
  if (rank >= weakRank) return holdsText(content)
  if (holdsSides(content) && content.filled > 1 && content.distinct.size < content.filled) return false
  if (content.words > 0) return true
  const single = [...content.distinct].every((cell) => /^\p{L}$/u.test(cell))
  return !(single && content.distinct.size < content.filled)
}

const ofField = (claims: ColumnClaims, field: CsvField): ReadonlyArray<number> => {
  const found: Array<readonly [column: number, rank: number]> = []
  for (const [column, fields] of claims.candidates.entries()) {
    const rank = fields.find(([candidate]) => candidate === field)?.[1]
    if (rank === undefined || claims.used.has(column)) continue
    const content = claims.contents[column]
    // A header of an empty column is as good as none; one letter describes nothing.
    if (field === "description" && content !== undefined && content.filled > 0 && !describes(claims, column, rank))
      continue
    found.push([column, rank])
  }
  if (field === "reference") return found.toSorted((a, b) => a[1] - b[1]).map(([column]) => column)
  const strong = found.filter(([, rank]) => rank < weakRank)
  const best = strong.some(([column]) => claims.contents[column]!.filled > 0) ? strong : found
  const named = best.map(([column]) => column)
  // Words for sides are no text where there is one.
  const texts = named.filter((column) => !holdsSides(claims.contents[column]))
  const columns = texts.length > 0 ? texts : named
  if (!columns.some((column) => claims.contents[column]!.filled > 0) && rowsAreThere(claims)) return []
  // Beside "Description 1", "Description 2" a bare "Description" names the account or product.
  const numbered = new Set(
    columns
      .map((column) => /^(.*?)\d{1,2}$/.exec(normaliseHeader(claims.headers[column]!))?.[1])
      .filter((name) => name !== undefined)
  )
  return columns.filter((column) => !numbered.has(normaliseHeader(claims.headers[column]!)))
}

/** Takes the named texts, else the column that says most. */
export const findTexts = (claims: ColumnClaims): void => {
  const { columns } = claims
  if (!claims.given.has("description")) claims.descriptions.push(...ofField(claims, "description"))
  if (!claims.given.has("reference")) claims.references.push(...ofField(claims, "reference"))
  if (claims.descriptions.length > 0 || claims.given.has("description")) {
    for (const column of claims.descriptions) claims.used.add(column)
    return
  }
  if (columns.note >= 0 && holdsText(claims.contents[columns.note])) {
    claims.descriptions.push(columns.note)
    return
  }
  // Nothing is named: the text column that says most.
  const says = (column: number) =>
    claims.contents[column]!.letters * Math.min(20, claims.contents[column]!.distinct.size)
  // One text in every row says nothing. Beside a name only sentences are missed.
  const texts = claims
    .free(
      (content) =>
        holdsText(content) &&
        content.currencies < content.filled &&
        (content.distinct.size > 1 || content.filled === 1) &&
        (columns.payee < 0 || content.phrases * 5 >= content.filled)
    )
    .filter((column) => !isNamedElse(claims, column))
  const most = texts.toSorted((a, b) => says(b) - says(a))[0]
  if (most !== undefined) {
    claims.descriptions.push(most)
    if (claims.headers.length === 0) claims.used.add(most)
    else claims.guessed("description", most)
    columns.description = -1
  }
}
