/** What reads of records look things up in: blocks of what they say, and their days in a form that is found behind the wall. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { makeIndexes, recordDays } from "./lateIndex.ts"
import { workspaceWall } from "./workspaceWall.ts"

export const recordSearch = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`create table record_search (
    workspace_id key_text not null,
    account_id key_text not null,
    data_type key_text not null,
    -- Of all records that changed with these numbers and have not changed since, a block has what they say.
    first_no bigint not null,
    last_no bigint not null,
    -- Change numbers of its rows; null where they follow one another.
    nos bigint[],
    rows int not null,
    -- Null: what these records say is in no block yet.
    texts text collate "C",
    -- Where each row begins in them.
    starts int[],
    -- Bits of what stands together in them.
    signature bytea,
    -- Nearest floating numbers, lowest first, and the rows that have them.
    amounts real[],
    amount_rows smallint[],
    least real,
    most real,
    primary key (account_id, data_type, last_no) include (workspace_id, rows)
  )`
  yield* sql`create index record_search_unknown on record_search (account_id, data_type, last_no) where texts is null`
  // Packing and unpacking costs more than the room. Whether a block is of use is told by what stays in its row.
  yield* sql`alter table record_search
    alter column texts set storage external,
    alter column starts set storage external,
    alter column signature set storage plain,
    alter column amounts set storage external,
    alter column amount_rows set storage external`
  yield* workspaceWall("record_search")

  // Records that are there already go into blocks bit by bit, while the server works. They are not read here.
  yield* sql`insert into record_search (workspace_id, account_id, data_type, first_no, last_no, rows)
    select workspace_id, account_id, 'transactions', 1, change_seq, 0 from account_change where change_seq > 0`

  yield* makeIndexes(recordDays)
})
