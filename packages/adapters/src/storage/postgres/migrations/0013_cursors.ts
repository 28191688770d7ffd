/** Parts of cursors that are too long for a caller to carry. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const cursors = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`create sequence cursor_part_turn`
  yield* sql`create table cursor_part (
    workspace_id key_text not null,
    digest key_text not null,
    part text not null,
    bytes int not null,
    kept_until instant not null,
    -- Greater, the later it was kept.
    turn bigint not null default nextval('cursor_part_turn'),
    primary key (workspace_id, digest)
  )`
  yield* sql`create index cursor_part_over on cursor_part (kept_until)`
})
