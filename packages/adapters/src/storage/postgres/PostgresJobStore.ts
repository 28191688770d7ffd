/**
 * Jobs and the feed lock in PostgreSQL; claims take the leases of the feed and of banks.
 *
 * The feed lock is a unique index over active jobs. Every change is guarded by the statuses that
 * `job/JobLifecycle` allows, and a trigger refuses what the guards would let through.
 */
import type { ActorRef } from "@millrace/core/access"
import { type BankId, bankLease } from "@millrace/core/bank"
import { type FeedId, feedLease } from "@millrace/core/feed"
import {
  activeStatuses,
  type JobError,
  type JobEvent,
  type JobId,
  type JobStatus,
  pauseExpired,
  queueTimeout,
  sourcesOf,
  systemCauses,
  workerLost
} from "@millrace/core/job"
import {
  FeedLocked,
  type Fence,
  Fenced,
  holderOf,
  JobLease,
  JobStateConflict,
  JobStore,
  LeaseLost
} from "@millrace/core/storage"
import { limits, Timestamp } from "@millrace/core"
import { PgClient } from "@effect/sql-pg/PgClient"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { instant, json } from "./Column.ts"
import { busySql, dispatch, flightSql, isFreeSql, slotsSql } from "./JobDispatch.ts"
import { takeLeases } from "./PostgresLeases.ts"
import { appended, categoryOf, type JobRow, progressed, toJob } from "./JobRows.ts"
import { inTransaction, stored, unavailable } from "./SqlFailure.ts"

/** Parts of a lease of which each shows a sign of life, as beats do: a write for a bank is one where none was shown for so long. */
const signsPerLease = 3

const literals = (sql: SqlClient.SqlClient, statuses: ReadonlyArray<JobStatus>): Fragment =>
  sql.literal(statuses.map((status) => `'${status}'`).join(", "))

export const layer: Layer.Layer<JobStore, never, SqlClient.SqlClient | PgClient> = Layer.effect(
  JobStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const pg = yield* PgClient
    const lease = yield* JobLease
    const active = literals(sql, activeStatuses)

    const isLost = sql`(heartbeat is null or heartbeat < store_now() - make_interval(secs => ${lease}::float8))`

    const isFree = sql`status in ('created', 'in_progress') and pause_reason is null and ${isLost}`

    const isHeld = (fence: Fence): Fragment =>
      sql`id = ${fence.jobId} and epoch = ${fence.epoch} and status = 'in_progress'`

    /** Ends or suspends what `fence` holds, with its leases, in one statement. */
    const giveUp = Effect.fnUntraced(function* (fence: Fence, assignments: Fragment, also: Fragment = sql`true`) {
      const rows = yield* stored(sql`with changed as (
          update job set ${assignments}, heartbeat = null, poked_at = null where ${isHeld(fence)} and ${also} returning id
        ), freed as (
          delete from lease where holder = ${holderOf(fence)} and exists (select from changed)
        )
        select id from changed`)
      return rows.length > 0
    })

    /** `undefined` for the run of the job. */
    const by = (cause: ActorRef | undefined): Fragment => sql`cause = ${json(cause)}::jsonb`

    const failure = (errors: ReadonlyArray<JobError>, cause?: ActorRef): Fragment =>
      sql`status = 'failed', ${by(cause)}, epoch = epoch + 1, handover = null, error_category = ${categoryOf(errors)},
        pause_reason = null, resume_at = null, errors = ${appended(sql, errors)}, completed_at = store_now(),
        updated_at = store_now()`

    const cancellation = (
      cause: ActorRef
    ) => sql`status = 'cancelled', ${by(cause)}, epoch = epoch + 1, heartbeat = null, poked_at = null, handover = null,
      pause_reason = null, resume_at = null, completed_at = store_now(), updated_at = store_now()`

    const resumption = (
      cause: ActorRef
    ) => sql`status = 'in_progress', ${by(cause)}, epoch = epoch + 1, heartbeat = null, poked_at = null,
      pause_reason = null, resume_at = null, paused_at = null, updated_at = store_now()`

    /** Cancels the jobs of a condition and frees what they held. */
    const cancelWhere = (condition: Fragment, cause: ActorRef) =>
      sql<JobRow>`with cancelled as (
          update job set ${cancellation(cause)} where ${condition} returning *
        ), freed as (
          delete from lease using cancelled where holder = cancelled.id || ':' || (cancelled.epoch - 1)
        )
        select * from cancelled`

    /** The job after the first of these changes that its status allows. */
    const changed = Effect.fnUntraced(function* (
      jobId: JobId,
      event: JobEvent,
      changes: ReadonlyArray<Effect.Effect<ReadonlyArray<unknown>, SqlError>>
    ) {
      for (const change of changes) {
        const [row] = yield* stored(change)
        if (row !== undefined) return toJob(row as JobRow)
      }
      const [found] = yield* stored(sql<{ readonly status: string }>`select status from job where id = ${jobId}`)
      return yield* new JobStateConflict({ jobId, event, status: found?.status ?? "missing" })
    })

    const claimed = Effect.fnUntraced(function* (jobId: JobId, banks: ReadonlyArray<BankId>) {
      const [found] = yield* sql<{
        readonly feed_id: FeedId
        readonly epoch: number
        readonly attempt: number
        readonly lost: boolean
        readonly handover: string | null
      }>`select feed_id, epoch, attempt, handover, status = 'in_progress' and heartbeat is not null as lost from job
        where id = ${jobId} and ${isFree} for update skip locked`
      if (found === undefined) return Option.none()
      const before: Fence = { jobId, epoch: found.epoch }
      if (found.lost) {
        // The worker is gone, and with it the right to what it held.
        yield* sql`delete from lease where holder = ${holderOf(before)}`
        if (found.attempt >= limits.jobAttempts) {
          const error = workerLost(found.attempt, yield* Timestamp.now)
          yield* sql`update job set ${failure([error], systemCauses.workerLost)}, heartbeat = null, poked_at = null where id = ${jobId}`
          return Option.none()
        }
      }
      const fence: Fence = { jobId, epoch: found.epoch + 1 }
      yield* takeLeases(sql, [feedLease(found.feed_id), ...banks.map(bankLease)], holderOf(fence), lease)
      const rows = yield* sql<JobRow>`update job set status = 'in_progress', cause = null, epoch = ${fence.epoch},
          attempt = attempt + (status = 'created' or ${found.lost})::int, heartbeat = store_now(), poked_at = null,
          banks = ${[...banks]}::text[], handover = null,
          started_at = coalesce(started_at, store_now()), updated_at = store_now(),
          pause_reason = null, resume_at = null
        where id = ${jobId} returning *`
      return Option.some({
        job: toJob(rows[0]!),
        fence,
        ...(found.handover === null ? {} : { resumeSnapshot: found.handover })
      })
    })

    return JobStore.of({
      create: Effect.fn("JobStore.create")(function* (job, { banks = [], replacing }) {
        const insert = sql`insert into job (id, feed_id, workspace_id, user_id, started_by, status, type, mode, options,
            read_count, vanished_count, carried_count, created_count, updated_count, removed_count, unchanged_count,
            filtered_count, failed_count, quarantined_count, differs_count, errors, attempt, retry, banks, created_at, updated_at)
          values (${job.id}, ${job.feedId}, ${job.workspaceId}, ${job.userId}, ${json(job.startedBy)}, ${job.status},
            ${job.type}, ${job.mode}, ${json(job.options)}, ${job.counts.read}, ${job.counts.vanished},
            ${job.counts.carried}, ${job.counts.created}, ${job.counts.updated}, ${job.counts.removed},
            ${job.counts.unchanged}, ${job.counts.filtered}, ${job.counts.failed}, ${job.counts.quarantined},
            ${job.counts.differs},
            ${json(job.errors)}, ${job.attempt}, ${job.retry ?? 0}, ${[...banks]}::text[], ${job.createdAt},
            ${job.updatedAt})
          on conflict (feed_id) where status in (${active}) do nothing returning id`
        const ofFeed = sql`feed_id = ${job.feedId} and status in (${active})`
        return yield* Effect.gen(function* () {
          let cancelled = Option.none<JobId>()
          // Another caller may have taken the lock in between: of many that replace, the last one wins.
          while (true) {
            if (replacing) {
              const rows = yield* cancelWhere(ofFeed, job.startedBy)
              if (rows[0] !== undefined) cancelled = Option.some(rows[0].id)
            }
            if ((yield* insert).length > 0) return { cancelled }
            const [holder] = yield* sql<{ readonly id: JobId }>`select id from job where ${ofFeed}`
            if (!replacing && holder !== undefined) return yield* new FeedLocked({ jobId: holder.id })
          }
        }).pipe(inTransaction(sql))
      }),
      get: Effect.fn("JobStore.get")(function* (workspaceId, feedId, id) {
        const rows = yield* stored(sql<JobRow>`select * from job
          where id = ${id} and feed_id = ${feedId} and workspace_id = ${workspaceId}`)
        return Arr.head(rows.map(toJob))
      }),
      active: Effect.fn("JobStore.active")(function* (feedId) {
        const rows = yield* stored(sql<JobRow>`select * from job where feed_id = ${feedId} and status in (${active})`)
        return Arr.head(rows.map(toJob))
      }),
      list: Effect.fn("JobStore.list")(function* (workspaceId, feedId, { status, limit, before }) {
        const rows = yield* stored(
          sql<JobRow>`select * from job where ${sql.and([
            sql`feed_id = ${feedId}`,
            sql`workspace_id = ${workspaceId}`,
            ...(status === undefined ? [] : [sql`status = ${status}`]),
            ...(before === undefined ? [] : [sql`id < ${before}`])
          ])} order by id desc limit ${limit}`
        )
        return rows.map(toJob)
      }),
      dispatch: Effect.fn("JobStore.dispatch")(function* (limit) {
        return yield* stored(dispatch(sql, lease, limit))
      }),
      decline: Effect.fn("JobStore.decline")(function* (jobId) {
        yield* stored(sql`update job set poked_at = null where id = ${jobId} and poked_at is not null`)
      }),
      arrivals: Stream.unwrap(
        Effect.map(pg.listen("job_arrival"), (notes) =>
          Stream.fromEffectRepeat(Queue.takeAll(notes)).pipe(
            Stream.map(() => undefined),
            Stream.prepend([undefined])
          )
        )
      ).pipe(Stream.mapError(unavailable)),
      claim: Effect.fn("JobStore.claim")(function* (jobId, banks) {
        return yield* claimed(jobId, banks).pipe(
          inTransaction(sql),
          Effect.catchTag("ResourceBusy", () =>
            // Now it is known what it waits for.
            Effect.as(
              stored(
                sql`update job set banks = ${[...banks]}::text[], poked_at = null where id = ${jobId} and ${isFree}`
              ),
              Option.none()
            )
          )
        )
      }),
      beat: Effect.fn("JobStore.beat")(function* (fences, runner) {
        const report =
          runner === undefined
            ? sql`select 1`
            : sql`insert into runner_slot (name, slots, beat_at) values (${runner.name}, ${runner.slots}, store_now())
                on conflict (name) do update set slots = excluded.slots, beat_at = excluded.beat_at`
        if (fences.length === 0) {
          if (runner !== undefined) yield* stored(report)
          return []
        }
        // Rows that a page's transaction holds right now are passed over: it refreshes them itself, and
        // nobody can take them while it lasts.
        const rows = yield* stored(sql<{ readonly id: JobId }>`with report as (${report}), mine as (
            select x.id, x.epoch, x.id || ':' || x.epoch as holder
            from json_to_recordset(${JSON.stringify(
              fences.map((fence) => ({ id: fence.jobId, epoch: fence.epoch }))
            )}::json) as x(id text, epoch int)
          ), free as (
            select job.id from job join mine on mine.id = job.id and mine.epoch = job.epoch
            where job.status = 'in_progress' for update of job skip locked
          ), beaten as (
            update job set heartbeat = store_now() from free where job.id = free.id
          ), free_lease as (
            select l.resource from lease l join mine on mine.holder = l.holder join job
              on job.id = mine.id and job.epoch = mine.epoch and job.status = 'in_progress'
            for update of l skip locked
          ), extended as (
            update lease l set expires_at = store_now() + make_interval(secs => ${lease}::float8)
            from free_lease where l.resource = free_lease.resource
          )
          select job.id from job join mine on mine.id = job.id and mine.epoch = job.epoch
          where job.status = 'in_progress'`)
        return rows.map((row) => row.id)
      }),
      saveResumeSnapshot: Effect.fn("JobStore.saveResumeSnapshot")(function* (fence, text) {
        const rows = yield* stored(sql`update job set handover = ${text} where ${isHeld(fence)} returning id`)
        if (rows.length === 0) return yield* new Fenced({ jobId: fence.jobId })
      }),
      leave: Effect.fn("JobStore.leave")(function* (runner) {
        yield* stored(sql`delete from runner_slot where name = ${runner}`)
      }),
      release: Effect.fn("JobStore.release")(function* (fence) {
        yield* giveUp(
          fence,
          sql`status = case when pause_reason is null then status else 'paused' end,
            paused_at = case when pause_reason is null then paused_at else store_now() end,
            epoch = epoch + 1, updated_at = store_now()`
        )
      }),
      fence: Effect.fn("JobStore.fence")(function* (fence, progress) {
        const rows = yield* stored(
          sql<{ readonly asked: boolean }>`update job set heartbeat = store_now(), ${progressed(sql, progress)}
            where ${isHeld(fence)} returning pause_reason is not null as asked`
        )
        if (rows[0] === undefined) return yield* new Fenced({ jobId: fence.jobId })
        return rows[0].asked
      }),
      // Accounts are written at once: their transactions hold the row together, so that none waits for the commit of another.
      // Anyone who finds the heartbeat old changes the row before it holds it, or two would wait for each other.
      fenceBank: Effect.fn("JobStore.fenceBank")(function* (fence, bank) {
        const asked = sql`pause_reason is not null as asked`
        const rows = yield* stored(
          sql<{ readonly asked: boolean; readonly leased: boolean }>`with leased as (
              select from lease where resource = ${bankLease(bank)} and holder = ${holderOf(fence)} for share
            ), beaten as (
              update job set heartbeat = store_now(), ${progressed(sql, {})} where ${isHeld(fence)}
                and heartbeat < store_now() - make_interval(secs => ${lease / signsPerLease}::float8)
              returning ${asked}
            ), held as (
              select ${asked} from job where ${isHeld(fence)} and not exists (select from beaten) for share
            )
            select asked, exists (select from leased) as leased from (
              select asked from beaten union all select asked from held
            ) found`
        )
        if (rows[0] === undefined) return yield* new Fenced({ jobId: fence.jobId })
        return rows[0].leased ? rows[0].asked : yield* new LeaseLost({ resource: bankLease(bank) })
      }),
      complete: Effect.fn("JobStore.complete")(function* (fence, progress) {
        const done = yield* giveUp(
          fence,
          sql`status = 'completed', cause = null, pause_reason = null, completed_at = store_now(), ${progressed(sql, progress)}`
        )
        if (!done) return yield* new Fenced({ jobId: fence.jobId })
      }),
      fail: Effect.fn("JobStore.fail")(function* (fence, errors) {
        if (!(yield* giveUp(fence, failure(errors)))) return yield* new Fenced({ jobId: fence.jobId })
      }),
      pause: Effect.fn("JobStore.pause")(function* (fence, reason, resumeAfter) {
        const resumeAt =
          resumeAfter === undefined ? sql`null` : sql`store_now() + make_interval(secs => ${resumeAfter}::float8)`
        const paused = yield* giveUp(
          fence,
          sql`status = 'paused', epoch = epoch + 1, pause_reason = coalesce(pause_reason, ${reason}),
            resume_at = case when pause_reason is null then (${resumeAt})::timestamptz end,
            paused_at = store_now(), updated_at = store_now()`
        )
        if (!paused) return yield* new Fenced({ jobId: fence.jobId })
      }),
      cancel: Effect.fn("JobStore.cancel")(function* (jobId, event, cause) {
        return yield* changed(jobId, event, [
          cancelWhere(sql`id = ${jobId} and status in (${literals(sql, sourcesOf(event))})`, cause)
        ])
      }),
      sweep: Effect.gen(function* () {
        const now = yield* Timestamp.now
        // Rows that have nothing in common, in one statement: it runs all the time.
        yield* sql`with flight as materialized (${flightSql(sql, lease)}),
          busy (bank_id) as materialized (${busySql(sql)}),
          resumed as (
            update job set ${resumption(systemCauses.resumeDue)} where status = 'paused' and resume_at <= store_now()
          ),
          asked as (
            update job set status = 'paused', epoch = epoch + 1, heartbeat = null, poked_at = null,
              paused_at = store_now(), updated_at = store_now()
            where status = 'in_progress' and pause_reason is not null and ${isLost}
          ),
          forgotten as (
            update job set ${failure([pauseExpired(now)], systemCauses.pauseExpired)} where status = 'paused' and resume_at is null
              and paused_at < store_now() - make_interval(hours => ${limits.userPauseHours}::int)
          ),
          silent as (
            delete from runner_slot where beat_at < store_now() - interval '1 hour'
          ),
          unasked as (
            delete from upstream_turn where next_at < store_now() - interval '32 days'
          )
          update job set ${failure([queueTimeout(now)], systemCauses.queueTimeout)}, poked_at = null where status = 'created'
            and queued_at < store_now() - make_interval(mins => ${limits.queueMinutes}::int)
            and ${slotsSql(sql)} > (select count(*) from flight) and ${isFreeSql(sql)}`
      }).pipe(stored, Effect.withSpan("JobStore.sweep")),
      askPause: Effect.fn("JobStore.askPause")(function* (jobId, cause) {
        return yield* changed(jobId, "pause", [
          sql`update job set pause_reason = 'user', ${by(cause)}, updated_at = store_now()
            where id = ${jobId} and status in (${literals(sql, sourcesOf("pause"))}) returning *`
        ])
      }),
      pauseAsked: Effect.fn("JobStore.pauseAsked")(function* (fence) {
        const paused = yield* giveUp(
          fence,
          sql`status = 'paused', epoch = epoch + 1, paused_at = store_now(), updated_at = store_now()`,
          sql`pause_reason is not null`
        )
        if (paused) return true
        const held = yield* stored(sql`select id from job where ${isHeld(fence)}`)
        return held.length > 0 ? false : yield* new Fenced({ jobId: fence.jobId })
      }),
      resume: Effect.fn("JobStore.resume")(function* (jobId, cause) {
        return yield* changed(jobId, "resume", [
          sql`update job set ${resumption(cause)}
            where id = ${jobId} and status in (${literals(sql, sourcesOf("resume"))}) returning *`,
          sql`update job set pause_reason = null, cause = null, updated_at = store_now()
            where id = ${jobId} and status = 'in_progress' and pause_reason is not null returning *`
        ])
      }),
      purge: Effect.fn("JobStore.purge")(function* (limit) {
        const rows = yield* stored(
          sql<{ readonly count: number }>`with crowded as (
              select feed_id from job group by feed_id having count(*) > ${limits.jobHistory}::int
            ), too_many as (
              select old.id from crowded cross join lateral (
                select id from job where feed_id = crowded.feed_id order by id desc offset ${limits.jobHistory}::int
              ) as old
            ), too_old as (
              select id from job where completed_at < store_now() - make_interval(days => ${limits.jobHistoryDays}::int)
            ), doomed as (
              select id from job where id in (select id from too_many union select id from too_old)
                and status not in (${active})
                and id <> (select max(newer.id) from job newer where newer.feed_id = job.feed_id)
                and id is distinct from (select newer.id from job newer where newer.feed_id = job.feed_id
                  and newer.status = 'completed' order by newer.id desc limit 1)
              order by id limit ${limit} for update skip locked
            ), gone as (
              delete from job using doomed where job.id = doomed.id returning 1
            )
            select count(*)::int as count from gone`
        )
        return rows[0]!.count
      }),
      now: Effect.suspend(() => stored(sql<{ readonly now: Date }>`select store_now() as now`)).pipe(
        Effect.map((rows) => instant(rows[0]!.now)),
        Effect.withSpan("JobStore.now")
      )
    })
  })
)
