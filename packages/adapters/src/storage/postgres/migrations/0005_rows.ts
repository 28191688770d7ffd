/** Rows of people: typed fields, the trash, folded text to filter by, and look-ups of single fields. */
import { fold } from "@millrace/core/text"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

const batch = 2_000

interface Kept {
  readonly table_id: string
  readonly id: string
  readonly cells: Readonly<Record<string, unknown>>
}

/** Text is compared folded, which only the kernel can work out; kept where it differs from the text. */
const foldRows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ readonly id: string; readonly keys: ReadonlyArray<string> }>`
    select table_id as id, json_agg(key) as keys from table_field where type = 'text' group by table_id`
  for (const { id, keys } of tables) {
    let after = ""
    for (;;) {
      const rows: ReadonlyArray<Kept> = yield* sql<Kept>`
        select table_id, id, field_values as cells from table_row where table_id = ${id} and id > ${after}
        order by id limit ${batch}`
      const folded = rows.flatMap((row) => {
        const cells = keys.flatMap((key): ReadonlyArray<readonly [string, string]> => {
          const cell = Object.hasOwn(row.cells, key) ? row.cells[key] : undefined
          const plain = typeof cell === "string" ? fold(cell) : cell
          return typeof plain === "string" && plain !== cell ? [[key, plain]] : []
        })
        return cells.length === 0 ? [] : [{ id: row.id, folded: Object.fromEntries(cells) }]
      })
      if (folded.length > 0) {
        yield* sql`update table_row r set folded = g.folded
          from jsonb_to_recordset(${JSON.stringify(folded)}::jsonb) as g(id text, folded jsonb)
          where r.table_id = ${id} and r.id = g.id`
      }
      const last = rows.at(-1)
      if (last === undefined || rows.length < batch) break
      after = last.id
    }
  }
})

export const rows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`alter table app_table
    add column key_fields json not null default '[]',
    add column trashed_at instant,
    -- Nobody finds it any more; its rows are taken away bit by bit.
    add column removed boolean not null default false`
  yield* sql`create index on app_table (trashed_at) where trashed_at is not null or removed`
  yield* sql`alter table table_field
    add column options json,
    add column required boolean not null default false,
    add column is_unique boolean not null default false,
    add column indexed boolean not null default false,
    add column default_cell json,
    add column description text`
  yield* sql`alter table table_row
    add column folded jsonb not null default '{}',
    -- Keys of the cells that a person wrote in a row of a feed.
    add column held jsonb not null default '[]',
    add column trashed_at instant`
  yield* sql`create index on table_row (trashed_at) where trashed_at is not null`

  // What feeds deliver goes round held cells.
  yield* sql`create function cells_merged(old jsonb, given jsonb, held jsonb) returns jsonb
    language sql immutable parallel safe as $$
      select old || case when held = '[]' then given
        else given - array(select jsonb_array_elements_text(held)) end
    $$`
  yield* sql`create function folded_merged(old jsonb, given jsonb, keys text[], held jsonb) returns jsonb
    language sql immutable parallel safe as $$
      select case when held = '[]' then (old - keys) || given
        else (old - array(select k from unnest(keys) k where not held ? k))
          || (given - array(select jsonb_array_elements_text(held))) end
    $$`

  yield* sql`create table row_lookup (
    table_id key_text not null,
    row_id key_text not null,
    -- Id of a field, or 'key' for the key fields together.
    facet key_text not null,
    text_cell key_text,
    number_cell numeric,
    -- Of facets that tell rows apart: a digest of the whole value.
    mark key_text,
    primary key (table_id, row_id, facet)
  )`
  yield* sql`create index row_lookup_text on row_lookup (table_id, facet, text_cell, row_id) where text_cell is not null`
  yield* sql`create index row_lookup_number on row_lookup (table_id, facet, number_cell, row_id)
    where number_cell is not null`
  yield* sql`create index row_lookup_nothing on row_lookup (table_id, facet, row_id)
    where text_cell is null and number_cell is null`
  yield* sql`create unique index row_lookup_mark on row_lookup (table_id, facet, mark) where mark is not null`

  yield* foldRows
})
