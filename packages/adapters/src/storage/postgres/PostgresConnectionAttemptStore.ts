/** Attempts to connect a bank in PostgreSQL. What an exchange gave is sealed first. */
import {
  type AttemptEvent,
  attemptTransitions,
  type BankId,
  type ConnectionAttempt,
  type ConnectionAttemptId,
  Secrets
} from "@millrace/core/bank"
import { ConnectionAttemptStore, StorageUnavailable } from "@millrace/core/storage"
import type { CompletedConnection } from "@millrace/core/provider"
import type { WorkspaceId } from "@millrace/core/workspace"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import { createHash } from "node:crypto"
import { instant, nullable, present } from "./Column.ts"
import { inTransaction, stored } from "./SqlFailure.ts"

interface AttemptRow {
  readonly id: ConnectionAttemptId
  readonly workspace_id: WorkspaceId
  readonly instance_id: string
  readonly attempt_id: string
  readonly state: ConnectionAttempt["state"]
  readonly bank_id: BankId | null
  readonly created_at: Date
  readonly updated_at: Date
}

const toAttempt = (row: AttemptRow): ConnectionAttempt => ({
  id: row.id,
  workspaceId: row.workspace_id,
  instanceId: row.instance_id,
  attemptId: row.attempt_id,
  state: row.state,
  createdAt: instant(row.created_at),
  updatedAt: instant(row.updated_at),
  ...present({ bankId: row.bank_id })
})

/** Ids of attempts may be longer than what an index holds. */
const keyOf = (attemptId: string): string => createHash("sha256").update(attemptId).digest("hex")

/** What the exchange of an attempt is sealed for. */
export const contextOf = (workspaceId: string, id: string): string => `${workspaceId}|${id}`

const columns = "id, workspace_id, instance_id, attempt_id, state, bank_id, created_at, updated_at"

const moveOf = (event: AttemptEvent) => {
  const rows = attemptTransitions.filter((row) => row.event === event)
  return { from: rows.map(({ from }) => from), to: rows[0]!.to }
}

export const layer: Layer.Layer<ConnectionAttemptStore, never, SqlClient.SqlClient | Secrets> = Layer.effect(
  ConnectionAttemptStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const secrets = yield* Secrets
    const all = sql.literal(columns)
    return ConnectionAttemptStore.of({
      begin: Effect.fn("ConnectionAttemptStore.begin")(function* (attempt) {
        const key = keyOf(attempt.attemptId)
        return yield* Effect.gen(function* () {
          yield* sql`insert into connection_attempt (id, workspace_id, instance_id, attempt_key, attempt_id, state,
              bank_id, created_at, updated_at)
            values (${attempt.id}, ${attempt.workspaceId}, ${attempt.instanceId}, ${key}, ${attempt.attemptId},
              ${attempt.state}, ${nullable(attempt.bankId)}, ${attempt.createdAt}, ${attempt.updatedAt})
            on conflict (workspace_id, instance_id, attempt_key) do nothing`
          const rows = yield* sql<AttemptRow>`select ${all} from connection_attempt
            where workspace_id = ${attempt.workspaceId} and instance_id = ${attempt.instanceId}
              and attempt_key = ${key}`
          return toAttempt(rows[0]!)
        }).pipe(inTransaction(sql))
      }),
      get: Effect.fn("ConnectionAttemptStore.get")(function* (id) {
        const rows = yield* stored(sql<AttemptRow>`select ${all} from connection_attempt where id = ${id}`)
        return Arr.head(rows.map(toAttempt))
      }),
      move: Effect.fn("ConnectionAttemptStore.move")(function* (id, event, at, bankId) {
        const { from, to } = moveOf(event)
        const rows = yield* stored(sql`update connection_attempt set state = ${to}, updated_at = ${at},
            bank_id = coalesce(${nullable(bankId)}, bank_id),
            exchanged = case when ${event} = 'store' then null else exchanged end
          where id = ${id} and ${sql.in("state", from)} returning id`)
        return rows.length > 0
      }),
      keepExchange: Effect.fn("ConnectionAttemptStore.keepExchange")(function* (id, completed, at) {
        const rows = yield* stored(
          sql<Pick<AttemptRow, "workspace_id">>`select workspace_id from connection_attempt where id = ${id}`
        )
        if (rows[0] === undefined) return
        const exchanged = yield* secrets.seal(
          { exchange: JSON.stringify(completed) },
          contextOf(rows[0].workspace_id, id)
        )
        yield* stored(sql`update connection_attempt set exchanged = ${exchanged}, updated_at = ${at},
            state = case state when 'failed' then 'open' else state end
          where id = ${id} and state <> 'completed'`)
      }),
      exchange: Effect.fn("ConnectionAttemptStore.exchange")(function* (id) {
        const rows = yield* stored(sql<{ readonly workspace: string; readonly exchanged: string }>`
          select workspace_id as workspace, exchanged from connection_attempt
          where id = ${id} and exchanged is not null`)
        const row = rows[0]
        if (row === undefined) return Option.none()
        const opened = yield* secrets
          .open(row.exchanged, contextOf(row.workspace, id))
          .pipe(
            Effect.mapError(
              (cause) => new StorageUnavailable({ message: `the secrets of ${id} cannot be opened: ${cause.reason}` })
            )
          )
        return Option.some(JSON.parse(opened.exchange!) as CompletedConnection)
      })
    })
  })
)
