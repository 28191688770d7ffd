/** Tables and their rows between PostgreSQL and the kernel. */
import { purgeAt, type Row, type StoredRow, type Table, type TableField } from "@millrace/core/table"
import { instant, optionalInstant, present } from "./Column.ts"

interface FieldRow extends Omit<TableField, "default" | "description" | "options"> {
  readonly options: NonNullable<TableField["options"]> | null
  readonly default: Exclude<TableField["default"], null | undefined> | null
  readonly description: string | null
}

export interface TableRow {
  readonly id: Table["id"]
  readonly workspace_id: Table["workspaceId"]
  readonly name: string
  readonly icon: string | null
  readonly description: string | null
  readonly fields: ReadonlyArray<FieldRow>
  readonly key_fields: ReadonlyArray<string>
  readonly row_count: number
  readonly created_by: Table["createdBy"]
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
  readonly trashed_at: Date | null
}

const toField = ({ default: cell, description, options, ...field }: FieldRow): TableField => ({
  ...field,
  ...present({ options, default: cell, description })
})

export const toTable = (row: TableRow): Table => {
  const trashedAt = optionalInstant(row.trashed_at)
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    fields: row.fields.map(toField),
    keyFields: row.key_fields,
    rowCount: row.row_count,
    createdBy: row.created_by,
    version: row.version,
    createdAt: instant(row.created_at),
    updatedAt: instant(row.updated_at),
    ...present({ icon: row.icon, description: row.description }),
    ...(trashedAt === null ? {} : { trashedAt, purgeAt: purgeAt(trashedAt) })
  }
}

/** A feed that syncs by its id alone, as nearly all rows are made by one. */
type StoredActor = Row["createdBy"] | string

const toActor = (stored: StoredActor): Row["createdBy"] =>
  typeof stored === "string" ? { kind: "sync", feedId: stored } : stored

/** As the column keeps it, in JSON. */
const storedActor = (actor: Row["createdBy"]): StoredActor =>
  actor.kind === "sync" && Object.keys(actor).length === 2 ? actor.feedId : actor

export const actorJson = (actor: Row["createdBy"]): string => JSON.stringify(storedActor(actor))

export interface RowRow {
  readonly id: Row["id"]
  readonly table_id: Row["tableId"]
  readonly field_values: Row["values"]
  readonly held: Row["held"]
  readonly external_key: string | null
  readonly created_by: StoredActor
  /** `null`: any maker. */
  readonly updated_by: StoredActor | null
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
  readonly trashed_at: Date | null
}

/** What `toRow` reads, of `table_row r`. Folded text and the workspace stay behind: a page costs a fifth less without them. */
export const rowColumns = `r.id, r.table_id, r.field_values, r.held, r.external_key, r.created_by, r.updated_by, r.version,
  r.created_at, r.updated_at, r.trashed_at`

export const toRow = (row: RowRow): Row => ({
  id: row.id,
  tableId: row.table_id,
  values: row.field_values,
  held: row.held,
  createdBy: toActor(row.created_by),
  updatedBy: toActor(row.updated_by ?? row.created_by),
  version: row.version,
  createdAt: instant(row.created_at),
  updatedAt: instant(row.updated_at),
  ...present({ externalKey: row.external_key, trashedAt: optionalInstant(row.trashed_at) })
})

export const selectTables = `select t.id, t.workspace_id, t.name, t.icon, t.description, t.key_fields, t.row_count,
    t.created_by, t.version, t.created_at, t.updated_at, t.trashed_at,
    (select coalesce(json_agg(json_build_object('id', f.id, 'key', f.key, 'name', f.name, 'type', f.type,
      'options', f.options, 'required', f.required, 'unique', f.is_unique, 'indexed', f.indexed,
      'default', f.default_cell, 'description', f.description, 'origin', f.origin, 'position', f.position)
      order by f.position, f.seq), '[]')
      from table_field f where f.table_id = t.id) as fields
  from app_table t`

const isSameActor = (one: Row["createdBy"], other: Row["createdBy"]): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other)

/** Rows and their entries as the statements that keep them read them. */
export const putParameters = (rows: ReadonlyArray<StoredRow>): readonly [rows: string, entries: string] => [
  JSON.stringify(
    rows.map(({ folded, row }) => ({
      id: row.id,
      vals: row.values,
      folded,
      held: row.held,
      key: row.externalKey ?? null,
      made_by: storedActor(row.createdBy),
      changed_by: isSameActor(row.createdBy, row.updatedBy) ? null : storedActor(row.updatedBy),
      version: row.version,
      made_at: row.createdAt,
      changed_at: row.updatedAt,
      trashed_at: row.trashedAt ?? null
    }))
  ),
  JSON.stringify(
    rows.flatMap(({ entries, row }) =>
      entries.map(({ facet, mark, number, text }) => ({ id: row.id, facet, mark, number, text }))
    )
  )
]
