/** Ids of the rows of statement files. */
import { bankIdPrefix, fileIdPrefix, sourceTag } from "../identity/match/Coverage.ts"
import type { Digest } from "../shared/Digest.ts"
import type { Statement, StatementRow } from "./Statement.ts"

/** What the ids of all files of one format and layout have in common. */
export const sourceTagOf = (
  { assumed, format }: Pick<Statement, "assumed" | "format">,
  { contentHash }: Digest["Service"]
): string => sourceTag(contentHash(JSON.stringify([format, assumed["columns"] ?? ""])))

/**
 * The id of each row of a file, in their order: it tells the format and layout of the file, and is of the bank's own id
 * where that stands for one row of the file alone, otherwise of all that tells the row, with its number among equal rows.
 * So the same file again, or an overlapping one, gives the same ids, and two real twins stay two.
 */
export const rowIdsOf = (
  file: Pick<Statement, "assumed" | "format">,
  rows: ReadonlyArray<StatementRow>,
  digest: Digest["Service"]
): ((row: StatementRow) => string) => {
  const tag = sourceTagOf(file, digest)
  const uses = new Map<string, number>()
  for (const { providerId } of rows) uses.set(providerId, (uses.get(providerId) ?? 0) + 1)
  const seen = new Map<string, number>()
  return ({ amount, currency, date, originalDescription, providerId, reference }) => {
    if (providerId !== "" && uses.get(providerId) === 1)
      return `${bankIdPrefix}${tag}:${digest.contentHash(providerId)}`
    const key = digest.contentHash(JSON.stringify([date, amount, currency, originalDescription, reference]))
    const nth = (seen.get(key) ?? 0) + 1
    seen.set(key, nth)
    return `${fileIdPrefix}${tag}:${key}:${nth}`
  }
}
