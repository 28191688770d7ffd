/** The audit in PostgreSQL. */
import type { AuditEntryId, AuditOutcome } from "@millrace/core/audit"
import { AuditStore, type AuditRow, type ChainedRow } from "@millrace/core/storage"
import { limits } from "@millrace/core"
import type { WorkspaceId } from "@millrace/core/workspace"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { instant, nullable } from "./Column.ts"
import { stored } from "./SqlFailure.ts"

interface EntryRow {
  readonly id: AuditEntryId
  readonly workspace_id: WorkspaceId
  readonly number: string
  readonly hash: string
  readonly at: Date
  readonly actor_id: string
  readonly operation_id: string
  readonly resource_id: string | null
  readonly outcome: AuditOutcome
  readonly content: string
}

const toRow = (row: EntryRow): ChainedRow => ({
  id: row.id,
  workspaceId: row.workspace_id,
  number: Number(row.number),
  hash: row.hash,
  at: instant(row.at),
  actorId: row.actor_id,
  operationId: row.operation_id,
  ...(row.resource_id === null ? {} : { resourceId: row.resource_id }),
  outcome: row.outcome,
  content: row.content
})

export const layer: Layer.Layer<AuditStore, never, SqlClient.SqlClient> = Layer.effect(
  AuditStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql`id, workspace_id, number::text as number, hash, at, actor_id, operation_id, resource_id, outcome,
      content`
    const sealOf = (workspaceId: WorkspaceId) => sql`select seal_audit(${workspaceId}, ${limits.auditMinutes}::int)`

    const insert = (row: AuditRow, ended: boolean) => sql`insert into audit_open
        (id, workspace_id, ended, at, actor_id, operation_id, resource_id, outcome, content)
      values (${row.id}, ${row.workspaceId}, ${ended}, ${row.at}, ${row.actorId}, ${row.operationId},
        ${nullable(row.resourceId)}, ${row.outcome}, ${row.content})`

    return AuditStore.of({
      begin: Effect.fn("AuditStore.begin")(function* (row) {
        yield* stored(insert(row, false))
      }),
      end: Effect.fn("AuditStore.end")(function* (row) {
        const ended = yield* stored(sql`update audit_open set ended = true, resource_id = ${nullable(row.resourceId)},
            outcome = ${row.outcome}, content = ${row.content}
          where workspace_id = ${row.workspaceId} and id = ${row.id} returning 1`)
        if (ended.length === 0) yield* stored(insert(row, true))
      }),
      list: Effect.fn("AuditStore.list")(function* (workspaceId, query) {
        const { actorId, before, from, limit, operationId, outcome, resourceId, to } = query
        yield* stored(sealOf(workspaceId))
        const rows = yield* stored(
          sql<EntryRow>`select ${columns} from audit_entry where ${sql.and([
            sql`workspace_id = ${workspaceId}`,
            ...(before === undefined ? [] : [sql`audit_entry.number < ${before}::bigint`]),
            ...(from === undefined ? [] : [sql`at >= ${from}`]),
            ...(to === undefined ? [] : [sql`at <= ${to}`]),
            ...(actorId === undefined ? [] : [sql`actor_id = ${actorId}`]),
            ...(operationId === undefined ? [] : [sql`operation_id = ${operationId}`]),
            ...(resourceId === undefined ? [] : [sql`resource_id = ${resourceId}`]),
            ...(outcome === undefined ? [] : [sql`outcome = ${outcome}`])
          ])} order by audit_entry.number desc limit ${limit}`
        )
        return rows.map(toRow)
      }),
      chain: Effect.fn("AuditStore.chain")(function* (workspaceId, after, limit) {
        const rows = yield* stored(sql<EntryRow>`select ${columns} from audit_entry
          where workspace_id = ${workspaceId} and audit_entry.number > ${after}::bigint
          order by audit_entry.number limit ${limit}`)
        return rows.map(toRow)
      }),
      ends: Effect.fn("AuditStore.ends")(function* (workspaceId) {
        yield* stored(sealOf(workspaceId))
        const [row] = yield* stored(sql<{
          readonly newest_number: string
          readonly newest_hash: string
          readonly forgotten_number: string
          readonly forgotten_hash: string
        }>`select newest_number::text as newest_number, newest_hash, forgotten_number::text as forgotten_number,
            forgotten_hash from audit_chain where workspace_id = ${workspaceId}`)
        return {
          newest: { number: Number(row?.newest_number ?? 0), hash: row?.newest_hash ?? "" },
          forgotten: { number: Number(row?.forgotten_number ?? 0), hash: row?.forgotten_hash ?? "" }
        }
      }),
      seal: Effect.suspend(() =>
        stored(sql<{
          readonly count: string
        }>`select coalesce(sum(seal_audit(workspace_id, ${limits.auditMinutes}::int)), 0)::text
            as count
          from (select distinct workspace_id from audit_open order by workspace_id) as open`)
      ).pipe(
        Effect.map((rows) => Number(rows[0]!.count)),
        Effect.withSpan("AuditStore.seal")
      ),
      purge: Effect.fn("AuditStore.purge")(function* (limit) {
        const rows = yield* stored(sql<{ readonly count: number }>`select forget_audit(${limit}::int) as count`)
        return rows[0]!.count
      })
    })
  })
)
