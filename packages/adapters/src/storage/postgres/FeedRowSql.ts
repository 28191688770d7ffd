/** Rows of feeds in one statement, for tables without facets. */
import type { Row } from "@millrace/core/table"
import type { FeedRow } from "@millrace/core/storage"
import { ofKeys } from "./RowKeys.ts"
import { textColumns } from "./TextColumns.ts"

/** The given cells but for held ones. */
const cellsGiven = `case when r.held = '[]' then g.vals
  else g.vals - array(select k.name from unnest($9::text[]) k(name) where r.held ? k.name) end`

/** What `folded_merged` says: called for each row it takes eight times as long as its result where nobody holds anything. */
const foldedGiven = `case when r.held = '[]' then (r.folded - $9::text[]) || g.folded
  else folded_merged(r.folded, g.folded, $9::text[], r.held) end`

/**
 * As a list that is known before the rows are looked at, so that PostgreSQL hashes it: else each row found is compared with
 * all keys.
 */
const keysGiven = "string_to_array($4, $3)"

// Cells that are equal already leave the row alone; the given cells are written and no others, but for held ones. The table is
// locked, so nobody else makes or changes a row of one of the keys meanwhile, and rows are found again by their place. What has not
// got all of the given cells is known to be another without merging them, which is most of the cost.
export const putStatement = `
  with given as (
    select g.key, g.id, g.must = 't' as must, g.vals::jsonb as vals, g.folded::jsonb as folded, g.n,
      row_key_no($1, g.key) as key_no
    from unnest(string_to_array($4, $3), string_to_array($5, $3), string_to_array($6, $3), string_to_array($7, $3),
      string_to_array($8, $3)) with ordinality as g(key, id, must, vals, folded, n)
  ), known as materialized (${ofKeys(
    "r.ctid as place, r.id, r.external_key as key, r.trashed_at is null as live",
    "$1",
    keysGiven,
    "true",
    "select key_no from given"
  )}
  ), merged as (
    update table_row r set field_values = r.field_values || ${cellsGiven},
      folded = ${foldedGiven}, updated_by = $2::json, version = r.version + 1,
      updated_at = store_now()
    from given g join known k on k.key = g.key
    where k.live and r.table_id = $1 and r.ctid = any(array(select place from known where live)) and r.ctid = k.place
      and case when r.field_values @> ${cellsGiven} then r.field_values || ${cellsGiven} <> r.field_values else true end
  ), put as (
    insert into table_row as r (id, workspace_id, table_id, field_values, folded, external_key, key_no, created_by,
      updated_by, version, created_at, updated_at)
    select g.id, (select workspace_id from app_table where id = $1), $1, g.vals, g.folded, g.key, g.key_no,
      $2::json, null, 1, store_now(), store_now()
    from given g where not g.must and not exists (select from known k where k.key = g.key) order by g.n
    returning r.id, r.external_key
  ), counted as (
    update app_table set row_count = row_count + (select count(*) from put)
    where id = $1 and exists (select from put)
  )
  select external_key as key, id from put
  union all
  select key, id from known where live`

const rowsToMake = `given as (
    select g.key, g.id, g.vals::jsonb as vals, g.folded::jsonb as folded, g.n, row_key_no($1, g.key) as key_no
    from unnest(string_to_array($4, $3), string_to_array($5, $3), string_to_array($6, $3), string_to_array($7, $3))
      with ordinality as g(key, id, vals, folded, n)
  ), known as materialized (${ofKeys("r.external_key as key", "$1", keysGiven, "true", "select key_no from given")}
  )`

/**
 * The usual case of a feed that delivers more: none of the rows is there. What exists already is left as it is, and only how many
 * were made is reported, so that the rows need not be told one by one.
 */
export const makeStatement = `
  with ${rowsToMake}, made as (
    insert into table_row (id, workspace_id, table_id, field_values, folded, external_key, key_no, created_by, updated_by,
      version, created_at, updated_at)
    select g.id, (select workspace_id from app_table where id = $1), $1, g.vals, g.folded, g.key, g.key_no, $2::json, null, 1,
      store_now(), store_now()
    from given g where not exists (select from known k where k.key = g.key) order by g.n
    returning 1
  ), counted as (
    update app_table set row_count = row_count + (select count(*) from made)
    where id = $1 and exists (select from made)
  )
  select count(*)::int as made from made`

/**
 * All of the rows or none, in a table that is locked: as many are made as are given, where it is of version `$8`, holds none of them
 * in any way, and the workspace has room for them; `$9` is how many rows it may have, null where nothing says.
 */
export const makeAllStatement = `
  with ${rowsToMake}, aim as materialized (
    select t.workspace_id from app_table t
    where t.id = $1 and t.version = $8 and t.trashed_at is null and not t.removed and not exists (select from known)
      and not exists (select from table_row r where r.table_id = $1 and r.former_key = any(${keysGiven})
        and r.trashed_at is not null)
      and ($9::float8 is null or (select count(*) from given) + (select coalesce(sum(o.row_count), 0) from app_table o
        where o.workspace_id = t.workspace_id and o.trashed_at is null and not o.removed) <= $9)
  ), made as (
    insert into table_row (id, workspace_id, table_id, field_values, folded, external_key, key_no, created_by, updated_by,
      version, created_at, updated_at)
    select g.id, (select workspace_id from aim), $1, g.vals, g.folded, g.key, g.key_no, $2::json, null, 1,
      store_now(), store_now()
    from given g where exists (select from aim) order by g.n
    returning 1
  ), counted as (
    update app_table set row_count = row_count + (select count(*) from made)
    where id = $1 and exists (select from made)
  )
  select count(*)::int as made from made`

export interface FeedRowGroup {
  readonly rows: ReadonlyArray<FeedRow>
  readonly ids: ReadonlyArray<Row["id"]>
  /** Of the cells that every one of the rows has. */
  readonly keys: ReadonlyArray<string>
}

/** Rows by the cells they have: one group, as long as they come from one feed. */
export const groups = (rows: ReadonlyArray<FeedRow>, ids: ReadonlyArray<Row["id"]>): ReadonlyArray<FeedRowGroup> => {
  const found = new Map<string, { rows: Array<FeedRow>; ids: Array<Row["id"]>; keys: ReadonlyArray<string> }>()
  for (const [at, row] of rows.entries()) {
    const keys = Object.keys(row.values)
    const name = keys.join("\n")
    let group = found.get(name)
    if (group === undefined) found.set(name, (group = { rows: [], ids: [], keys }))
    group.rows.push(row)
    group.ids.push(ids[at]!)
  }
  return [...found.values()]
}

const keyColumns = ({ ids, rows }: Pick<FeedRowGroup, "ids" | "rows">) => [
  rows.map((row) => row.key),
  rows.map((_, n) => ids[n] ?? "")
]

const cellColumns = ({ rows }: Pick<FeedRowGroup, "rows">) => [
  rows.map((row) => JSON.stringify(row.values)),
  rows.map((row) => JSON.stringify(row.folded))
]

/** For `makeStatement` and `makeAllStatement`. */
export const makeColumns = (group: Pick<FeedRowGroup, "ids" | "rows">) =>
  textColumns(keyColumns(group), cellColumns(group))

/** For `putStatement`. */
export const putColumns = (group: FeedRowGroup) =>
  textColumns([...keyColumns(group), group.rows.map((row) => (row.mustExist ? "t" : "f"))], cellColumns(group))
