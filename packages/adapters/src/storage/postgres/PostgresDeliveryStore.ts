/** The delivery ledger in PostgreSQL. */
import type { AccountId } from "@millrace/core/bank"
import type { Delivery, DeliveryState, UnconfirmedAttempt } from "@millrace/core/destination"
import {
  type Arrived,
  type DeliveryEntry,
  DeliveryStore,
  type Intent,
  type OpenPlace,
  type Outcome,
  type Settlement
} from "@millrace/core/storage"
import type { FeedId } from "@millrace/core/feed"
import type { JobId } from "@millrace/core/job"
import { type CalendarDate, limits } from "@millrace/core"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import * as Stream from "effect/Stream"
import { instant, optionalInstant, present } from "./Column.ts"
import { stored, storedInBulk, unavailable } from "./SqlFailure.ts"
import { textColumns } from "./TextColumns.ts"

interface DeliveryRow {
  readonly feed_id: FeedId
  readonly record_id: string
  readonly account_id: AccountId
  readonly date: CalendarDate.CalendarDate | null
  readonly version: number
  readonly op: Delivery["op"]
  readonly state: Delivery["state"]
  readonly hash: string
  readonly job_id: JobId
  readonly field_values: NonNullable<Delivery["values"]> | null
  readonly provenance: Delivery["provenance"]
  readonly remote_ref: string | null
  readonly attempts: number
  readonly last_error: string | null
  readonly dead: boolean
  readonly asked: boolean
  readonly sent_at: Date | null
  readonly doubt: (Omit<UnconfirmedAttempt, "sentAt"> & { readonly sentAt: string }) | null
  readonly updated_at: Date
}

/** The day of a delivery; one without comes after all others. As the index `delivery_waiting` says it: behind a policy no index takes `coalesce`. */
export const openDay = "(case when date is null then 'infinity'::date else date end)"

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
  provenance: row.provenance,
  attempts: row.attempts,
  dead: row.dead,
  redeliveryRequested: row.asked,
  updatedAt: instant(row.updated_at),
  ...present({
    values: row.field_values,
    remoteRef: row.remote_ref,
    lastError: row.last_error,
    sentAt: optionalInstant(row.sent_at),
    unconfirmedAttempt: row.doubt === null ? null : { ...row.doubt, sentAt: instant(new Date(row.doubt.sentAt)) }
  })
})

// What is being sent may have arrived already.
const isPresent = "(delivery.present or (delivery.state = 'sending' and delivery.op <> 'remove'))"
const isAcknowledged = `(${isPresent} and delivery.remote_ref is not null and delivery.doubt is null
  and delivery.state <> 'sending' and not delivery.dead)`

// What is being sent, or may have arrived, while newer content comes.
const doubtOf = `case when delivery.state = 'sending' and (delivery.doubt->>'version')::int is distinct from delivery.version
  then json_build_object('version', delivery.version, 'op',
  delivery.op, 'hash', delivery.hash, 'values',
  coalesce(delivery.field_values, '{}'), 'attempts', delivery.attempts, 'sentAt',
  coalesce(delivery.sent_at, delivery.updated_at)) else delivery.doubt end`

const isOpenRow = "state in ('intended', 'sending', 'failed') and not dead"

/** Stands for `failed` in the parameters of a statement, where there was no room. */
const waits = "waits"

const overThoseThatAre = (settled: boolean) => `on conflict (feed_id, record_id) do update set
    job_id = excluded.job_id, account_id = excluded.account_id, date = excluded.date, op = excluded.op,
    hash = excluded.hash, field_values = excluded.field_values, provenance = excluded.provenance,
    version = delivery.version + 1, state = excluded.state, attempts = excluded.attempts,
    dead = excluded.dead, asked = false, sent_at = null, doubt = ${settled ? "null" : doubtOf},
    last_error = excluded.last_error, updated_at = excluded.updated_at, ${
      settled
        ? `present = case excluded.state when 'done' then excluded.op <> 'remove' when 'skipped' then false
      else ${isPresent} end,
    remote_ref = case when excluded.state = 'done' and excluded.op = 'remove' then null
      else coalesce(excluded.remote_ref, delivery.remote_ref) end`
        : `present = ${isPresent}`
    }`

// `settled`: the rows arrived with the same transaction, and the last three columns say how it went.
const intendStatement = (settled: boolean, areNew = false) => `
  insert into delivery (workspace_id, feed_id, job_id, record_id, account_id, date, op, hash, field_values, provenance,
    version, state, attempts, dead, present, remote_ref, last_error, updated_at)
  select (select workspace_id from feed where id = $1), $1, $2, i.record_id, i.account_id, i.date::date, i.op,
    coalesce(i.hash, ''), i.field_values::json, coalesce(i.provenance, '[]')::json, 1, ${
      settled
        ? `case i.state when '${waits}' then 'failed' else i.state end, (i.state <> '${waits}')::int,
    i.state = 'failed' and ${limits.deliveryAttempts} <= 1, i.state = 'done' and i.op <> 'remove', i.ref, i.error`
        : "'intended', 0, false, false, null, null"
    },
    store_now()
  from unnest(string_to_array($4, $3), string_to_array($5, $3), string_to_array($6, $3, ''), string_to_array($7, $3),
    string_to_array($8, $3, ''), ${settled ? "string_to_array($9, $3), string_to_array($10, $3, ''), string_to_array($11, $3, ''), string_to_array($12, $3, ''), string_to_array($13, $3, '')" : "string_to_array($9, $3), string_to_array($10, $3, '')"})
    as i(record_id, account_id, date, op, hash, ${settled ? "state, ref, error, " : ""}field_values, provenance)
  ${areNew ? "" : overThoseThatAre(settled)}`

const intendOpen = intendStatement(false)
const intendClosed = intendStatement(true)
const intendNew = intendStatement(true, true)

const keepStatement = `
  update delivery d set date = i.date::date, op = i.op, hash = coalesce(i.hash, ''),
    field_values = i.field_values::json, provenance = coalesce(i.provenance, '[]')::json, version = d.version + 1,
    updated_at = store_now()
  from unnest(string_to_array($3, $2), string_to_array($4, $2), string_to_array($5, $2, ''), string_to_array($6, $2),
    string_to_array($7, $2, ''), string_to_array($8, $2), string_to_array($9, $2, ''))
    as i(record_id, account_id, date, op, hash, field_values, provenance)
  where d.feed_id = $1 and d.record_id = i.record_id and d.state = 'skipped'`

const fillStatement = `
  with i as (
    select * from unnest(string_to_array($3, $2), string_to_array($4, $2), string_to_array($5, $2, ''),
      string_to_array($6, $2), string_to_array($7, $2)) as i(record_id, version, hash, field_values, provenance)
  )
  update delivery d set hash = coalesce(i.hash, ''), field_values = i.field_values::json, provenance = i.provenance::json
  from i where d.feed_id = $1 and d.record_id = any(array(select record_id from i)) and d.record_id = i.record_id
    and d.version = i.version::int and d.field_values is null and d.state in ('intended', 'sending', 'failed')
    and not d.dead`

const outcomeColumns = (outcomes: ReadonlyArray<Outcome>) => [
  outcomes.map((outcome) => (outcome.state === "failed" && outcome.waits === true ? waits : outcome.state)),
  outcomes.map((outcome) => (outcome.state === "done" ? (outcome.remoteRef ?? "") : "")),
  outcomes.map((outcome) => (outcome.state === "failed" ? outcome.error : ""))
]

const isReadable = (op: Delivery["op"], outcome: Outcome | undefined): boolean =>
  outcome?.state === "done" && outcome.readable === true && op !== "remove"

/** `outcomes` as in `intendSettled`: no copy is kept of what arrived where it can be read. Empty text is null. */
const columnsOf = (intents: ReadonlyArray<Intent>, outcomes: ReadonlyArray<Outcome> = []) =>
  textColumns(
    [
      intents.map((intent) => intent.recordId),
      intents.map((intent) => intent.accountId),
      intents.map((intent) => intent.date ?? ""),
      intents.map((intent) => intent.op),
      intents.map((intent) => intent.hash),
      ...(outcomes.length === 0 ? [] : outcomeColumns(outcomes))
    ],
    [
      intents.map(({ op, values }, n) => (isReadable(op, outcomes[n]) ? "" : JSON.stringify(values))),
      intents.map(({ provenance }) => (provenance.length === 0 ? "" : JSON.stringify(provenance)))
    ]
  )

// A newer version stays as it is, and learns only where its row is. The list of ids keeps the planner from reading all
// rows of the feed for each batch where it knows nothing yet of how many there have become. It is a parameter: made by
// the statement, it counts as ten, and now and then each row was compared with all that are given.
const settleStatement = `
  with s as (
    select * from json_to_recordset($3::json) as s(id text, version int, state text, ref text, error text, final boolean,
      waits boolean, readable boolean, unknown boolean)
  )
  update delivery as d set field_values = case when s.readable and d.op <> 'remove' then null else d.field_values end,
    state = s.state, job_id = $2, last_error = s.error,
    attempts = case when s.waits then 0
      else d.attempts + (d.state in ('intended', 'failed') and s.state <> 'intended')::int end,
    dead = s.state = 'failed' and s.waits is not true and (coalesce(s.final, false)
      or d.attempts + (d.state in ('intended', 'failed'))::int >= ${limits.deliveryAttempts}),
    asked = d.asked and s.state = 'intended',
    doubt = case when s.unknown then ${doubtOf.replaceAll("delivery.", "d.")} when s.state = 'intended' then d.doubt end,
    remote_ref = case when s.state = 'done' and d.op = 'remove' then null else coalesce(s.ref, d.remote_ref) end,
    present = case when s.state = 'done' then d.op <> 'remove' when s.state = 'skipped' then false
      -- Nobody knows whether it arrived.
      when (s.final or s.unknown) and d.state = 'sending' then d.present or d.op <> 'remove' else d.present end,
    updated_at = store_now()
  from s
  where d.feed_id = $1 and d.record_id = any($4::text[]) and d.record_id = s.id and d.version = s.version
    and (d.state in ('intended', 'sending', 'failed')
      or (d.state, s.state) in (('done', 'skipped'), ('skipped', 'intended')))`

// A newer version learns where its row is, and that an older one is no longer in doubt.
const settleOlderStatement = `
  with s as (
    select * from json_to_recordset($2::json) as s(id text, version int, state text, ref text)
  )
  update delivery as d set
    doubt = case when isDoubt then null else d.doubt end,
    op = case when isDoubt and d.op = 'create' and s.state = 'done' and d.doubt->>'op' <> 'remove' then 'update'
      else d.op end,
    remote_ref = case when isDoubt and s.state = 'done' and d.doubt->>'op' = 'remove' then null
      else coalesce(s.ref, d.remote_ref) end,
    present = case when not isDoubt then d.present
      when s.state = 'done' then d.doubt->>'op' <> 'remove' when s.state = 'skipped' then false else d.present end,
    updated_at = store_now()
  from s
  where d.feed_id = $1 and d.record_id = any($3::text[]) and d.record_id = s.id and d.version > s.version and (isDoubt or s.ref is not null)`.replaceAll(
  "isDoubt",
  "coalesce((d.doubt->>'version')::int = s.version and s.state <> 'intended', false)"
)

const toSettlementJson = (settlement: Settlement) => ({
  id: settlement.recordId,
  version: settlement.version,
  state: settlement.state,
  ...(settlement.state === "done" ? { ref: settlement.remoteRef, readable: settlement.readable ?? false } : {}),
  ...(settlement.state === "failed"
    ? {
        error: settlement.error,
        final: settlement.final ?? false,
        waits: settlement.waits ?? false,
        unknown: settlement.unknown ?? false
      }
    : {})
})

// No rows are joined with those that were chosen: the planner knows nothing of how many they are.
const settleNextStatement = (isAfter: boolean) => `
  with chosen as materialized (
    select record_id, ${openDay} as day, date, job_id <> $2 or state = 'failed' or asked as carried from delivery
    where feed_id = $1 and ${isOpenRow} ${isAfter ? `and (${openDay}, record_id) > (coalesce($5::date, 'infinity'), $6)` : ""}
    order by ${openDay}, record_id limit $4
  ), settled as (
    update delivery set state = 'done', job_id = $2, last_error = null, dead = false, asked = false, doubt = null,
      attempts = attempts + (state in ('intended', 'failed'))::int, present = op <> 'remove',
      remote_ref = case when op <> 'remove' then $3 end, updated_at = store_now()
    where feed_id = $1 and record_id = any(array(select record_id from chosen)) and ${isOpenRow}
    returning op
  ), last as (
    select date, record_id from chosen order by day desc, record_id desc limit 1
  )
  select (select date from last) as date, (select record_id from last) as "recordId",
    count(*) filter (where op = 'create')::int as created, count(*) filter (where op = 'update')::int as updated,
    count(*) filter (where op = 'remove')::int as removed,
    (select count(*) from chosen where carried)::int as carried
  from settled`

const settleFirst = settleNextStatement(false)
const settleAfter = settleNextStatement(true)

const deliveryColumns = `feed_id, record_id, account_id, date, version, op, state, hash, job_id, field_values, provenance,
  remote_ref, attempts, last_error, dead, asked, sent_at, doubt, updated_at`

export const layer: Layer.Layer<DeliveryStore, never, SqlClient.SqlClient> = Layer.effect(
  DeliveryStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const columns = sql.literal(deliveryColumns)
    const isOpen = sql.literal(isOpenRow)
    const isWaiting = sql.literal("state in ('intended', 'sending')")
    // The condition of the indexes that hold an order and nothing else.
    const inOrder = sql.literal("version > 0")
    const isIn = (state: DeliveryState | "dead") => (state === "dead" ? sql.literal("dead") : sql`state = ${state}`)
    const walk = sql.literal("coalesce(date, 'infinity'::date), record_id")
    const openWalk = sql.literal(`${openDay}, record_id`)

    const entryColumns = sql.literal(`record_id as "recordId", hash, op, state, dead, job_id as "jobId",
      ${isPresent} as present, ${isAcknowledged} as acknowledged`)

    return DeliveryStore.of({
      entries: Effect.fn("DeliveryStore.entries")(function* (feedId, recordIds) {
        if (recordIds.length === 0) return new Map<string, DeliveryEntry>()
        // One by one: a list of ids is looked up in whichever index begins with the feed, where the planner knows nothing
        // yet of how many rows there have become.
        const rows = yield* storedInBulk(sql<DeliveryEntry>`select ${entryColumns}
          from unnest(${recordIds}::text[]) as wanted(id) cross join lateral (
            select * from delivery where feed_id = ${feedId} and record_id = wanted.id
            order by feed_id, record_id limit 1
          ) as delivery`)
        return new Map(rows.map((row) => [row.recordId, row]))
      }),
      entriesUnder: Effect.fn("DeliveryStore.entriesUnder")(function* (feedId, ids) {
        const found = new Map<string, Array<DeliveryEntry>>()
        if (ids.length === 0) return found
        // Between the colon and the character that follows it: ids are ordered byte by byte.
        const rows = yield* storedInBulk(sql<DeliveryEntry & { readonly under: string }>`select ${entryColumns},
            wanted.id as under
          from unnest(${[...ids]}::text[]) as wanted(id) cross join lateral (
            select * from delivery where feed_id = ${feedId}
              and record_id > (wanted.id || ':') and record_id < (wanted.id || ';')
            order by feed_id, record_id
          ) as delivery`)
        for (const { under, ...entry } of rows) {
          const some = found.get(under) ?? []
          found.set(under, some)
          some.push(entry)
        }
        return found
      }),
      intend: Effect.fn("DeliveryStore.intend")(function* (feedId, jobId, intents) {
        if (intents.length === 0) return
        const { separator, texts } = yield* columnsOf(intents)
        yield* storedInBulk(sql.unsafe(intendOpen, [feedId, jobId, separator, ...texts]))
      }),
      intendSettled: Effect.fn("DeliveryStore.intendSettled")(function* (
        feedId,
        jobId,
        intents,
        outcomes,
        areNew = false
      ) {
        if (intents.length === 0) return
        const { separator, texts } = yield* columnsOf(intents, outcomes)
        yield* storedInBulk(sql.unsafe(areNew ? intendNew : intendClosed, [feedId, jobId, separator, ...texts]))
      }),
      open: Effect.fn("DeliveryStore.open")(function* (feedId, { limit, after, waiting }) {
        const rows = yield* storedInBulk(
          sql<DeliveryRow>`select ${columns} from delivery where ${sql.and([
            sql`feed_id = ${feedId}`,
            isOpen,
            ...(waiting === true ? [isWaiting] : []),
            ...(after === undefined
              ? []
              : [sql`(${openWalk}) > (coalesce(${after.date}::date, 'infinity'), ${after.recordId})`])
          ])} order by ${openWalk} limit ${limit}`
        )
        return rows.map(toDelivery)
      }),
      countOpen: Effect.fn("DeliveryStore.countOpen")(function* (feedId, jobId) {
        const rows = yield* stored(sql<{ readonly own: number; readonly carried: number }>`select
            (count(*) filter (where job_id = ${jobId} and state <> 'failed' and not asked))::int as own,
            (count(*) filter (where job_id <> ${jobId} or asked))::int as carried
          from delivery where feed_id = ${feedId} and ${isOpen}`)
        return rows[0]!
      }),
      markSending: Effect.fn("DeliveryStore.markSending")(function* (feedId, jobId, rows) {
        if (rows.length === 0) return new Set<string>()
        const given = JSON.stringify(rows.map(({ recordId, version }) => ({ id: recordId, version })))
        const missed = yield* storedInBulk(sql<{ readonly id: string }>`with given as (
            select id, version from json_to_recordset(${given}::json) as g(id text, version int)
          ), marked as (
            update delivery d set state = 'sending', job_id = ${jobId}, asked = false,
              attempts = attempts + (state <> 'sending')::int,
              sent_at = case when state = 'sending' then coalesce(sent_at, updated_at) else store_now() end,
              updated_at = store_now()
            from given where d.feed_id = ${feedId} and d.record_id = given.id and d.version = given.version
              and ${isOpen}
            returning d.record_id
          )
          select id from given where id not in (select record_id from marked)`)
        return new Set(missed.map(({ id }) => id))
      }),
      settle: Effect.fn("DeliveryStore.settle")(function* (feedId, jobId, settlements) {
        if (settlements.length === 0) return
        const given = JSON.stringify(settlements.map(toSettlementJson))
        const ids = settlements.map(({ recordId }) => recordId)
        const settled = yield* storedInBulk(
          sql.unsafe<{ readonly id: string }>(`${settleStatement} returning d.record_id as id`, [
            feedId,
            jobId,
            given,
            ids
          ])
        )
        if (settled.length < settlements.length) {
          yield* storedInBulk(sql.unsafe(settleOlderStatement, [feedId, given, ids]))
        }
      }),
      settleNext: Effect.fn("DeliveryStore.settleNext")(function* (feedId, jobId, { limit, after, remoteRef }) {
        const place = after === undefined ? [] : [after.date, after.recordId]
        const [settled] = yield* storedInBulk(
          sql.unsafe<Omit<Arrived, "last"> & { readonly date: OpenPlace["date"]; readonly recordId: string | null }>(
            after === undefined ? settleFirst : settleAfter,
            [feedId, jobId, remoteRef, limit, ...place]
          )
        )
        const { date, recordId, ...arrived } = settled!
        return { ...arrived, last: recordId === null ? undefined : { date, recordId } }
      }),
      current: (feedId) =>
        sql<DeliveryRow>`select ${columns} from delivery
          where feed_id = ${feedId} and ${inOrder} and op <> 'remove' and state <> 'skipped' order by ${walk}`.stream.pipe(
          Stream.mapBoth({ onElement: toDelivery, onError: unavailable })
        ),
      list: Effect.fn("DeliveryStore.list")(function* (feedId, { jobId, state, recordId, limit, after }) {
        const rows = yield* storedInBulk(
          sql<DeliveryRow>`select ${columns} from delivery where ${sql.and([
            sql`feed_id = ${feedId}`,
            inOrder,
            ...(jobId === undefined ? [] : [sql`job_id = ${jobId}`]),
            ...(state === undefined ? [] : [isIn(state)]),
            ...(recordId === undefined ? [] : [sql`record_id = ${recordId}`]),
            // Both directions of the order in one condition that the index answers.
            ...(after === undefined
              ? []
              : [
                  sql`(job_id, updated_at) <= (${after.jobId}, ${after.updatedAt})`,
                  sql`(job_id < ${after.jobId} or updated_at < ${after.updatedAt} or record_id > ${after.recordId})`
                ])
          ])} order by job_id desc, updated_at desc, record_id limit ${limit}`
        )
        return rows.map(toDelivery)
      }),
      clear: Effect.fn("DeliveryStore.clear")(function* (feedId) {
        yield* storedInBulk(sql`delete from delivery where feed_id = ${feedId}`)
        yield* stored(sql`delete from delivery_file where feed_id = ${feedId}`)
      }),
      reopen: Effect.fn("DeliveryStore.reopen")(function* (feedId, { recordIds, state, limit }) {
        const rows = yield* storedInBulk(
          sql<{ readonly count: number }>`with chosen as (
              select record_id from delivery where ${sql.and([
                sql`feed_id = ${feedId}`,
                sql.literal("(state = 'failed' or (state in ('done', 'skipped') and op <> 'remove'))"),
                ...(state === undefined ? [] : [isIn(state)]),
                ...(recordIds === undefined ? [] : [sql`record_id = any(${recordIds}::text[])`])
              ])} limit ${limit} for update
            ), opened as (
              update delivery d set state = 'intended', version = version + 1, attempts = 0, dead = false,
                asked = true, sent_at = null, last_error = null, updated_at = store_now(),
                op = case state when 'done' then 'update' when 'skipped' then 'create' else op end,
                remote_ref = case when state = 'skipped' then null else remote_ref end
              from chosen where d.feed_id = ${feedId} and d.record_id = chosen.record_id returning 1
            )
            select count(*)::int as count from opened`
        )
        return rows[0]!.count
      }),
      keep: Effect.fn("DeliveryStore.keep")(function* (feedId, intents) {
        if (intents.length === 0) return
        const { separator, texts } = yield* columnsOf(intents)
        yield* storedInBulk(sql.unsafe(keepStatement, [feedId, separator, ...texts]))
      }),
      fill: Effect.fn("DeliveryStore.fill")(function* (feedId, fillings) {
        if (fillings.length === 0) return
        const { separator, texts } = yield* textColumns(
          [
            fillings.map(({ recordId }) => recordId),
            fillings.map(({ version }) => String(version)),
            fillings.map(({ hash }) => hash)
          ],
          [
            fillings.map(({ values }) => JSON.stringify(values)),
            fillings.map(({ provenance }) => JSON.stringify(provenance))
          ]
        )
        yield* storedInBulk(sql.unsafe(fillStatement, [feedId, separator, ...texts]))
      }),
      fileMark: Effect.fn("DeliveryStore.fileMark")(function* (feedId) {
        const rows = yield* stored(
          sql<{ readonly mark: string }>`select mark from delivery_file where feed_id = ${feedId}`
        )
        return Option.map(Arr.head(rows), ({ mark }) => mark)
      }),
      noteFile: Effect.fn("DeliveryStore.noteFile")(function* (feedId, mark) {
        yield* stored(sql`insert into delivery_file (feed_id, mark, written_at) values (${feedId}, ${mark}, store_now())
          on conflict (feed_id) do update set mark = excluded.mark, written_at = excluded.written_at`)
      })
    })
  })
)
