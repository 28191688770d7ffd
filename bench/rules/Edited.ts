/** What rules made of transactions: the changed copies, in order. */
import { createHash } from "node:crypto"
import type { FieldValue } from "@millrace/core/record"
import type { Transaction } from "../transactions.ts"

export interface Edited {
  /** Place of the row among all. */
  readonly at: number
  /** Rules that held. */
  readonly hits: number
  readonly record: Readonly<Record<string, FieldValue>>
}

/** The working copy of a row. */
export const copyOf = (row: Transaction): Record<string, FieldValue> => ({ ...row })

/** Equal for contenders whose rules held as often and that changed the same rows in the same way. */
export const digest = (all: ReadonlyArray<Edited>): string => {
  const hash = createHash("sha256")
  let hits = 0
  for (const { at, hits: found, record } of all) {
    hits += found
    hash.update(JSON.stringify([at, found, record]))
  }
  return `${hits} hits, ${hash.digest("hex").slice(0, 16)}`
}
