/** What the last read of an account showed of each day, as a hash, so that the next read matches only days that differ. */
import type { CalendarDate } from "../shared/CalendarDate.ts"

/** `null` stands for records without a day. */
export type RecordDay = CalendarDate | null

/** In place of a hash: the last read showed nothing of the day and proves nothing about it. */
export const notShown = ""

/** `null`: each read matches the day, since its records are not exactly the rows that the last read showed. */
export type DayHash = string | null

export interface DayHashes {
  /** Whether no record was written, renamed, merged or counted as missed since. Otherwise the hashes prove nothing. */
  readonly isCurrent: boolean
  /** Of all days that had live records. */
  readonly hashes: ReadonlyMap<RecordDay, DayHash>
}

export const noDayHashes: DayHashes = { isCurrent: false, hashes: new Map() }

export interface DayHashChanges {
  readonly put: ReadonlyMap<RecordDay, DayHash>
  /** Days without live records. */
  readonly removed: ReadonlyArray<RecordDay>
}
