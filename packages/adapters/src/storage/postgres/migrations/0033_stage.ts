/** Pages of pulls that are too large to be held. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { workspaceWall } from "./workspaceWall.ts"

export const stage = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Unlogged: the run that put them aside reads them again after a crash of the database.
  yield* sql`create unlogged table stage_chunk (
    workspace_id key_text not null,
    stage_id key_text not null,
    number int not null,
    -- The lease under which the pull runs.
    resource key_text not null,
    holder key_text not null,
    account text not null,
    rows text not null,
    primary key (stage_id, number)
  )`
  // They live for minutes: compressing them costs more than their room.
  yield* sql`alter table stage_chunk alter column rows set storage external`
  yield* workspaceWall("stage_chunk")
})
