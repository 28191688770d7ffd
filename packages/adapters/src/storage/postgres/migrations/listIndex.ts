/** Indexes that lists of records walk through, newest first. */
import type { LateIndex } from "./lateIndex.ts"

export const listIndexes: ReadonlyArray<LateIndex> = [
  {
    name: "record_list",
    table: "record",
    definition: `(scope_no, day, id) include (workspace_id, account_id, data_type, pending, amount, type, currency, category,
      folded_description, folded_merchant) where state = 'live'`,
    replaces: ["record_scope_day", "record_dated", "record_day", "record_page"]
  },
  {
    name: "record_list_gone",
    table: "record",
    definition: "(scope_no, day, id) where state <> 'live'",
    replaces: ["record_scope_gone", "record_gone", "record_tombstone"]
  }
]
