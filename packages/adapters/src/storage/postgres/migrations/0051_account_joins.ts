/** Accounts that people said are one, with what it takes to tell them apart again. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { workspaceWall } from "./workspaceWall.ts"

export const accountJoins = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // How many accounts are part of one is beside it: every run of a feed asks for it.
  yield* sql`alter table account add column joined_into key_text, add column joins int`
  yield* sql`create table account_join (
    id key_text primary key,
    workspace_id key_text not null references workspace (id) on delete cascade,
    account_id key_text not null,
    joined_id key_text not null,
    -- Files that had shown the one that was joined.
    uploads text[] not null,
    -- Ids of all records that either account had: large, and read only to part them.
    body json not null
  )`
  yield* sql`create index on account_join (account_id, id)`
  yield* sql`create unique index on account_join (joined_id)`
  yield* workspaceWall("account_join")
})
