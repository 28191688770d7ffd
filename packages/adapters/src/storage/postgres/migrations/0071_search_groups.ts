/** What stands together in several blocks of a search is in one row, bit beside bit. Upkeep takes in the blocks that are there. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { blocksAlone, makeIndexes } from "./lateIndex.ts"
import { workspaceWall } from "./workspaceWall.ts"

export const searchGroups = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Blocks of an account can be several times in what stands here, and blocks that are gone may be named.
  yield* sql`create table search_group (
    id bigint generated always as identity primary key,
    workspace_id key_text not null,
    account_id key_text not null,
    data_type key_text not null,
    -- The last numbers of its blocks, in the order of their bits.
    blocks bigint[] not null,
    -- For each place a bit of each block.
    signature bytea not null,
    least real,
    most real
  )`
  yield* sql`create index on search_group (account_id, data_type)`
  // A row takes a page, and nothing of it is to be looked up elsewhere.
  yield* sql`alter table search_group set (toast_tuple_target = 8160), alter column signature set storage plain`
  yield* workspaceWall("search_group")

  // Null: it has a signature of its own, or none.
  yield* sql`alter table record_search add column grouped boolean`
  yield* makeIndexes(blocksAlone)
})
