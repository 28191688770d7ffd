/** Which rows a filter selects, and the rows that filters of others like best. */
import { createHash } from "node:crypto"
import type { Transaction } from "../transactions.ts"

/** Places of the selected rows, in order. Every contender has a loop of its own, so that none slows another down. */
export type Select<Row> = (rows: ReadonlyArray<Row>) => ReadonlyArray<number>

/** Equal for the same selection. */
export const digest = (selected: ReadonlyArray<number>): string =>
  `${selected.length} rows, ${createHash("sha256").update(selected.join()).digest("hex").slice(0, 16)}`

/** Amounts are numbers here: none of the peers compares decimals that are text. */
export type PeerRow = Omit<Transaction, "amount"> & { readonly amount: number }

export const peerRow = (row: Transaction): PeerRow => ({ ...row, amount: Number(row.amount) })

/** Selects by each of the functions in turn. */
export const selecting =
  <Row>(filters: ReadonlyArray<(row: Row) => boolean>): Select<Row> =>
  (rows) => {
    const selected: Array<number> = []
    for (const holds of filters) for (let at = 0; at < rows.length; at++) if (holds(rows[at]!)) selected.push(at)
    return selected
  }
