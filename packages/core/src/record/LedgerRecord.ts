/** Records as the ledger keeps them: what the provider said, identified (decisions 4.2, identity). */
import type { Id } from "../shared/Ids.ts"
import type { CalendarDate } from "../shared/CalendarDate.ts"
import type { Timestamp } from "../shared/Timestamp.ts"
import type { DataType } from "./DataType.ts"
import type { Fields } from "./FieldValue.ts"

/**
 * `live`: the upstream has it. `removed`: the upstream no longer has it (a tombstone, which keeps its
 * identity so that it can come back). `deleted`: a person removed it; it never comes back by itself.
 */
export const recordStates = ["live", "removed", "deleted"] as const
export type RecordState = (typeof recordStates)[number]

export interface LedgerRecord {
  /** Lineage id: survives new upstream ids, settlement and reconnects. */
  readonly id: string
  readonly accountId: Id<"account">
  readonly dataType: DataType
  /** The upstream's id now; `""` when it has none. */
  readonly providerId: string
  /** Sorts and windows the record; `null` for types without a day. */
  readonly date: CalendarDate | null
  readonly pending: boolean
  readonly state: RecordState
  /** The record that this one turned out to be; its state is `removed` then. */
  readonly mergedInto?: string
  /** Content hash of `fields`. */
  readonly hash: string
  /** Fields of the data type without id and owner's fields. */
  readonly fields: Fields
  /**
   * Moves with every change and every annotation; strictly ordered within an account, in commit order. Feeds and enrichments
   * follow it.
   */
  readonly changeNo: number
  /** `changeNo` as it was when state or fields last became others. Lists and watermarks of clients follow it. */
  readonly publicChangeNo: number
  readonly version: number
  /** Whether it has annotations: words of people, or claims of enrichments that look at sets of records. */
  readonly annotated: boolean
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

/** What readers are shown of a record. */
export type ShownRecord = Pick<LedgerRecord, "id" | "date" | "fields">

/** What matching needs to know of a record we hold. */
export interface IndexEntry {
  readonly id: string
  readonly providerId: string
  readonly date: CalendarDate | null
  readonly pending: boolean
  readonly state: RecordState
  readonly hash: string
  /** Complete reads in a row that did not have it. */
  readonly missed: number
}

/** A record with what only matching asks of it. */
export interface HeldRecord extends LedgerRecord {
  /** Complete reads in a row that did not have it. */
  readonly missed: number
  /** When the first and the last of those reads were, by the store's clock; `null` while it is seen. */
  readonly missedSince: Timestamp | null
  readonly missedAt: Timestamp | null
  /** It was written apart from what it resembles: nothing but its own id is ever taken for it. */
  readonly apart: boolean
}

/** A record to be written: new, or another content, state or upstream id for one we hold. */
export interface RecordWrite {
  readonly id: string
  readonly providerId: string
  readonly date: CalendarDate | null
  readonly pending: boolean
  readonly state: RecordState
  readonly hash: string
  readonly fields: Fields
}
