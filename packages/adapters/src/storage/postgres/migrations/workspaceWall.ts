/** What a migration puts round a table of workspaces. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

/** The wall itself, for migrations: a table and the column with its workspace. Rows of other workspaces are not there. */
export const workspaceWall = Effect.fnUntraced(function* (table: string, column = "workspace_id") {
  const sql = yield* SqlClient.SqlClient
  // Asked once a statement and not for each row.
  yield* sql.unsafe(`create policy workspace_wall on "${table}"
    using ((select reaches_every_workspace()) or "${column}" = any ((select reached_workspaces())::text[]))`)
  yield* raise(table)
})

/** Lets the policies of a table hold for everybody, its owner included. */
export const raise = Effect.fnUntraced(function* (table: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`alter table "${table}" enable row level security`)
  yield* sql.unsafe(`alter table "${table}" force row level security`)
})
