/** Durable tasks in PostgreSQL. */
import { limits } from "@millrace/core"
import type { NewTask, TaskFence, TaskId, TaskOverview } from "@millrace/core/task"
import { TaskFenced, TaskStore } from "@millrace/core/storage"
import { PgClient } from "@effect/sql-pg/PgClient"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { inTransaction, stored, unavailable } from "./SqlFailure.ts"
import { claimSql, type ClaimRow } from "./TaskClaim.ts"
import { type TaskRow, toTask } from "./TaskRows.ts"

/** As one call after the other would leave them: a statement can touch a row once. */
const merged = (made: ReadonlyArray<NewTask>, keep: boolean): ReadonlyArray<ReadonlyArray<NewTask>> => {
  const rounds: Array<Map<string, NewTask>> = []
  for (const task of made) {
    const key = `${task.kind} ${task.key}`
    const free = rounds.find((round) => !round.has(key))
    if (free !== undefined) free.set(key, task)
    else if (rounds.length === 0 || !keep) rounds.push(new Map([[key, task]]))
  }
  // In one order everywhere, so that two who make the same tasks never wait for each other.
  return rounds.map((round) => [...round].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, task]) => task))
}

interface OverviewRow {
  readonly kind: string
  readonly running: number
  readonly waiting: number
  readonly retrying: number
  readonly failed: number
  readonly late_seconds: number
  readonly last_error: string | null
}

const toOverview = (row: OverviewRow): TaskOverview => ({
  kind: row.kind,
  running: row.running,
  waiting: row.waiting,
  retrying: row.retrying,
  failed: row.failed,
  lateSeconds: row.late_seconds,
  ...(row.last_error === null ? {} : { lastError: row.last_error })
})

export const layer: Layer.Layer<TaskStore, never, SqlClient.SqlClient | PgClient> = Layer.effect(
  TaskStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const pg = yield* PgClient

    // Instants keep milliseconds: rounded up, a task that is due now would not be.
    const now = sql`date_trunc('milliseconds', store_now())`
    const inSeconds = (seconds: number): Fragment => sql`${now} + make_interval(secs => ${seconds}::float8)`
    const isHeld = ({ epoch, taskId }: TaskFence): Fragment =>
      sql`id = ${taskId} and epoch = ${epoch} and runner is not null and failed_at is null`
    const noAgain = sql`again_id = null, again_payload = null, again_at = null`

    const insert = (made: ReadonlyArray<NewTask>, keep: boolean) => {
      const rows = made.map(({ afterSeconds = 0, at = null, id, key, kind, payload, workspaceId = null }) => ({
        id,
        kind,
        key,
        workspace_id: workspaceId,
        payload,
        at,
        after_seconds: afterSeconds
      }))
      const due = sql`coalesce(new.at, ${now} + make_interval(secs => new.after_seconds))`
      const open = sql`on conflict (kind, key) where failed_at is null`
      return sql`insert into task as t (id, kind, key, workspace_id, payload, due_at, ready_at)
        select id, kind, key, workspace_id, payload, ${due}, ${due}
        from json_to_recordset(${JSON.stringify(rows)}::json) as new(id text, kind text, key text, workspace_id text,
          payload json, at timestamptz, after_seconds float8)
        ${
          keep
            ? sql`${open} do nothing`
            : sql`${open} do update set
                payload = case when t.runner is null then excluded.payload else t.payload end,
                due_at = case when t.runner is null and t.attempts = 0 then least(t.due_at, excluded.due_at)
                  else t.due_at end,
                ready_at = case when t.runner is null and t.attempts = 0 then least(t.ready_at, excluded.ready_at)
                  else t.ready_at end,
                again_id = case when t.runner is not null then coalesce(t.again_id, excluded.id) end,
                again_payload = case when t.runner is not null then excluded.payload end,
                again_at = case when t.runner is not null then least(t.again_at, excluded.due_at) end`
        }`
    }

    /** Changes the row of a fence that holds. */
    const change = Effect.fnUntraced(function* (fence: TaskFence, assignments: Fragment) {
      const rows = yield* stored(sql`update task set ${assignments} where ${isHeld(fence)} returning id`)
      if (rows.length === 0) return yield* new TaskFenced({ taskId: fence.taskId })
    })

    return TaskStore.of({
      enqueue: Effect.fn("TaskStore.enqueue")(function* (made, { keep = false } = {}) {
        const rounds = merged(made, keep)
        if (rounds.length === 0) return
        const all = Effect.forEach(rounds, (round) => stored(insert(round, keep)), { discard: true })
        yield* rounds.length === 1 ? all : inTransaction(sql)(all)
      }),
      claim: Effect.fn("TaskStore.claim")(function* (runner, rooms, leaseSeconds) {
        const rows = yield* stored(claimSql(sql, runner, rooms, leaseSeconds))
        const tasks = rows
          .filter((row): row is ClaimRow => row.id !== null)
          .map((row) => ({ task: toTask(row), fence: { taskId: row.id, epoch: row.epoch } }))
        const nextSeconds = rows[0]?.next_seconds ?? null
        return { tasks, ...(nextSeconds === null ? {} : { nextSeconds }) }
      }),
      beat: Effect.fn("TaskStore.beat")(function* (fences, leaseSeconds) {
        if (fences.length === 0) return []
        const given = fences.map(({ epoch, taskId }) => ({ id: taskId, epoch }))
        // Rows that a transaction of the task holds right now are passed over: nobody can take them while it lasts.
        const rows = yield* stored(sql<{ readonly id: TaskId }>`with mine as (
            select * from json_to_recordset(${JSON.stringify(given)}::json) as x(id text, epoch int)
          ), free as (
            select task.id from task join mine on mine.id = task.id and mine.epoch = task.epoch
            where runner is not null and failed_at is null for update of task skip locked
          ), beaten as (
            update task set ready_at = ${inSeconds(leaseSeconds)} from free where task.id = free.id
          )
          select task.id from task join mine on mine.id = task.id and mine.epoch = task.epoch
          where runner is not null and failed_at is null`)
        return rows.map(({ id }) => id)
      }),
      fence: Effect.fn("TaskStore.fence")(function* (fence) {
        const rows = yield* stored(sql`select id from task where ${isHeld(fence)} for update`)
        if (rows.length === 0) return yield* new TaskFenced({ taskId: fence.taskId })
      }),
      complete: Effect.fn("TaskStore.complete")(function* (fence, more) {
        // The lock gives the newest row: what is enqueued meanwhile comes before it or after, and never in between.
        const rows = yield* stored(sql<{ readonly due_seconds: number | null }>`with held as materialized (
            select id, again_id, again_at from task where ${isHeld(fence)} for update
          ), gone as (
            delete from task using held where task.id = held.id and held.again_id is null and ${more === undefined}
          ), again as (
            update task set id = coalesce(held.again_id, ${more?.id ?? null}), epoch = epoch + 1, attempts = 0,
              runner = null, last_error = null, created_at = store_now(),
              payload = coalesce(task.again_payload, payload),
              due_at = least(held.again_at, ${more === undefined ? sql`null::timestamptz` : inSeconds(more.afterSeconds)}),
              ready_at = least(held.again_at, ${more === undefined ? sql`null::timestamptz` : inSeconds(more.afterSeconds)}),
              ${noAgain}
            from held where task.id = held.id and (held.again_id is not null or ${more !== undefined})
            returning due_at
          )
          select extract(epoch from (select due_at from again) - store_now())::float8 as due_seconds from held`)
        if (rows[0] === undefined) return yield* new TaskFenced({ taskId: fence.taskId })
        return rows[0].due_seconds ?? undefined
      }),
      retry: Effect.fn("TaskStore.retry")(function* (fence, error, afterSeconds) {
        yield* change(fence, sql`runner = null, last_error = ${error}, ready_at = ${inSeconds(afterSeconds)}`)
      }),
      fail: Effect.fn("TaskStore.fail")(function* (fence, error) {
        yield* Effect.gen(function* () {
          const rows = yield* sql<{ readonly again_id: string | null }>`select again_id from task
            where ${isHeld(fence)} for update`
          const [held] = rows
          if (held === undefined) return yield* new TaskFenced({ taskId: fence.taskId })
          yield* sql`update task set failed_at = store_now(), last_error = ${error}, runner = null
            where id = ${fence.taskId}`
          if (held.again_id === null) return
          yield* sql`insert into task (id, kind, key, workspace_id, payload, due_at, ready_at, epoch)
            select again_id, kind, key, workspace_id, again_payload, again_at, again_at, epoch + 1 from task
            where id = ${fence.taskId}`
          yield* sql`update task set ${noAgain} where id = ${fence.taskId}`
        }).pipe(inTransaction(sql))
      }),
      release: Effect.fn("TaskStore.release")(function* (fence, afterSeconds) {
        yield* stored(sql`update task set runner = null, attempts = attempts - 1, ready_at = ${inSeconds(afterSeconds)}
          where ${isHeld(fence)}`)
      }),
      withdraw: Effect.fn("TaskStore.withdraw")(function* (kind, key) {
        const rows = yield* stored(sql`delete from task where kind = ${kind} and key = ${key} and failed_at is null
          returning id`)
        return rows.length > 0
      }),
      get: Effect.fn("TaskStore.get")(function* (id) {
        const rows = yield* stored(sql<TaskRow>`select * from task where id = ${id}`)
        return Arr.head(rows.map(toTask))
      }),
      list: Effect.fn("TaskStore.list")(function* ({ before, kind, limit, state, workspaceId }) {
        const rows = yield* stored(
          sql<TaskRow>`select * from task where ${sql.and([
            sql`true`,
            ...(state === undefined ? [] : [state === "open" ? sql`failed_at is null` : sql`failed_at is not null`]),
            ...(kind === undefined ? [] : [sql`kind = ${kind}`]),
            ...(workspaceId === undefined ? [] : [sql`workspace_id = ${workspaceId}`]),
            ...(before === undefined ? [] : [sql`id < ${before}`])
          ])} order by id desc limit ${limit}`
        )
        return rows.map(toTask)
      }),
      reopen: Effect.fn("TaskStore.reopen")(function* (id) {
        const rows = yield* stored(sql`update task set failed_at = null, last_error = null, attempts = 0,
            due_at = ${now}, ready_at = ${now}
          where id = ${id} and failed_at is not null and not exists (
            select from task as open where open.kind = task.kind and open.key = task.key and open.failed_at is null)
          returning id`)
        if (rows.length > 0) yield* stored(sql`select pg_notify('task_arrival', '')`)
        return rows.length > 0
      }),
      overview: Effect.suspend(() =>
        stored(sql<OverviewRow>`with shown as (
            select *, failed_at is null and runner is not null and ready_at > store_now() as runs from task
          )
          select kind, (count(*) filter (where runs))::int as running,
            (count(*) filter (where failed_at is null and not runs))::int as waiting,
            (count(*) filter (where failed_at is null and not runs and attempts > 0))::int as retrying,
            (count(*) filter (where failed_at is not null))::int as failed,
            greatest(0, extract(epoch from store_now() - min(ready_at) filter (where failed_at is null and not runs)))::float8
              as late_seconds,
            coalesce(
              (array_agg(last_error order by attempts desc, id)
                filter (where failed_at is null and last_error is not null))[1],
              (array_agg(last_error order by failed_at desc, id desc) filter (where failed_at is not null))[1]
            ) as last_error
          from shown group by kind order by kind`)
      ).pipe(
        Effect.map((rows) => rows.map(toOverview)),
        Effect.withSpan("TaskStore.overview")
      ),
      purge: Effect.fn("TaskStore.purge")(function* (limit) {
        const rows = yield* stored(sql`delete from task where id in (
          select id from task where failed_at < store_now() - make_interval(days => ${limits.taskHistoryDays}::int)
          order by failed_at, id limit ${limit} for update skip locked) returning id`)
        return rows.length
      }),
      arrivals: Stream.unwrap(
        Effect.map(pg.listen("task_arrival"), (notes) =>
          Stream.fromEffectRepeat(Queue.takeAll(notes)).pipe(
            Stream.map(() => undefined),
            Stream.prepend([undefined])
          )
        )
      ).pipe(Stream.mapError(unavailable))
    })
  })
)
