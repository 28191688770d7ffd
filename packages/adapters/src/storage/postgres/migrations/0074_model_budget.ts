/** Tokens that workspaces use at the endpoints of models that the operator named. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { workspaceWall } from "./workspaceWall.ts"

export const modelBudget = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // One row for each workspace, endpoint and month; deleted 400 days after the month.
  yield* sql`create table endpoint_use (
    workspace_id key_text not null references workspace (id) on delete cascade,
    endpoint key_text not null,
    month key_text not null,
    used bigint not null,
    primary key (workspace_id, endpoint, month))`
  yield* workspaceWall("endpoint_use")
  // The same in all: it stays when a workspace is deleted.
  yield* sql`create table endpoint_total (
    endpoint key_text not null,
    month key_text not null,
    used bigint not null,
    primary key (endpoint, month))`
  yield* sql`alter table token_reservation add column endpoint key_text`
})
