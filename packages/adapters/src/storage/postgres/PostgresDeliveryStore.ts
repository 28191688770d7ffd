/** The delivery ledger in PostgreSQL. */
import type { AccountId } from "@millrace/core/account/Account"
import type { Delivery } from "@millrace/core/destination/Delivery"
import {
  type DeliveryEntry,
  DeliveryStore,
  type Intent,
  type Outcome,
  type Settlement
} from "@millrace/core/destination/DeliveryStore"
import type { FeedId } from "@millrace/core/feed/Feed"
import type { JobId } from "@millrace/core/job/Job"
import type { CalendarDate } from "@millrace/core/shared/CalendarDate"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as Stream from "effect/Stream"
import { instant, present } from "./Column.ts"
import { stored, storedInBulk, unavailable } from "./SqlFailure.ts"
import { textColumns } from "./TextColumns.ts"

interface DeliveryRow {
  readonly feed_id: FeedId
  readonly record_id: string
  readonly account_id: AccountId
  readonly date: CalendarDate | null
  readonly version: number
  readonly op: Delivery["op"]
  readonly state: Delivery["state"]
  readonly hash: string
  readonly job_id: JobId
  readonly field_values: Delivery["values"]
  readonly provenance: Delivery["provenance"]
  readonly remote_ref: string | null
  readonly attempts: number
  readonly last_error: string | null
  readonly updated_at: Date
}

const toDelivery = (row: DeliveryRow): Delivery => ({
  feedId: row.feed_id,
  recordId: row.record_id,
  accountId: row.account_id,
  date: row.date,
  version: row.version,
  op: row.op,
  state: row.state,
  hash: row.hash,
  jobId: row.job_id,
  values: row.field_values,
  provenance: row.provenance,
  attempts: row.attempts,
  updatedAt: instant(row.updated_at),
  ...present({ remoteRef: row.remote_ref, lastError: row.last_error })
})

// What is being sent may have arrived already.
const isPresent = "(delivery.present or (delivery.state = 'sending' and delivery.op <> 'remove'))"

// `settled`: the rows arrived with the same transaction, and the last three columns say how it went.
const intendStatement = (settled: boolean) => `
  insert into delivery (feed_id, job_id, record_id, account_id, date, op, hash, field_values, provenance, version, state,
    attempts, present, remote_ref, last_error, updated_at)
  select $1, $2, i.record_id, i.account_id, i.date::date, i.op, coalesce(i.hash, ''), i.field_values::json,
    i.provenance::json, 1, ${settled ? "i.state, 0, i.state = 'done' and i.op <> 'remove', i.ref, i.error" : "'intended', 0, false, null, null"},
    store_now()
  from unnest(string_to_array($4, $3), string_to_array($5, $3), string_to_array($6, $3, ''), string_to_array($7, $3),
    string_to_array($8, $3, ''), ${settled ? "string_to_array($9, $3), string_to_array($10, $3, ''), string_to_array($11, $3, ''), string_to_array($12, $3), string_to_array($13, $3)" : "string_to_array($9, $3), string_to_array($10, $3)"})
    as i(record_id, account_id, date, op, hash, ${settled ? "state, ref, error, " : ""}field_values, provenance)
  on conflict (feed_id, record_id) do update set
    job_id = excluded.job_id, account_id = excluded.account_id, date = excluded.date, op = excluded.op,
    hash = excluded.hash, field_values = excluded.field_values, provenance = excluded.provenance,
    version = delivery.version + 1, state = excluded.state, attempts = excluded.attempts,
    last_error = excluded.last_error, updated_at = excluded.updated_at, ${
      settled
        ? `present = case excluded.state when 'done' then excluded.op <> 'remove' when 'skipped' then false
      else ${isPresent} end,
    remote_ref = case when excluded.state = 'done' and excluded.op = 'remove' then null
      else coalesce(excluded.remote_ref, delivery.remote_ref) end`
        : `present = ${isPresent}`
    }`

const intendOpen = intendStatement(false)
const intendClosed = intendStatement(true)

const outcomeColumns = (outcomes: ReadonlyArray<Outcome>) => [
  outcomes.map(({ state }) => state),
  outcomes.map((outcome) => (outcome.state === "done" ? (outcome.remoteRef ?? "") : "")),
  outcomes.map((outcome) => (outcome.state === "failed" ? outcome.error : ""))
]

const columnsOf = (intents: ReadonlyArray<Intent>, more: ReadonlyArray<ReadonlyArray<string>> = []) =>
  textColumns(
    [
      intents.map((intent) => intent.recordId),
      intents.map((intent) => intent.accountId),
      intents.map((intent) => intent.date ?? ""),
      intents.map((intent) => intent.op),
      intents.map((intent) => intent.hash),
      ...more
    ],
    [intents.map((intent) => JSON.stringify(intent.values)), intents.map((intent) => JSON.stringify(intent.provenance))]
  )

// A newer version stays as it is, and learns only where its row is. The list of ids keeps the planner from reading all
// rows of the feed for each batch where it knows nothing yet of how many there have become.
const settleStatement = `
  with s as (
    select * from json_to_recordset($3::json) as s(id text, version int, state text, ref text, error text)
  )
  update delivery as d set
    state = case when d.version = s.version then s.state else d.state end,
    job_id = case when d.version = s.version then $2 else d.job_id end,
    remote_ref = case when d.version = s.version and s.state = 'done' and d.op = 'remove' then null
      else coalesce(s.ref, d.remote_ref) end,
    last_error = case when d.version = s.version then coalesce(s.error, d.last_error) else d.last_error end,
    present = case when d.version <> s.version then d.present
      when s.state = 'done' then d.op <> 'remove'
      when s.state = 'skipped' then false
      else d.present end,
    updated_at = store_now()
  from s
  where d.feed_id = $1 and d.record_id = any(array(select id from s)) and d.record_id = s.id
    and ((d.version = s.version and (d.state in ('intended', 'sending', 'failed')
        or (d.state, s.state) in (('done', 'skipped'), ('skipped', 'intended'))))
      or (d.version > s.version and s.ref is not null))`

const toSettlementJson = (settlement: Settlement) => ({
  id: settlement.recordId,
  version: settlement.version,
  state: settlement.state,
  ...(settlement.state === "done" ? { ref: settlement.remoteRef } : {}),
  ...(settlement.state === "failed" ? { error: settlement.error } : {})
})

const deliveryColumns = `feed_id, record_id, account_id, date, version, op, state, hash, job_id, field_values, provenance,
  remote_ref, attempts, last_error, updated_at`

export const layer: Layer.Layer<DeliveryStore, never, SqlClient.SqlClient> = Layer.effect(
  DeliveryStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const columns = sql.literal(deliveryColumns)
    const isOpen = sql.literal("state in ('intended', 'sending', 'failed')")
    const walk = sql.literal("coalesce(date, 'infinity'::date), record_id")

    return DeliveryStore.of({
      entries: Effect.fn("DeliveryStore.entries")(function* (feedId, recordIds) {
        if (recordIds.length === 0) return new Map<string, DeliveryEntry>()
        const rows = yield* storedInBulk(sql<DeliveryEntry>`select record_id as "recordId", hash, op, state,
            ${sql.literal(isPresent)} as present
          from delivery where feed_id = ${feedId} and record_id = any(${recordIds}::text[])`)
        return new Map(rows.map((row) => [row.recordId, row]))
      }),
      intend: Effect.fn("DeliveryStore.intend")(function* (feedId, jobId, intents) {
        if (intents.length === 0) return
        const { separator, texts } = yield* columnsOf(intents)
        yield* storedInBulk(sql.unsafe(intendOpen, [feedId, jobId, separator, ...texts]))
      }),
      intendSettled: Effect.fn("DeliveryStore.intendSettled")(function* (feedId, jobId, intents, outcomes) {
        if (intents.length === 0) return
        const { separator, texts } = yield* columnsOf(intents, outcomeColumns(outcomes))
        yield* storedInBulk(sql.unsafe(intendClosed, [feedId, jobId, separator, ...texts]))
      }),
      open: Effect.fn("DeliveryStore.open")(function* (feedId, { limit, after }) {
        const rows = yield* storedInBulk(
          sql<DeliveryRow>`select ${columns} from delivery where ${sql.and([
            sql`feed_id = ${feedId}`,
            isOpen,
            ...(after === undefined
              ? []
              : [sql`(${walk}) > (coalesce(${after.date}::date, 'infinity'), ${after.recordId})`])
          ])} order by ${walk} limit ${limit}`
        )
        return rows.map(toDelivery)
      }),
      countOpen: Effect.fn("DeliveryStore.countOpen")(function* (feedId, jobId) {
        const rows = yield* stored(sql<{ readonly own: number; readonly carried: number }>`select
            (count(*) filter (where job_id = ${jobId} and state <> 'failed'))::int as own,
            (count(*) filter (where job_id <> ${jobId}))::int as carried
          from delivery where feed_id = ${feedId} and ${isOpen}`)
        return rows[0]!
      }),
      markSending: Effect.fn("DeliveryStore.markSending")(function* (feedId, recordIds) {
        if (recordIds.length === 0) return
        yield* storedInBulk(sql`update delivery set state = 'sending', attempts = attempts + 1,
            updated_at = store_now()
          where feed_id = ${feedId} and record_id = any(${recordIds}::text[]) and state = 'intended'`)
      }),
      settle: Effect.fn("DeliveryStore.settle")(function* (feedId, jobId, settlements) {
        if (settlements.length === 0) return
        yield* storedInBulk(
          sql.unsafe(settleStatement, [feedId, jobId, JSON.stringify(settlements.map(toSettlementJson))])
        )
      }),
      current: (feedId) =>
        sql<DeliveryRow>`select ${columns} from delivery
          where feed_id = ${feedId} and op <> 'remove' and state <> 'skipped' order by ${walk}`.stream.pipe(
          Stream.mapBoth({ onElement: toDelivery, onError: unavailable })
        ),
      list: Effect.fn("DeliveryStore.list")(function* (feedId, { jobId, state, recordId, limit }) {
        const rows = yield* storedInBulk(
          sql<DeliveryRow>`select ${columns} from delivery where ${sql.and([
            sql`feed_id = ${feedId}`,
            ...(jobId === undefined ? [] : [sql`job_id = ${jobId}`]),
            ...(state === undefined ? [] : [sql`state = ${state}`]),
            ...(recordId === undefined ? [] : [sql`record_id = ${recordId}`])
          ])} order by updated_at desc, record_id limit ${limit}`
        )
        return rows.map(toDelivery)
      }),
      clear: Effect.fn("DeliveryStore.clear")(function* (feedId) {
        yield* storedInBulk(sql`delete from delivery where feed_id = ${feedId}`)
      })
    })
  })
)
