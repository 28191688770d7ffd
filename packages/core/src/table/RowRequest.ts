/** What is asked of rows (decisions 5.7). */
import type { Page, PageRequest } from "../shared/Page.ts"
import type { Row, Table } from "./Table.ts"

export interface SortRequest {
  readonly field: string
  readonly desc?: boolean
}

/**
 * Which rows. With a cursor, what it carries counts and the rest of the request is ignored, besides `limit` and
 * `includeTotal`.
 */
export interface RowQuery extends PageRequest {
  /** A filter tree, as JSON. */
  readonly filter?: unknown
  /** At most three; without it rows come in the order in which they were made. Rows without a value come last. */
  readonly sort?: ReadonlyArray<SortRequest>
  /** Keys of the only cells to answer. */
  readonly fields?: ReadonlyArray<string>
  /** Values of `{$param}` in the filter. */
  readonly params?: Readonly<Record<string, unknown>>
  /** IANA name of the zone in which days begin; that of the workspace when absent. */
  readonly timezone?: string
  /** Counts all rows that pass the filter as well. */
  readonly includeTotal?: boolean
  /** Rows in the trash instead of the live ones. */
  readonly trashed?: boolean
}

/** Rows with the table whose fields say what their cells are. */
export interface RowPage extends Page<Row> {
  readonly table: Table
  /** Of the whole query, not of the page. */
  readonly total?: number
}

export interface RowView {
  readonly table: Table
  readonly row: Row
}

export interface NewRow {
  /** Field key -> JSON, read as a cell of the field. Numbers may be `JSON.rawJSON`, which keeps their digits. */
  readonly values: Readonly<Record<string, unknown>>
  readonly externalKey?: string
}

export interface RowChange {
  /** As in `NewRow`; merges by key, null clears. */
  readonly values: Readonly<Record<string, unknown>>
  /** The version the caller has read. */
  readonly version?: number
  /** Keys of cells that follow the feed again, from what it delivers next. */
  readonly release?: ReadonlyArray<string>
}

export interface RowChangeOf extends RowChange {
  /** As it was sent: it need not even have the form of an id. */
  readonly id: string
}

/** `upsert` finds rows by the key fields of the table, or by `externalKey` when it has none. */
export type RowMode = "insert" | "upsert"

export interface RowOutcome {
  readonly id: Row["id"]
  readonly status: "created" | "updated" | "unchanged"
}
