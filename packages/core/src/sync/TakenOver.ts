/**
 * Rows of records that became part of others.
 *
 * Where two accounts were joined, a feed may have rows of the one and none of the other: the record that goes on takes over the
 * row of the one that is part of it, so that the row stays what it is at the destination. A feed that has rows of both keeps
 * that of the record that goes on.
 */
import type { DeliveryEntry } from "../destination/DeliveryStore.ts"
import type { LedgerRecord } from "../record/LedgerRecord.ts"
import type { DocumentRow } from "./DocumentRows.ts"

/** The records of an account that are part of others. */
export class Parts {
  readonly #into: ReadonlyMap<string, string>
  readonly #of = new Map<string, Array<string>>()

  /** Record -> the one that it was merged into. */
  constructor(merged: ReadonlyMap<string, string>) {
    this.#into = merged
    for (const id of [...merged.keys()].toSorted()) {
      const whole = this.#wholeOf(id)
      const parts = this.#of.get(whole)
      if (parts === undefined) this.#of.set(whole, [id])
      else parts.push(id)
    }
  }

  #wholeOf(id: string): string {
    let whole = id
    // A record that tells of rows which it has no more is part of itself.
    for (let into = this.#into.get(whole); into !== undefined && into !== whole; into = this.#into.get(whole))
      whole = into
    return whole
  }

  /** The record, and all that is part of it: whose rows one of them may have. */
  among({ id }: Pick<LedgerRecord, "id">): ReadonlyArray<string> {
    const whole = this.#wholeOf(id)
    const parts = this.#of.get(whole)
    return parts === undefined ? [id] : [whole, ...parts]
  }

  /** The rows as the feed has them, given what it has of all of `among`. */
  rows(rows: ReadonlyArray<DocumentRow>, entries: ReadonlyMap<string, DeliveryEntry>): ReadonlyArray<DocumentRow> {
    const has = (id: string): boolean => {
      const entry = entries.get(id)
      return entry !== undefined && entry.op !== "remove"
    }
    return rows.flatMap((row) => {
      const all = this.among(row.record)
      const whole = all[0]!
      const rowId = all.find(has) ?? whole
      if (row.record.id === whole) return [{ ...row, rowId }]
      return row.record.id === rowId ? [] : [row]
    })
  }
}
