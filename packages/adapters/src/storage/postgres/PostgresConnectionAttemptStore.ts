/** Attempts to connect a bank in PostgreSQL. What they keep and what an exchange gave is sealed first. */
import {
  attemptDays,
  attemptMinutes,
  type AttemptEvent,
  attemptTransitions,
  type BankId,
  type ConnectionAttempt,
  type ConnectionAttemptId,
  lateHours,
  Secrets
} from "@millrace/core/bank"
import { type AttemptPart, type AttemptParts, ConnectionAttemptStore, StorageUnavailable } from "@millrace/core/storage"
import type { CompletedConnection } from "@millrace/core/provider"
import type { WorkspaceId } from "@millrace/core/workspace"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import { createHash } from "node:crypto"
import { instant, json, nullable, present } from "./Column.ts"
import { inTransaction, stored } from "./SqlFailure.ts"

interface AttemptRow {
  readonly id: ConnectionAttemptId
  readonly workspace_id: WorkspaceId
  readonly instance_id: string
  readonly attempt_id: string
  readonly state: ConnectionAttempt["state"]
  readonly flow: string | null
  readonly expires_at: Date
  readonly credential: string
  readonly created_by: ConnectionAttempt["createdBy"]
  readonly reconnects: BankId | null
  readonly institution_id: string | null
  readonly redirect_uri: string | null
  readonly state_hash: string | null
  readonly error: ConnectionAttempt["error"] | null
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
  expiresAt: instant(row.expires_at),
  credential: row.credential,
  createdBy: row.created_by,
  createdAt: instant(row.created_at),
  updatedAt: instant(row.updated_at),
  ...present({
    flow: row.flow,
    reconnects: row.reconnects,
    institutionId: row.institution_id,
    redirectUri: row.redirect_uri,
    stateHash: row.state_hash,
    error: row.error ?? null,
    bankId: row.bank_id
  })
})

/** Ids of attempts may be longer than what an index holds. */
const keyOf = (attemptId: string): string => createHash("sha256").update(attemptId).digest("hex")

/** What the exchange of an attempt is sealed for. */
export const contextOf = (workspaceId: string, id: string): string => `${workspaceId}|${id}`

/** What a part of an attempt is sealed for. */
export const partContextOf = (workspaceId: string, id: string, part: string): string => `${workspaceId}|${id}|${part}`

const columns = [
  "id",
  "workspace_id",
  "instance_id",
  "attempt_id",
  "state",
  "flow",
  "expires_at",
  "credential",
  "created_by",
  "reconnects",
  "institution_id",
  "redirect_uri",
  "state_hash",
  "error",
  "bank_id",
  "created_at",
  "updated_at"
] satisfies ReadonlyArray<keyof AttemptRow>

const moveOf = (event: AttemptEvent) => {
  const rows = attemptTransitions.filter((row) => row.event === event)
  return { from: rows.map(({ from }) => from), to: rows[0]!.to }
}

/** The states from which nothing but an exchange brings an attempt back. */
const ended = ["completed", "failed", "superseded", "expired"]
/** The states in which a payload that nobody has used still completes it. */
const completable = moveOf("complete").from

export const layer: Layer.Layer<ConnectionAttemptStore, never, SqlClient.SqlClient | Secrets> = Layer.effect(
  ConnectionAttemptStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const secrets = yield* Secrets
    const all = sql.literal(columns.map((name) => `connection_attempt.${name}`).join(", "))

    const workspaceOf = Effect.fnUntraced(function* (id: ConnectionAttemptId) {
      const rows = yield* stored(
        sql<Pick<AttemptRow, "workspace_id">>`select workspace_id from connection_attempt where id = ${id}`
      )
      return rows[0]?.workspace_id
    })
    const opened = (id: string, sealed: string, context: string) =>
      Effect.mapError(
        secrets.open(sealed, context),
        ({ reason }) => new StorageUnavailable({ message: `the secrets of ${id} cannot be opened: ${reason}` })
      )

    return ConnectionAttemptStore.of({
      begin: Effect.fn("ConnectionAttemptStore.begin")(function* (attempt) {
        const key = keyOf(attempt.attemptId)
        return yield* Effect.gen(function* () {
          yield* sql`insert into connection_attempt (id, workspace_id, instance_id, attempt_key, attempt_id, state,
              flow, expires_at, credential, created_by, reconnects, institution_id, redirect_uri, state_hash, error,
              bank_id, created_at, updated_at)
            values (${attempt.id}, ${attempt.workspaceId}, ${attempt.instanceId}, ${key}, ${attempt.attemptId},
              ${attempt.state}, ${nullable(attempt.flow)}, ${attempt.expiresAt}, ${attempt.credential},
              ${json(attempt.createdBy)}, ${nullable(attempt.reconnects)}, ${nullable(attempt.institutionId)},
              ${nullable(attempt.redirectUri)}, ${nullable(attempt.stateHash)}, ${json(attempt.error)},
              ${nullable(attempt.bankId)}, ${attempt.createdAt}, ${attempt.updatedAt})
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
      named: Effect.fn("ConnectionAttemptStore.named")(function* (workspaceId, instanceId, attemptId) {
        const rows = yield* stored(sql<AttemptRow>`select ${all} from connection_attempt
          where workspace_id = ${workspaceId} and instance_id = ${instanceId} and attempt_key = ${keyOf(attemptId)}`)
        return Arr.head(rows.map(toAttempt))
      }),
      newest: Effect.fn("ConnectionAttemptStore.newest")(function* (workspaceId, instanceId, credential, endedAfter) {
        const rows = yield* stored(sql<AttemptRow>`select ${all} from connection_attempt
          where workspace_id = ${workspaceId} and instance_id = ${instanceId} and credential = ${credential}
            and ${sql.in("state", completable)} and expires_at > ${endedAfter}
          order by created_at desc, id desc limit 1`)
        return Arr.head(rows.map(toAttempt))
      }),
      byState: Effect.fn("ConnectionAttemptStore.byState")(function* (stateHash) {
        const rows = yield* stored(
          sql<AttemptRow>`select ${all} from connection_attempt where state_hash = ${stateHash}`
        )
        return Arr.head(rows.map(toAttempt))
      }),
      move: Effect.fn("ConnectionAttemptStore.move")(function* (id, event, at, outcome = {}) {
        const { from, to } = moveOf(event)
        const moved = sql`update connection_attempt set state = ${to}, updated_at = ${at},
            bank_id = coalesce(${nullable(outcome.bankId)}, bank_id), error = coalesce(${json(outcome.error)}, error),
            exchanged = case when ${event} = 'store' then null else exchanged end
          where id = ${id} and ${sql.in("state", from)} returning id`
        if (event !== "store") return (yield* stored(moved)).length > 0
        return yield* inTransaction(sql)(
          Effect.gen(function* () {
            const rows = yield* moved
            if (rows.length > 0) yield* sql`delete from connection_attempt_part where attempt_id = ${id}`
            return rows.length > 0
          })
        )
      }),
      setStep: Effect.fn("ConnectionAttemptStore.setStep")(function* (id, { expiresAt, flow, reconnects }, at) {
        yield* stored(sql`update connection_attempt set flow = ${flow}, expires_at = ${expiresAt},
          reconnects = coalesce(${nullable(reconnects)}, reconnects), updated_at = ${at} where id = ${id}`)
      }),
      supersede: Effect.fn("ConnectionAttemptStore.supersede")(function* (attempt, at) {
        const { from, to } = moveOf("supersede")
        const rows = yield* stored(sql`update connection_attempt set state = ${to}, updated_at = ${at}
          where workspace_id = ${attempt.workspaceId} and reconnects = ${attempt.reconnects}
            and credential = ${attempt.credential} and id <> ${attempt.id} and ${sql.in("state", from)} returning id`)
        return rows.length
      }),
      keep: Effect.fn("ConnectionAttemptStore.keep")(function* <P extends AttemptPart>(
        id: ConnectionAttemptId,
        part: P,
        value: AttemptParts[P],
        at: ConnectionAttempt["updatedAt"]
      ) {
        const workspace = yield* workspaceOf(id)
        if (workspace === undefined) return
        const sealed = yield* secrets.seal({ [part]: JSON.stringify(value) }, partContextOf(workspace, id, part))
        yield* stored(sql`with attempt as (
            update connection_attempt set updated_at = ${at} where id = ${id} and state <> 'completed'
            returning id, workspace_id)
          insert into connection_attempt_part (attempt_id, part, workspace_id, sealed)
          select id, ${part}, workspace_id, ${sealed} from attempt
          on conflict (attempt_id, part) do update set sealed = excluded.sealed`)
      }),
      part: Effect.fn("ConnectionAttemptStore.part")(function* <P extends AttemptPart>(
        id: ConnectionAttemptId,
        part: P
      ) {
        const [row] = yield* stored(sql<{ readonly workspace: string; readonly sealed: string }>`
          select workspace_id as workspace, sealed from connection_attempt_part
          where attempt_id = ${id} and part = ${part}`)
        if (row === undefined) return Option.none<AttemptParts[P]>()
        const plain = yield* opened(id, row.sealed, partContextOf(row.workspace, id, part))
        return Option.some(JSON.parse(plain[part]!) as AttemptParts[P])
      }),
      dropPart: Effect.fn("ConnectionAttemptStore.dropPart")(function* (id, part) {
        yield* stored(sql`delete from connection_attempt_part where attempt_id = ${id} and part = ${part}`)
      }),
      keepExchange: Effect.fn("ConnectionAttemptStore.keepExchange")(function* (id, completed, at) {
        const workspace = yield* workspaceOf(id)
        if (workspace === undefined) return
        const exchanged = yield* secrets.seal({ exchange: JSON.stringify(completed) }, contextOf(workspace, id))
        yield* stored(sql`update connection_attempt set exchanged = ${exchanged}, updated_at = ${at},
            error = case state when 'failed' then null else error end,
            state = case state when 'failed' then 'open' else state end
          where id = ${id} and state <> 'completed'`)
      }),
      exchange: Effect.fn("ConnectionAttemptStore.exchange")(function* (id) {
        const rows = yield* stored(sql<{ readonly workspace: string; readonly exchanged: string }>`
          select workspace_id as workspace, exchanged from connection_attempt
          where id = ${id} and exchanged is not null`)
        const row = rows[0]
        if (row === undefined) return Option.none()
        const plain = yield* opened(id, row.exchanged, contextOf(row.workspace, id))
        return Option.some(JSON.parse(plain.exchange!) as CompletedConnection)
      }),
      dropExchange: Effect.fn("ConnectionAttemptStore.dropExchange")(function* (id, at) {
        yield* stored(sql`update connection_attempt set exchanged = null, updated_at = ${at} where id = ${id}`)
      }),
      anyRunning: Effect.fn("ConnectionAttemptStore.anyRunning")(function* (workspaceId, instanceId, removed) {
        const begun = sql`store_now() - make_interval(mins => ${attemptMinutes.begin})`
        const [row] = yield* stored(sql<{ readonly found: boolean }>`select exists (select from connection_attempt
          where workspace_id = ${workspaceId} and instance_id = ${instanceId} and (exchanged is not null
            or (${sql.in("state", completable)} and ((state = 'completing' and updated_at > ${begun})
              or (expires_at > store_now() - make_interval(hours => ${lateHours})
                and (reconnects is distinct from ${nullable(removed)}::text or ${removed === undefined} or created_at > ${begun})))))) as found`)
        return row!.found
      }),
      sweep: Effect.fn("ConnectionAttemptStore.sweep")(function* (limit) {
        const { to } = moveOf("expire")
        const rows = yield* stored(sql`update connection_attempt set state = ${to}, updated_at = store_now()
          where id in (select id from connection_attempt where state = 'open' and expires_at <= store_now()
            order by expires_at limit ${limit} for update skip locked) returning id`)
        return rows.length
      }),
      waiting: Effect.fn("ConnectionAttemptStore.waiting")(function* (before, limit) {
        const rows = yield* stored(sql<AttemptRow>`select ${all} from connection_attempt
          where updated_at < ${before} and state <> 'completed'
            and (exchanged is not null or (${sql.in("state", completable)} and exists (
              select from connection_attempt_part where attempt_id = connection_attempt.id and part = 'payload')))
          order by updated_at, id limit ${limit}`)
        return rows.map(toAttempt)
      }),
      purge: Effect.fn("ConnectionAttemptStore.purge")(function* (limit) {
        const gone = yield* stored(sql`delete from connection_attempt where id in (
          select id from connection_attempt where ${sql.in("state", ended)} and exchanged is null
            and updated_at < store_now() - make_interval(days => ${attemptDays}) limit ${limit}) returning id`)
        const late = yield* stored(sql`delete from connection_attempt_part where attempt_id in (
          select id from connection_attempt where state <> 'completing'
            and expires_at < store_now() - make_interval(hours => ${lateHours})
            and exists (select from connection_attempt_part where attempt_id = connection_attempt.id)
          limit ${limit}) returning attempt_id`)
        return gone.length + new Set(late.map((row) => row["attempt_id"])).size
      })
    })
  })
)
