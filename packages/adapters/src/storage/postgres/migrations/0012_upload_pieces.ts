/**
 * Contents of uploaded files in sealed pieces, what each file was read with and which records it showed.
 *
 * What was stored before in one value and in the open stays there until the process that comes up next has sealed it
 * (`SealUploads`): a migration has no key.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const uploadPieces = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`alter table upload alter column bytes drop not null`
  // Digest of what the file was read with; of files that were read before it was kept it is empty.
  yield* sql`alter table upload add column reading key_text not null default ''`
  yield* sql`alter table upload add column file_removed_at instant`
  yield* sql`create index upload_stored on upload (created_at) where file_removed_at is null`

  yield* sql`create table upload_piece (
    upload_id key_text not null references upload (id) on delete cascade,
    piece int not null,
    -- Sealed by the Secrets port for its place in its file; never plain bytes.
    sealed bytea not null,
    primary key (upload_id, piece)
  )`
  // What is sealed does not compress.
  yield* sql`alter table upload_piece alter column sealed set storage external`

  yield* sql`create table upload_shown (
    upload_id key_text not null references upload (id) on delete cascade,
    account_id key_text not null,
    data_type key_text not null,
    -- Rows of a reading under way are known by the ids that they have in the file.
    kind text not null check (kind in ('record', 'row')),
    part int not null,
    ids text[] not null,
    primary key (upload_id, account_id, data_type, kind, part)
  )`
  yield* sql`create index on upload_shown (account_id, data_type)`
})
