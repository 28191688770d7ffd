/** Subjects of connections in PostgreSQL. Their secrets are sealed first. */
import { type ConnectionSubject, Secrets } from "@millrace/core/bank"
import type { Subject } from "@millrace/core/provider"
import { ConnectionSubjectStore, StorageUnavailable } from "@millrace/core/storage"
import type { WorkspaceId } from "@millrace/core/workspace"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { instant } from "./Column.ts"
import { inTransaction, stored } from "./SqlFailure.ts"

interface SubjectRow {
  readonly workspace_id: WorkspaceId
  readonly instance_id: string
  readonly ref: string
  readonly sealed: string | null
  readonly created_at: Date
}

/** What the secrets of a subject are sealed for. */
export const contextOf = (workspaceId: string, instanceId: string): string => `${workspaceId}|subject|${instanceId}`

export const layer: Layer.Layer<ConnectionSubjectStore, never, SqlClient.SqlClient | Secrets> = Layer.effect(
  ConnectionSubjectStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const secrets = yield* Secrets

    const opened = Effect.fnUntraced(function* ({ instance_id, ref, sealed, workspace_id }: SubjectRow) {
      if (sealed === null) return { ref, secrets: {} } satisfies Subject
      const plain = yield* secrets
        .open(sealed, contextOf(workspace_id, instance_id))
        .pipe(
          Effect.mapError(
            ({ reason }) =>
              new StorageUnavailable({ message: `the secrets of subject ${ref} cannot be opened: ${reason}` })
          )
        )
      return { ref, secrets: plain } satisfies Subject
    })
    const of = (workspaceId: WorkspaceId, instanceId: string) =>
      sql<SubjectRow>`select workspace_id, instance_id, ref, sealed, created_at from connection_subject
        where workspace_id = ${workspaceId} and instance_id = ${instanceId}`

    return ConnectionSubjectStore.of({
      begin: Effect.fn("ConnectionSubjectStore.begin")(function* ({ createdAt, instanceId, ref, workspaceId }) {
        const [row] = yield* Effect.gen(function* () {
          yield* sql`insert into connection_subject (workspace_id, instance_id, ref, created_at, updated_at)
            values (${workspaceId}, ${instanceId}, ${ref}, ${createdAt}, ${createdAt})
            on conflict (workspace_id, instance_id) do nothing`
          return yield* of(workspaceId, instanceId)
        }).pipe(inTransaction(sql))
        return yield* opened(row!)
      }),
      get: Effect.fn("ConnectionSubjectStore.get")(function* (workspaceId, instanceId) {
        return Arr.head(yield* Effect.forEach(yield* stored(of(workspaceId, instanceId)), opened))
      }),
      keepSecrets: Effect.fn("ConnectionSubjectStore.keepSecrets")(function* (workspaceId, instanceId, added, at) {
        yield* inTransaction(sql)(
          Effect.gen(function* () {
            // Two who keep some at once keep both.
            const [row] = yield* sql<SubjectRow>`${of(workspaceId, instanceId)} for update`
            if (row === undefined) return
            const held = yield* opened(row)
            const sealed = yield* secrets.seal({ ...held.secrets, ...added }, contextOf(workspaceId, instanceId))
            yield* sql`update connection_subject set sealed = ${sealed}, updated_at = ${at}
              where workspace_id = ${workspaceId} and instance_id = ${instanceId}`
          })
        )
      }),
      byRef: Effect.fn("ConnectionSubjectStore.byRef")(function* (instanceId, ref) {
        const rows = yield* stored(sql<SubjectRow>`select workspace_id, instance_id, ref, sealed, created_at
          from connection_subject where instance_id = ${instanceId} and ref = ${ref}`)
        return Arr.head(
          rows.map((row): ConnectionSubject => ({
            workspaceId: row.workspace_id,
            instanceId: row.instance_id,
            ref: row.ref,
            createdAt: instant(row.created_at)
          }))
        )
      })
    })
  })
)
