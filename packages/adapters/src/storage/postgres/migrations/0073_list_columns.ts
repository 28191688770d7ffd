/** Lists of records filter by columns that one index holds; the search blocks that they read before are gone. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { listTexts, textColumnNames } from "../record/ListColumns.ts"
import { fieldsOf, type PackedRow } from "../record/RecordFields.ts"
import { listIndexes } from "./listIndex.ts"

const chunk = 5_000

const otherPlans = ["enable_seqscan", "enable_hashjoin", "enable_mergejoin"] as const

/** Writes the columns of records that are there. Their texts are folded by the kernel, so each record is read once. */
const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Each row by its place. As PostgreSQL knows little of a table that was just changed, it would read all of it for each of them.
  for (const plan of otherPlans) yield* sql.unsafe(`set local ${plan} = off`)
  yield* sql`declare every_record no scroll cursor for select ctid::text as at, date, pending, fields from record`
  for (;;) {
    const rows = yield* sql.unsafe<PackedRow & { readonly at: string }>(`fetch ${chunk} from every_record`).unprepared
    if (rows.length === 0) break
    const { columns, whole } = listTexts(rows.map((row) => ({ fields: fieldsOf(row) })))
    yield* sql.unsafe(
      `update record r set ${textColumnNames.map((name) => `${name} = nullif(n.${name}, '')`).join(", ")},
          whole_texts = nullif(n.whole_texts, '')::json
        from unnest($1::text[]::tid[], $2::text[], ${columns.map((_, n) => `$${n + 3}::text[]`).join(", ")})
          as n(at, whole_texts, ${textColumnNames.join(", ")})
        where r.ctid = n.at`,
      [rows.map(({ at }) => at), whole, ...columns]
    ).unprepared
  }
  yield* sql`close every_record`
  for (const plan of otherPlans) yield* sql.unsafe(`set local ${plan} = default`)
})

export const listColumns = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`drop table record_search, search_group`
  yield* sql`delete from task where kind = 'record_search'`
  yield* sql`alter table record
    -- Records without a day come before all others.
    add column day date not null generated always as (case when date is null then '-infinity'::date else date end) stored,
    add column type key_text,
    add column currency key_text,
    add column category key_text,
    add column folded_description key_text,
    add column folded_merchant key_text,
    add column whole_texts json`
  yield* fill
  for (const { definition, name, table } of listIndexes)
    yield* sql.unsafe(`create index ${name} on ${table} ${definition}`)
  yield* sql`drop index if exists record_scope_day, record_scope_gone`
})
