/**
 * Taking tasks that are ready, as one statement.
 *
 * Workspaces take turns. While few tasks of a kind are ready, all of them are looked at; above that, the oldest ones of
 * each workspace are, through an index, so that a long backlog costs no more than a short one.
 */
import type { TaskRoom } from "@millrace/core/storage"
import type { SqlClient } from "effect/sql/SqlClient"
import type { TaskRow } from "./TaskRows.ts"

/** Ready tasks of one kind that are looked at before workspaces are. */
const fewTasks = 200

export interface ClaimRow extends TaskRow {
  readonly next_seconds: number | null
}

/** Rows of the tasks that were taken; or one row without a task, which says when the next is ready. */
export const claimSql = (sql: SqlClient, runner: string, rooms: ReadonlyArray<TaskRoom>, leaseSeconds: number) =>
  sql<{ readonly [K in keyof ClaimRow]: ClaimRow[K] | null }>`with recursive
      room as materialized (
        select * from json_to_recordset(${JSON.stringify(rooms)}::json) as r(kind text collate "C", "limit" int)
        where "limit" > 0
      ),
      few as materialized (
        select t.* from room cross join lateral (
          select id, kind, coalesce(workspace_id, '') as space, ready_at from task
          where task.kind = room.kind and failed_at is null and ready_at <= store_now()
          order by ready_at, id limit ${fewTasks + 1}
        ) as t
      ),
      flooded as materialized (
        select room.kind, room."limit" from room
        where (select count(*) from few where few.kind = room.kind) > ${fewTasks}
      ),
      space as (
        select flooded.kind, flooded."limit", (
          select coalesce(workspace_id, '') from task
          where task.kind = flooded.kind and failed_at is null and runner is null
          order by coalesce(workspace_id, '') limit 1
        ) as space from flooded
        union all
        select space.kind, space."limit", (
          select coalesce(workspace_id, '') from task
          where task.kind = space.kind and failed_at is null and runner is null
            and coalesce(workspace_id, '') > space.space
          order by coalesce(workspace_id, '') limit 1
        ) from space where space.space is not null
      ),
      ready as (
        select * from few where kind not in (select kind from flooded)
        union all
        select t.* from space cross join lateral (
          select id, kind, coalesce(workspace_id, '') as space, ready_at from task
          where task.kind = space.kind and failed_at is null and runner is null
            and coalesce(workspace_id, '') = space.space and ready_at <= store_now()
          order by ready_at, id limit space."limit"
        ) as t
        union all
        -- Tasks of processes that were lost.
        select id, kind, coalesce(workspace_id, ''), ready_at from task
        where kind in (select kind from flooded) and failed_at is null and runner is not null
          and ready_at <= store_now()
      ),
      flight as materialized (
        select kind, coalesce(workspace_id, '') as space, count(*) as n from task
        where kind in (select kind from room) and failed_at is null and runner is not null and ready_at > store_now()
        group by 1, 2
      ),
      turn as (
        select ready.*, row_number() over (partition by kind, space order by ready_at, id) + coalesce((
          select n from flight where flight.kind = ready.kind and flight.space = ready.space), 0) as n
        from ready
      ),
      chosen as materialized (
        select id, kind, row_number() over (partition by kind order by n, ready_at, id) as place from turn
      ),
      locked as materialized (
        select task.id from task join chosen on chosen.id = task.id
        where chosen.place <= (select "limit" from room where room.kind = chosen.kind)
          and task.failed_at is null and task.ready_at <= store_now()
        for update of task skip locked
      ),
      taken as (
        update task set runner = ${runner}, attempts = attempts + 1, epoch = epoch + 1,
          ready_at = store_now() + make_interval(secs => ${leaseSeconds}::float8)
        from locked where task.id = locked.id returning task.*
      ),
      next as (
        select extract(epoch from min(t.ready_at) - store_now())::float8 as next_seconds
        from room cross join lateral (
          select ready_at from task
          where task.kind = room.kind and failed_at is null and id not in (select id from locked)
          order by ready_at limit 1
        ) as t
      )
    select taken.*, next.next_seconds from next left join taken on true
    left join chosen on chosen.id = taken.id order by chosen.kind, chosen.place`
