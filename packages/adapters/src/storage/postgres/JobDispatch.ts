/**
 * Handing out due jobs, as one statement: what is under way, what the runners have room for, what waits, whose
 * turn it is, and the mark on those that are handed out.
 *
 * Workspaces that have the least under way come first. Among equals, a job that a person has triggered goes before
 * those that schedules and webhooks have, as long as its kind has no more under way than they: a burst of schedules keeps nobody
 * waiting, and people who trigger all the time leave schedules half of the room.
 *
 * Nothing is kept between two calls but when each workspace was handed a job last, and two callers at once do no harm:
 * rows that another one has locked are passed over. Waiting jobs are read workspace by workspace, through an index, no more of each than there is
 * room for, so that a long backlog costs no more than a short one. Where more workspaces wait than there is room for, one job of each will
 * do, and of those alone whose turn is first: the others are counted.
 */
import type { FeedId } from "@millrace/core/feed"
import { capacityOf, type Dispatched, type JobId, runnerSilence } from "@millrace/core/job"
import { pokeLease } from "@millrace/core/storage"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"

interface Row {
  readonly slots: number
  readonly in_flight: number
  readonly more: boolean
  readonly job_id: JobId | null
  readonly feed_id: FeedId | null
}

const ago = (sql: SqlClient, seconds: number): Fragment => sql`store_now() - make_interval(secs => ${seconds}::float8)`

/** Whether nobody waits for it: what no person has triggered. False sorts first. */
const unaskedSql = (sql: SqlClient): Fragment => sql`(type <> 'manual')`

/** Sum of the slots of all runners that beat. */
export const slotsSql = (sql: SqlClient): Fragment =>
  sql`(select coalesce(sum(slots), 0)::int from runner_slot where beat_at > ${ago(sql, runnerSilence)})`

/** Jobs that were handed out a moment ago, or run: their connections are theirs. */
export const flightSql = (sql: SqlClient, lease: number): Fragment =>
  sql`select workspace_id, banks, ${unaskedSql(sql)} as unasked from job where status in ('created', 'in_progress') and touched
    and (heartbeat >= ${ago(sql, lease)} or poked_at >= ${ago(sql, pokeLease)})`

/** Connections that cannot be had now, given the jobs under way in `flight`. */
export const busySql = (sql: SqlClient): Fragment =>
  sql`select substr(resource, 6) from lease where resource like 'bank:%' and expires_at > store_now()
    union select unnest(banks) from flight
    union select b.id::text from bank b join upstream_turn t on t.instance_id = b.provider_instance_id
      where t.connection = '' and t.next_at > store_now() + interval '1 second'`

/** Whether a job needs none of those in `busy`, and no local run has its feed. */
export const isFreeSql = (sql: SqlClient): Fragment =>
  sql`not exists (select from unnest(banks) as needed (id) where needed.id in (select bank_id from busy))
    and not exists (select from lease where resource = 'feed:' || feed_id and expires_at > store_now())`

/** At most `limit` jobs; `lease` is that of a run, in seconds. */
export const dispatch = Effect.fnUntraced(function* (
  sql: SqlClient,
  lease: number,
  limit: number
): Effect.fn.Return<Dispatched, SqlError> {
  const waits = sql`status in ('created', 'in_progress') and not touched and pause_reason is null`
  const unasked = unaskedSql(sql)
  const stale = sql`status in ('created', 'in_progress') and touched and pause_reason is null
    and (heartbeat is null or heartbeat < ${ago(sql, lease)})
    and (poked_at is null or poked_at < ${ago(sql, pokeLease)})`
  /** The first jobs of a workspace that can begin now. */
  const first = (workspace: string, most: Fragment): Fragment => sql`
    select id, workspace_id, created_at, banks, ${unasked} as unasked from job
    where ${waits} and workspace_id = ${sql.literal(workspace)}.workspace_id and ${isFreeSql(sql)}
      and not exists (select from job as older where older.banks[1] = job.banks[1]
        and older.status in ('created', 'in_progress') and not older.touched
        and ((older.type <> 'manual'), older.created_at, older.id) < ((job.type <> 'manual'), job.created_at, job.id))
    order by ${unasked}, created_at, id limit ${most}`
  const rows = yield* sql<Row>`with recursive
      slot as materialized (select ${slotsSql(sql)} as n),
      flight as materialized (${flightSql(sql, lease)}),
      busy (bank_id) as materialized (${busySql(sql)}),
      room as materialized (
        select greatest(0, least(ceil(slot.n * 1.3)::int - (select count(*) from flight), ${limit}::bigint)) as n from slot
      ),
      space as (
        (select workspace_id, ${unasked} as unasked, created_at, id from job where ${waits}
          order by workspace_id, ${unasked}, created_at, id limit 1)
        union all
        select next.* from space cross join lateral (
          select workspace_id, ${unasked} as unasked, created_at, id from job
          where ${waits} and workspace_id > space.workspace_id order by workspace_id, ${unasked}, created_at, id limit 1
        ) as next where (select n from room) > 0
      ),
      crowd as materialized (
        select (select count(*) from space) > n + (select count(*) from flight) as is_large from room
      ),
      -- Of those whose turn is first, as many of each kind as there is room for: no others are looked at.
      line as materialized (
        select space.*, coalesce(f.n, 0) as n,
          coalesce((select served_at from workspace_turn w where w.workspace_id = space.workspace_id), '-infinity') as served
        from space left join (select workspace_id, count(*) as n from flight group by workspace_id) f using (workspace_id)
        where (select is_large from crowd)
      ),
      due as materialized (
        select waiting.* from space, lateral (${first("space", sql`(select n from room)`)}) as waiting
        where not (select is_large from crowd)
        union all
        (select waiting.* from (select * from line where not unasked order by n, served, created_at, id) l,
          lateral (${first("l", sql`1`)}) as waiting where not waiting.unasked limit (select n from room))
        union all
        (select waiting.* from (select * from line order by n, served, created_at, id) l,
          lateral (${first("l", sql`1`)}) as waiting where waiting.unasked limit (select n from room))
        union all
        select id, workspace_id, created_at, banks, ${unasked} from job
        where ${stale} and ${isFreeSql(sql)} and (select n from room) > 0
      ),
      alone as (
        select distinct on (coalesce(banks[1], id)) id, workspace_id, created_at, unasked from due
        order by coalesce(banks[1], id), unasked, created_at, id
      ),
      turn as materialized (
        select id, created_at, unasked, row_number() over (partition by workspace_id order by unasked, created_at, id)
          + (select count(*) from flight where flight.workspace_id = alone.workspace_id) as n,
          -- Of a workspace that waited longest the jobs may be the newest.
          coalesce((select served_at from workspace_turn w where w.workspace_id = alone.workspace_id), '-infinity') as served
        from alone
      ),
      -- How many of its kind go before it: those that people wait for and the others get as much each.
      lane as (
        select *, row_number() over (partition by unasked order by n, served, created_at, id)
          + (select count(*) from flight where flight.unasked = turn.unasked) as beside
        from turn
      ),
      chosen as materialized (
        select id, row_number() over (order by n, beside, unasked, served, created_at, id) as place from lane
        order by place limit (select n from room)
      ),
      locked as (
        select id from job where id in (select id from chosen) and (${waits} or (${stale}))
        for update skip locked
      ),
      given as (
        update job set poked_at = store_now() where id in (select id from locked) returning id, feed_id, workspace_id
      ),
      served as (
        insert into workspace_turn (workspace_id, served_at)
        select distinct workspace_id, store_now() from given order by workspace_id
        on conflict (workspace_id) do update set served_at = excluded.served_at
      )
    select slot.n as slots, (select count(*)::int from flight) as in_flight,
      exists (select from job where ${waits} and id not in (select id from chosen)) as more,
      given.id as job_id, given.feed_id as feed_id
    from slot left join given on true left join chosen on chosen.id = given.id
    order by chosen.place`
  const answer = rows[0]!
  const jobs = rows.flatMap(({ feed_id: feedId, job_id: jobId }) =>
    jobId === null || feedId === null ? [] : [{ jobId, feedId }]
  )
  return {
    jobs,
    inFlight: answer.in_flight,
    full: answer.in_flight + jobs.length >= capacityOf(answer.slots),
    more: answer.more
  }
})
