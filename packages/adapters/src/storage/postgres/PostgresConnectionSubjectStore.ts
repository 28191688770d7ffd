/** Subjects of connections in PostgreSQL. Their secrets are sealed first. */
import { type ConnectionSubject, Secrets } from "@millrace/core/bank"
import type { Subject } from "@millrace/core/provider"
import { ConnectionSubjectStore, StorageUnavailable } from "@millrace/core/storage"
import type { WorkspaceId } from "@millrace/core/workspace"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
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

const toSubject = (row: SubjectRow): ConnectionSubject => ({
  workspaceId: row.workspace_id,
  instanceId: row.instance_id,
  ref: row.ref,
  createdAt: instant(row.created_at)
})

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
        where workspace_id = ${workspaceId} and instance_id = ${instanceId} and ended_at is null`

    return ConnectionSubjectStore.of({
      begin: Effect.fn("ConnectionSubjectStore.begin")(function* ({ createdAt, instanceId, ref, workspaceId }) {
        return yield* Effect.gen(function* () {
          for (;;) {
            yield* sql`insert into connection_subject (workspace_id, instance_id, ref, created_at, updated_at)
              values (${workspaceId}, ${instanceId}, ${ref}, ${createdAt}, ${createdAt})
              on conflict (workspace_id, instance_id) where ended_at is null do nothing`
            // One that ended while this waited for its row is found no more.
            const [row] = yield* sql<SubjectRow>`${of(workspaceId, instanceId)} for share`
            if (row !== undefined) return yield* opened(row)
          }
        }).pipe(inTransaction(sql))
      }),
      get: Effect.fn("ConnectionSubjectStore.get")(function* (workspaceId, instanceId) {
        return Arr.head(yield* Effect.forEach(yield* stored(of(workspaceId, instanceId)), opened))
      }),
      hold: Effect.fn("ConnectionSubjectStore.hold")(function* (workspaceId, instanceId) {
        const rows = yield* stored(sql<SubjectRow>`${of(workspaceId, instanceId)} for update`)
        return Arr.head(yield* Effect.forEach(rows, opened))
      }),
      end: Effect.fn("ConnectionSubjectStore.end")(function* (workspaceId, instanceId, at) {
        yield* stored(sql`update connection_subject set ended_at = ${at}, updated_at = ${at}
          where workspace_id = ${workspaceId} and instance_id = ${instanceId} and ended_at is null`)
      }),
      ended: Effect.fn("ConnectionSubjectStore.ended")(function* (workspaceId, instanceId) {
        const rows = yield* stored(sql<SubjectRow>`select workspace_id, instance_id, ref, sealed, created_at
          from connection_subject
          where workspace_id = ${workspaceId} and instance_id = ${instanceId} and ended_at is not null
          order by ended_at, ref`)
        return yield* Effect.forEach(rows, opened)
      }),
      takeLeft: Effect.fn("ConnectionSubjectStore.takeLeft")(function* (before, limit, at) {
        const rows = yield* stored(sql<SubjectRow>`update connection_subject s set taken_at = ${at}
          from (select instance_id, ref, coalesce(taken_at, created_at) as since from connection_subject
            where coalesce(taken_at, created_at) < ${before} order by 3, 1, 2 limit ${limit} for update skip locked) l
          where s.instance_id = l.instance_id and s.ref = l.ref
          returning s.workspace_id, s.instance_id, s.ref, s.sealed, s.created_at`)
        return rows.map(toSubject)
      }),
      forget: Effect.fn("ConnectionSubjectStore.forget")(function* (workspaceId, instanceId, ref) {
        yield* stored(sql`delete from connection_subject where workspace_id = ${workspaceId}
          and instance_id = ${instanceId} and ref = ${ref} and ended_at is not null`)
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
              where instance_id = ${instanceId} and ref = ${row.ref}`
          })
        )
      }),
      byRef: Effect.fn("ConnectionSubjectStore.byRef")(function* (instanceId, ref) {
        const rows = yield* stored(sql<SubjectRow>`select workspace_id, instance_id, ref, sealed, created_at
          from connection_subject where instance_id = ${instanceId} and ref = ${ref}`)
        return Option.map(Arr.head(rows), toSubject)
      })
    })
  })
)
