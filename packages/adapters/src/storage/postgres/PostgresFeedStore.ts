/** Feeds in PostgreSQL, and how they are doing by what their jobs say. */
import type { DueWake, Feed, FeedId, FeedState } from "@millrace/core/feed"
import { type FeedMark, FeedStore } from "@millrace/core/storage"
import { activeStatuses, type Job, type JobError, type JobId, type JobStatus, storageFull } from "@millrace/core/job"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { instant, json, nullable, optionalInstant, present } from "./Column.ts"
import { inTransaction, stored } from "./SqlFailure.ts"

interface FeedRow {
  readonly id: FeedId
  readonly workspace_id: Feed["workspaceId"]
  readonly name: string
  readonly icon: string | null
  readonly source: Feed["source"]
  readonly data_type: Feed["dataType"]
  readonly source_config: NonNullable<Feed["sourceConfig"]> | null
  readonly destination_config: NonNullable<Feed["destinationConfig"]> | null
  readonly field_mappings: Feed["fieldMappings"]
  readonly mappings_defaulted: boolean
  readonly data_type_options: Feed["dataTypeOptions"]
  readonly extraction_config: NonNullable<Feed["extractionConfig"]> | null
  readonly schedule: NonNullable<Feed["schedule"]> | null
  readonly position: number
  readonly created_by: Feed["createdBy"]
  readonly created_by_user: string
  readonly created_at: Date
  readonly updated_at: Date
  readonly version: number
  readonly next_run_at: Date | null
  readonly file_bank_id: NonNullable<Feed["fileBankId"]> | null
}

const toFeed = (row: FeedRow): Feed => ({
  id: row.id,
  workspaceId: row.workspace_id,
  name: row.name,
  source: row.source,
  dataType: row.data_type,
  fieldMappings: row.field_mappings,
  mappingsDefaulted: row.mappings_defaulted,
  dataTypeOptions: row.data_type_options,
  order: row.position,
  createdBy: row.created_by,
  createdByUser: row.created_by_user,
  createdAt: instant(row.created_at),
  updatedAt: instant(row.updated_at),
  version: row.version,
  ...present({
    icon: row.icon,
    sourceConfig: row.source_config,
    destinationConfig: row.destination_config,
    extractionConfig: row.extraction_config,
    schedule: row.schedule,
    nextRunAt: optionalInstant(row.next_run_at),
    fileBankId: row.file_bank_id
  })
})

interface StateRow {
  readonly feed_id: FeedId
  readonly active_id: JobId | null
  readonly active_status: JobStatus | null
  readonly pause_reason: NonNullable<Job["pauseReason"]> | null
  readonly last_id: JobId | null
  readonly last_success_at: Date | null
  readonly failures: number
  readonly fatal: JobError | null
  readonly wake_at: Date | null
}

const statusOf = (row: StateRow): FeedState["status"] => {
  if (row.active_status !== null) return row.active_status === "in_progress" ? "running" : "waiting"
  return row.failures > 0 ? "failing" : "ready"
}

const reasonOf = ({ fatal }: StateRow): NonNullable<FeedState["reason"]> | null =>
  fatal === null
    ? null
    : {
        code: fatal.code,
        message: fatal.message,
        ...(fatal.recovery === undefined ? {} : { recovery: fatal.recovery })
      }

const toState = (row: StateRow): FeedState => {
  const status = statusOf(row)
  return {
    status,
    consecutiveFailures: row.failures,
    warnings: [],
    ...present({
      activeJobId: row.active_id,
      lastJobId: row.last_id,
      lastSuccessAt: optionalInstant(row.last_success_at),
      nextRunAt: optionalInstant(row.wake_at),
      reason: row.pause_reason === "storage_full" ? storageFull : status === "failing" ? reasonOf(row) : null
    })
  }
}

// Job ids are in the order of their creation: any newer one has done what the wake was for.
const isVoid = "exists (select from job where job.feed_id = feed_wake.feed_id and job.id > feed_wake.after_job)"

// Job ids are in the order of their creation. All that failed after the newest success failed in a row.
const statesStatement = `
  select f.id as feed_id, active.id as active_id, active.status as active_status, active.pause_reason, newest.id as last_id,
    success.completed_at as last_success_at, coalesce(failed.count, 0)::int as failures, failed.fatal,
    wake.due_at as wake_at
  from unnest($1::text[]) as f(id)
  left join lateral (
    select id, status, pause_reason from job where feed_id = f.id and status in (${activeStatuses.map((s) => `'${s}'`).join(", ")})
  ) active on true
  left join lateral (select id from job where feed_id = f.id order by id desc limit 1) newest on true
  left join lateral (
    select id, completed_at from job where feed_id = f.id and status = 'completed' order by id desc limit 1
  ) success on true
  left join lateral (
    select count(*), (array_agg(
      jsonb_path_query_first(errors, '$[*] ? (@.severity == "fatal")') order by id desc
    ))[1] as fatal
    from job where feed_id = f.id and status = 'failed' and id > coalesce(success.id, '')
  ) failed on true
  left join feed_wake wake on wake.feed_id = f.id and not ${isVoid.replaceAll("feed_wake.", "wake.")}`

export const layer: Layer.Layer<FeedStore, never, SqlClient.SqlClient> = Layer.effect(
  FeedStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    FeedStore.of({
      insert: Effect.fn("FeedStore.insert")(function* (feed) {
        yield* stored(sql`insert into feed (id, workspace_id, name, icon, source, data_type, source_config,
            destination_config, field_mappings, mappings_defaulted, data_type_options, schedule, position, created_by,
            created_by_user, created_at, updated_at, version, next_run_at, file_bank_id, extraction_config)
          values (${feed.id}, ${feed.workspaceId}, ${feed.name}, ${nullable(feed.icon)}, ${feed.source},
            ${feed.dataType}, ${json(feed.sourceConfig)}, ${json(feed.destinationConfig)}, ${json(feed.fieldMappings)},
            ${feed.mappingsDefaulted}, ${json(feed.dataTypeOptions)}, ${json(feed.schedule)}, ${feed.order},
            ${json(feed.createdBy)}, ${feed.createdByUser}, ${feed.createdAt}, ${feed.updatedAt}, ${feed.version},
            ${nullable(feed.nextRunAt)}, ${nullable(feed.fileBankId)}, ${json(feed.extractionConfig)})`)
      }),
      update: Effect.fn("FeedStore.update")(function* (feed) {
        const rows = yield* stored(sql`update feed set name = ${feed.name}, icon = ${nullable(feed.icon)},
            source = ${feed.source}, data_type = ${feed.dataType}, source_config = ${json(feed.sourceConfig)},
            destination_config = ${json(feed.destinationConfig)}, field_mappings = ${json(feed.fieldMappings)},
            mappings_defaulted = ${feed.mappingsDefaulted}, data_type_options = ${json(feed.dataTypeOptions)},
            schedule = ${json(feed.schedule)}, position = ${feed.order}, created_by = ${json(feed.createdBy)},
            created_by_user = ${feed.createdByUser}, created_at = ${feed.createdAt}, updated_at = ${feed.updatedAt},
            version = ${feed.version}, next_run_at = ${nullable(feed.nextRunAt)},
            file_bank_id = ${nullable(feed.fileBankId)}, extraction_config = ${json(feed.extractionConfig)}
          where id = ${feed.id} and workspace_id = ${feed.workspaceId} and version = ${feed.version - 1} returning id`)
        return rows.length > 0
      }),
      get: Effect.fn("FeedStore.get")(function* (workspaceId, id) {
        const rows = yield* stored(sql<FeedRow>`select * from feed where id = ${id} and workspace_id = ${workspaceId}`)
        return Arr.head(rows.map(toFeed))
      }),
      byId: Effect.fn("FeedStore.byId")(function* (id) {
        const rows = yield* stored(sql<FeedRow>`select * from feed where id = ${id}`)
        return Arr.head(rows.map(toFeed))
      }),
      hold: Effect.fn("FeedStore.hold")(function* (id) {
        return (yield* stored(sql`select id from feed where id = ${id} for key share`)).length > 0
      }),
      list: Effect.fn("FeedStore.list")(function* (workspaceIds, { dataType, source }) {
        const rows = yield* stored(
          sql<FeedRow>`select * from feed where ${sql.and([
            sql.in("workspace_id", workspaceIds),
            ...(dataType === undefined ? [] : [sql`data_type = ${dataType}`]),
            ...(source === undefined ? [] : [sql`source = ${source}`])
          ])} order by position, created_at, id`
        )
        return rows.map(toFeed)
      }),
      remove: Effect.fn("FeedStore.remove")(function* (workspaceId, id) {
        return yield* Effect.gen(function* () {
          // Its rows in job, feed_mark and upload go with it. Leases go first, while their jobs are known.
          const [feed] = yield* sql`select id from feed
            where id = ${id} and workspace_id = ${workspaceId} for update`
          if (feed === undefined) return false
          yield* sql`delete from lease using job
            where job.feed_id = ${id} and lease.holder = job.id || ':' || job.epoch`
          yield* sql`delete from feed where id = ${id}`
          yield* sql`delete from delivery where feed_id = ${id}`
          return true
        }).pipe(inTransaction(sql))
      }),
      states: Effect.fn("FeedStore.states")(function* (ids) {
        if (ids.length === 0) return new Map<FeedId, FeedState>()
        const rows = yield* stored(sql.unsafe<StateRow>(statesStatement, [ids]))
        return new Map(rows.map((row) => [row.feed_id, toState(row)]))
      }),
      scheduleDue: Effect.fn("FeedStore.scheduleDue")(function* (limit) {
        const rows = yield* stored(sql<FeedRow>`select * from feed
          where next_run_at <= store_now() and (schedule->>'enabled')::boolean
            and not exists (select from job where feed_id = feed.id
              and status in (${sql.literal(activeStatuses.map((s) => `'${s}'`).join(", "))}))
          order by next_run_at, id limit ${limit}`)
        return rows.map(toFeed)
      }),
      advanceSchedule: Effect.fn("FeedStore.advanceSchedule")(function* (id, from, to) {
        const rows = yield* stored(sql`update feed set next_run_at = ${nullable(to)}
          where id = ${id} and next_run_at = ${from} returning id`)
        return rows.length > 0
      }),
      claimPlace: Effect.fn("FeedStore.claimPlace")(function* (id, place) {
        return yield* Effect.gen(function* () {
          if (place !== undefined) {
            // Before the old one is given up: feeds that change places with each other never wait in a circle.
            yield* sql`insert into feed_place (place, feed_id) values (${place}, ${id}) on conflict (place) do nothing`
            const [held] = yield* sql<{ readonly feed_id: FeedId }>`select feed_id from feed_place
              where place = ${place}`
            if (held?.feed_id !== id) return false
          }
          yield* sql`delete from feed_place where feed_id = ${id} and place is distinct from ${nullable(place)}`
          return true
        }).pipe(inTransaction(sql))
      }),
      boundColumns: Effect.fn("FeedStore.boundColumns")(function* (id) {
        const [row] = yield* stored(
          sql<{ readonly bound_columns: Record<string, string> }>`select bound_columns from feed where id = ${id}`
        )
        return new Map(Object.entries(row?.bound_columns ?? {}))
      }),
      bindColumns: Effect.fn("FeedStore.bindColumns")(function* (id, columns) {
        yield* stored(sql`update feed set bound_columns = bound_columns || ${json(Object.fromEntries(columns))}::jsonb
          where id = ${id}`)
      }),
      unbindColumns: Effect.fn("FeedStore.unbindColumns")(function* (id) {
        yield* stored(sql`update feed set bound_columns = '{}' where id = ${id}`)
      }),
      marks: Effect.fn("FeedStore.marks")(function* (id) {
        const rows = yield* stored(
          sql<{
            readonly account_id: FeedMark["accountId"]
            readonly change_no: bigint
            readonly signature: string
          }>`select account_id, change_no, signature from feed_mark where feed_id = ${id}`
        )
        return rows.map((row) => ({
          accountId: row.account_id,
          changeNo: Number(row.change_no),
          signature: row.signature
        }))
      }),
      setMarks: Effect.fn("FeedStore.setMarks")(function* (id, marks) {
        if (marks.length === 0) return
        yield* stored(sql`insert into feed_mark (feed_id, account_id, change_no, signature)
          select ${id}, m.account_id, m.change_no, m.signature
          from unnest(${marks.map(({ accountId }) => accountId)}::text[],
              ${marks.map(({ changeNo }) => String(changeNo))}::bigint[],
              ${marks.map(({ signature }) => signature)}::text[]) as m(account_id, change_no, signature)
          on conflict (feed_id, account_id) do update
            set change_no = excluded.change_no, signature = excluded.signature`)
      }),
      clearMarks: Effect.fn("FeedStore.clearMarks")(function* (id) {
        yield* stored(sql`delete from feed_mark where feed_id = ${id}`)
      }),

      // Cut, because it is kept in milliseconds: rounded up, what is due at once would not be until the next of them.
      wake: Effect.fn("FeedStore.wake")(function* (id, { afterSeconds, reason, retry, type }) {
        yield* stored(sql`insert into feed_wake (feed_id, due_at, reason, type, retry, after_job)
          select id, date_trunc('milliseconds', store_now() + make_interval(secs => ${afterSeconds}::float8)), ${reason},
            ${type}, ${retry}::int,
            coalesce((select id from job where feed_id = feed.id order by id desc limit 1), '')
          from feed where id = ${id}
          on conflict (feed_id) do update set after_job = excluded.after_job,
            (due_at, reason, type, retry) = (
              select case when kept then feed_wake.due_at else excluded.due_at end,
                case when kept then feed_wake.reason else excluded.reason end,
                case when kept then feed_wake.type else excluded.type end,
                case when kept then feed_wake.retry else excluded.retry end
              from (select feed_wake.due_at <= excluded.due_at and not ${sql.literal(isVoid)} as kept) as w
            )`)
      }),
      dueWakes: Effect.fn("FeedStore.dueWakes")(function* (limit) {
        const rows = yield* stored(
          sql<
            Omit<DueWake, "dueAt"> & { readonly due_at: Date }
          >`select feed_id as "feedId", due_at, reason, type, retry
            from feed_wake where due_at <= store_now() and not ${sql.literal(isVoid)}
              and not exists (select from job where job.feed_id = feed_wake.feed_id
                and status in (${sql.literal(activeStatuses.map((s) => `'${s}'`).join(", "))}))
            order by due_at, feed_id limit ${limit}`
        )
        return rows.map(({ due_at, ...wake }) => ({ ...wake, dueAt: instant(due_at) }))
      }),
      takeWake: Effect.fn("FeedStore.takeWake")(function* (id, dueAt) {
        const rows = yield* stored(
          sql`delete from feed_wake where feed_id = ${id} and due_at = ${dueAt} returning feed_id`
        )
        return rows.length > 0
      })
    })
  )
)
