/**
 * Whoever runs the server is not bound by a plan: the workspace of a first start is on `enterprise`, as new ones are.
 * Workspaces that a program has made with a plan of its choice stay on it.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const ownPlan = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`update workspace set plan = 'enterprise'
    where plan = 'business' and version = 1 and parent_workspace_id is null and id in (
      select workspace_id from member join app_user on app_user.id = member.user_id
      where member.role = 'owner' and app_user.email = 'owner@localhost')`
})
