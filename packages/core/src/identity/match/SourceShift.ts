/** Days by which one source of an account dates everything later than another. */
import { sourceDays } from "./MatchCost.ts"
import type { MatchRow } from "./MatchRow.ts"

/** Rows from which a common shift is known, and how many of all that tell one have to agree. */
const leastRows = 8
const leastShare = 0.8

interface Dated {
  readonly day: number
  readonly row: Pick<MatchRow, "amount" | "currency">
}

const byAmount = (rows: ReadonlyArray<Dated>): ReadonlyMap<string, ReadonlyArray<Dated>> =>
  Map.groupBy(rows, ({ row }) => `${row.currency} ${row.amount}`)

/** From one to the other; 0 where amounts that both have once do not tell. */
export const sourceShift = (seen: ReadonlyArray<Dated>, held: ReadonlyArray<Dated>): number => {
  const others = byAmount(held)
  const gaps = new Map<number, number>()
  let all = 0
  for (const [key, rows] of byAmount(seen)) {
    const found = others.get(key)
    if (rows.length !== 1 || found?.length !== 1) continue
    const gap = rows[0]!.day - found[0]!.day
    if (Math.abs(gap) > sourceDays) continue
    all++
    gaps.set(gap, (gaps.get(gap) ?? 0) + 1)
  }
  const [shift, count] = [...gaps].toSorted((a, b) => b[1] - a[1] || Math.abs(a[0]) - Math.abs(b[0]))[0] ?? [0, 0]
  return count >= leastRows && count >= leastShare * all ? shift : 0
}
