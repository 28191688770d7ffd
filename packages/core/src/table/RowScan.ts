/** Which rows a store is asked for, with everything worked out (decisions 1.7 and 8.3). */
import type { FilterPlan } from "../filter/FilterPlan.ts"
import type { LookupHint } from "./Facet.ts"
import type { Row, TableId } from "./Table.ts"

/**
 * How rows are ordered by a field: `text` by its folded code points, `exact` by its code points, `number` by
 * value, `truth` false before true; `id`, `createdAt` and `updatedAt` are of the row itself.
 */
export type SortAs = "text" | "exact" | "number" | "truth" | "id" | "createdAt" | "updatedAt"

export interface SortKey {
  readonly field: string
  readonly as: SortAs
  readonly desc: boolean
  /** The facet that has the field, if one does. */
  readonly facet?: string
}

/** What a row is sorted by; `null` when it has no value. */
export type SortValue = string | boolean | null

export interface RowPosition {
  /** As many as there are sort keys. */
  readonly values: ReadonlyArray<SortValue>
  readonly id: Row["id"]
}

/** What a filter can name besides cells, and where relations lead. */
export interface ScannedTable {
  readonly id: TableId
  /** Names that mean the row itself: `id`, `createdAt`, `updatedAt`. */
  readonly own: ReadonlySet<string>
  /** Relation field -> the table it leads to. */
  readonly relations: ReadonlyMap<string, ScannedTable>
}

export interface RowScan {
  readonly table: ScannedTable
  readonly state: "live" | "trashed" | "any"
  /** Patterns in it let every row through: anyone who asks evaluates it again. */
  readonly where?: FilterPlan
  /** Of live rows. */
  readonly hint?: LookupHint
  readonly sort: ReadonlyArray<SortKey>
  /** Rows behind this one. */
  readonly after?: RowPosition
  readonly limit: number
  /** Live rows of the table, where the caller knows: how a large one is read need not be thought of again each time. */
  readonly rowCount?: number
  /** Seconds that the store may take; without it as long as it takes. Then it fails as `tooLong`. */
  readonly patience?: number
}

/** All rows of a table, oldest first. */
export const wholeScan = (id: TableId, scan: Partial<Omit<RowScan, "table">> = {}): RowScan => ({
  table: { id, own: new Set(), relations: new Map() },
  state: "live",
  sort: [],
  limit: Number.MAX_SAFE_INTEGER,
  ...scan
})
