/** Workspaces and users in PostgreSQL. */
import type { Currency } from "@millrace/core"
import type { PlanName, Workspace, WorkspaceId } from "@millrace/core/workspace"
import { WorkspaceStore } from "@millrace/core/storage"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { instant, nullable, present } from "./Column.ts"
import { inTransaction, stored } from "./SqlFailure.ts"

export interface WorkspaceRow {
  readonly id: WorkspaceId
  readonly name: string
  readonly icon: string | null
  readonly plan: PlanName
  readonly timezone: string
  readonly locale: string
  readonly base_currency: Currency.Currency
  readonly parent_workspace_id: WorkspaceId | null
  readonly created_at: Date
  readonly updated_at: Date
  readonly version: number
}

/** What a workspace is made from. */
export const workspaceColumns: ReadonlyArray<keyof WorkspaceRow> = [
  "id",
  "name",
  "icon",
  "plan",
  "timezone",
  "locale",
  "base_currency",
  "parent_workspace_id",
  "created_at",
  "updated_at",
  "version"
]

export const toWorkspace = (row: WorkspaceRow): Workspace => ({
  id: row.id,
  name: row.name,
  plan: row.plan,
  timezone: row.timezone,
  locale: row.locale,
  baseCurrency: row.base_currency,
  createdAt: instant(row.created_at),
  updatedAt: instant(row.updated_at),
  version: row.version,
  ...present({ icon: row.icon, parentWorkspaceId: row.parent_workspace_id })
})

export const layer: Layer.Layer<WorkspaceStore, never, SqlClient.SqlClient> = Layer.effect(
  WorkspaceStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    WorkspaceStore.of({
      create: Effect.fn("WorkspaceStore.create")(function* (workspace, owner) {
        yield* Effect.gen(function* () {
          yield* sql`insert into workspace (id, name, icon, plan, timezone, locale, base_currency, parent_workspace_id,
              created_at, updated_at, version)
            values (${workspace.id}, ${workspace.name}, ${nullable(workspace.icon)}, ${workspace.plan},
              ${workspace.timezone}, ${workspace.locale}, ${workspace.baseCurrency},
              ${nullable(workspace.parentWorkspaceId)}, ${workspace.createdAt}, ${workspace.updatedAt},
              ${workspace.version})`
          // The owner of a second workspace is known already. With a column named, the row would have to be one that is
          // to be seen, which people are where they are members.
          yield* sql`insert into app_user (id, email, name, created_at)
            values (${owner.id}, ${owner.email}, ${nullable(owner.name)}, ${owner.createdAt})
            on conflict do nothing`
          yield* sql`insert into member (workspace_id, user_id, role) values (${workspace.id}, ${owner.id}, 'owner')`
        }).pipe(inTransaction(sql))
      }),
      update: Effect.fn("WorkspaceStore.update")(function* (workspace) {
        const rows = yield* stored(
          sql`update workspace set name = ${workspace.name}, icon = ${nullable(workspace.icon)},
              timezone = ${workspace.timezone}, locale = ${workspace.locale}, base_currency = ${workspace.baseCurrency},
              updated_at = ${workspace.updatedAt}, version = ${workspace.version}
            where id = ${workspace.id} and version = ${workspace.version - 1} returning id`
        )
        return rows.length === 1
      }),
      get: Effect.fn("WorkspaceStore.get")(function* (id) {
        const rows = yield* stored(sql<WorkspaceRow>`select * from workspace where id = ${id}`)
        return Arr.head(rows.map(toWorkspace))
      }),
      portals: Effect.fn("WorkspaceStore.portals")(function* (id) {
        const rows = yield* stored(
          sql<WorkspaceRow>`select * from workspace where parent_workspace_id = ${id} order by created_at, id`
        )
        return rows.map(toWorkspace)
      }),
      all: stored(sql<WorkspaceRow>`select * from workspace order by created_at, id`).pipe(
        Effect.map((rows) => rows.map(toWorkspace)),
        Effect.withSpan("WorkspaceStore.all")
      )
    })
  )
)
