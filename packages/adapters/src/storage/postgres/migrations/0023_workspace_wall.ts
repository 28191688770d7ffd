/** The second wall between workspaces: every row says whose it is, and nobody else is shown it. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { raise, workspaceWall } from "./workspaceWall.ts"

/** Tables whose rows know their workspace. */
const known = [
  "account",
  "api_key",
  "app_table",
  "bank",
  "cursor_part",
  "enrichment",
  "audit_chain",
  "audit_entry",
  "event",
  "event_log",
  "event_position",
  "feed",
  "id_trust",
  "identity_fact",
  "job",
  "learnt_text",
  "member",
  "record",
  "record_alias",
  "record_match",
  "record_suggestion",
  "upload"
]

/** Tables whose rows belong to a row that knows it: the table, that other table, and the column with its id. */
const derived: ReadonlyArray<readonly [table: string, owner: string, key: string]> = [
  ["account_change", "account", "account_id"],
  ["checkpoint", "bank", "bank_id"],
  ["delivery", "feed", "feed_id"],
  ["delivery_file", "feed", "feed_id"],
  ["feed_mark", "feed", "feed_id"],
  ["feed_place", "feed", "feed_id"],
  ["feed_wake", "feed", "feed_id"],
  ["record_pull", "account", "account_id"],
  ["record_settled", "account", "account_id"],
  ["row_lookup", "app_table", "table_id"],
  ["table_field", "app_table", "table_id"],
  ["table_row", "app_table", "table_id"],
  ["upload_piece", "upload", "upload_id"],
  ["upload_shown", "upload", "upload_id"]
]

export const wall = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`create function reaches_every_workspace() returns boolean language sql stable parallel safe
    as $$ select current_setting('millrace.workspaces', true) = '*' $$`
  // A setting of a transaction is empty, and not gone, when the transaction has ended.
  yield* sql`create function reached_workspaces() returns text[] language sql stable parallel safe
    as $$ select string_to_array(nullif(current_setting('millrace.workspaces', true), ''), ',') $$`

  // Whoever knows the workspace says it; a process of the version before does not. A row whose owner is not to be
  // seen belongs to nobody, and is refused where not all workspaces are meant.
  yield* sql`create function workspace_of_owner() returns trigger language plpgsql as $$
    begin
      execute format('select workspace_id from %I where id = ($1).%I', tg_argv[0], tg_argv[1])
        using new into new.workspace_id;
      new.workspace_id := coalesce(new.workspace_id, '');
      return new;
    end $$`
  for (const [table, owner, key] of derived) {
    yield* sql.unsafe(`alter table ${table} add column workspace_id key_text`)
    yield* sql.unsafe(
      `update ${table} set workspace_id = coalesce((select workspace_id from ${owner} where id = ${key}), '')`
    )
    yield* sql.unsafe(`alter table ${table} alter column workspace_id set not null`)
    yield* sql.unsafe(`create trigger workspace_of_owner before insert on ${table} for each row
      when (new.workspace_id is null) execute function workspace_of_owner('${owner}', '${key}')`)
  }

  // Behind a wall an index takes comparisons that cannot tell what they compare, which those of numeric are not. The
  // nearest floating number is in the same order.
  yield* sql`alter table row_lookup add column number_near float8
    generated always as (number_cell::float8) stored`
  yield* sql`drop index row_lookup_number`
  yield* sql`create index row_lookup_number on row_lookup (table_id, facet, number_near, number_cell, row_id)
    where number_cell is not null`

  for (const table of [...known, ...derived.map(([name]) => name)]) yield* workspaceWall(table)
  yield* workspaceWall("workspace", "id")
  // Tasks of no workspace are those of the installation, for which everybody may make some.
  yield* sql`create policy workspace_wall on task using (workspace_id is null or (select reaches_every_workspace())
    or workspace_id = any ((select reached_workspaces())::text[]))`
  yield* raise("task")
  // People are not of one workspace; they are known where they are members.
  yield* sql`create policy workspace_wall on app_user
    using ((select reaches_every_workspace()) or id in (select user_id from member)) with check (true)`
  yield* raise("app_user")
})
