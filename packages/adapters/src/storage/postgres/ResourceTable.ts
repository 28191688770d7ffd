/** The table of plain things. */
import type { ColumnType } from "@millrace/core/resource"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

/** `createdAt` -> `created_at`. */
export const columnName = (field: string): string => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The name of the index that keeps a key unique. */
export const uniqueName = (table: string, fields: ReadonlyArray<string>): string =>
  `${table}_${fields.map(columnName).join("_")}_key`

export const columnTypes: Readonly<Record<ColumnType, string>> = {
  boolean: "boolean",
  integer: "bigint",
  text: "key_text"
}

/** One part of an order. */
interface By {
  readonly field: string
  readonly direction: "ascending" | "descending"
  readonly always?: boolean
}

/** As statements and indexes write it. An id is never absent. */
export const orderedBy = ({ always = false, direction, field }: By): string =>
  `"${columnName(field)}" ${direction === "ascending" ? "asc" : "desc"}${always || field === "id" ? "" : " nulls last"}`

/** What a table is made from: the parts of a definition that a database knows. */
export interface TableShape {
  readonly name: string
  readonly columns: Readonly<Partial<Record<string, ColumnType>>>
  readonly unique?:
    | ReadonlyArray<{ readonly fields: ReadonlyArray<string>; readonly within: "workspace" | "installation" }>
    | undefined
  readonly versioned: boolean
  readonly order?: ReadonlyArray<By>
  /** Without them, no index is made for pages. */
  readonly filters?: ReadonlyArray<string>
  readonly trash?: boolean
}

/** Makes the table and isolates its workspaces, as the owner of the database. */
export const createResourceTable = Effect.fn("createResourceTable")(function* ({
  columns,
  filters,
  name,
  order = [],
  trash = false,
  unique = [],
  versioned
}: TableShape) {
  const sql = yield* SqlClient.SqlClient
  const parts = [
    "id key_text primary key",
    "workspace_id key_text not null references workspace (id) on delete cascade",
    ...Object.entries(columns).map(([field, type]) => `"${columnName(field)}" ${columnTypes[type!]}`),
    ...(versioned ? ["version bigint not null"] : []),
    // As text: what came in comes out, to the byte. Statements never look into it.
    "body json not null"
  ]
  yield* sql.unsafe(`create table "${name}" (${parts.join(", ")})`)
  for (const { fields, within } of unique) {
    const keys = fields.map((field) => `"${columnName(field)}"`)
    yield* sql.unsafe(`create unique index "${uniqueName(name, fields)}" on "${name}"
      (${[...(within === "workspace" ? ["workspace_id"] : []), ...keys].join(", ")})`)
  }
  if (filters === undefined) yield* sql.unsafe(`create index on "${name}" (workspace_id)`)
  else {
    const ordered = order.filter(({ field }) => field !== "id").map(orderedBy)
    for (const by of [[], ...filters.map((field) => [`"${columnName(field)}"`])]) {
      yield* sql.unsafe(`create index on "${name}" (${["workspace_id", ...by, ...ordered, "id"].join(", ")})`)
    }
  }
  if (trash) yield* sql.unsafe(`create index on "${name}" (trashed_at) where trashed_at is not null`)
  yield* sql`call isolate(${name})`
})
