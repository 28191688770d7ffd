/** Indexes that several migrations name. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export interface LateIndex {
  readonly name: string
  readonly table: string
  readonly definition: string
  readonly unique?: boolean
  /** Indexes that nobody needs once this one is there. */
  readonly replaces?: ReadonlyArray<string>
}

/**
 * The day of a record; one without comes before all others. Behind a policy PostgreSQL does not look up `coalesce` in an
 * index, since it takes it for something that may tell what it is asked of; `case` it does.
 */
export const recordDay = "(case when date is null then '-infinity'::date else date end)"

export const recordDays: ReadonlyArray<LateIndex> = [
  {
    name: "record_day",
    table: "record",
    definition: `(account_id, data_type, ${recordDay} desc, id desc)`,
    replaces: ["record_page"]
  },
  {
    name: "record_gone",
    table: "record",
    definition: `(account_id, data_type, ${recordDay} desc, id desc) where state <> 'live'`,
    replaces: ["record_tombstone"]
  }
]

/**
 * Days in the order in which they come. Where the newest came first in the index, each page of it was left half empty by the
 * days after it: 206 bytes a row, and 143 now.
 */
export const recordDates: ReadonlyArray<LateIndex> = [
  {
    name: "record_dated",
    table: "record",
    definition: `(account_id, data_type, ${recordDay}, id)`,
    replaces: ["record_day", "record_page"]
  }
]

/**
 * Entries of enrichments, by account alone. With workspace and type of data in front, PostgreSQL takes it for one that leaves
 * few rows as long as it has not counted: during a first sync it read all entries for each partition.
 */
export const entryAccounts: ReadonlyArray<LateIndex> = [
  {
    name: "analysis_entry_account",
    table: "analysis_entry",
    definition: "(account_id)",
    replaces: ["analysis_entry_workspace_id_data_type_account_id_idx"]
  }
]

/** The day of a delivery; one without comes after all others. */
export const openDay = "(case when date is null then 'infinity'::date else date end)"

/**
 * Deliveries that are open, in the order in which they are walked through. Behind the policy a walk could not begin where it had
 * come to as long as the day was made by `coalesce`: each page went through the places of all rows that were settled before.
 */
export const openDeliveries: ReadonlyArray<LateIndex> = [
  {
    name: "delivery_waiting",
    table: "delivery",
    definition: `(feed_id, ${openDay}, record_id) where state in ('intended', 'sending', 'failed') and not dead`,
    replaces: ["delivery_open"]
  }
]

/** Records in the order in which clients follow their changes. */
export const publicChangeIndexes: ReadonlyArray<LateIndex> = [
  { name: "record_scope_public_change", table: "record", definition: "(scope_no, public_change_no)" }
]

/** Blocks of searches that are in no group: each is asked for itself. */
export const blocksAlone: ReadonlyArray<LateIndex> = [
  {
    name: "record_search_alone",
    table: "record_search",
    definition: "(account_id, data_type, last_no) where grouped is not true"
  }
]

/** Makes them, and drops those that they replace. */
export const makeIndexes = Effect.fnUntraced(function* (indexes: ReadonlyArray<LateIndex>) {
  const sql = yield* SqlClient.SqlClient
  for (const { definition, name, replaces = [], table } of indexes) {
    yield* sql.unsafe(`create index if not exists ${name} on ${table} ${definition}`)
    for (const other of replaces) yield* sql.unsafe(`drop index if exists ${other}`)
  }
})
