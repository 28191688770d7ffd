/** The limits of upstream providers in PostgreSQL: one statement a request, by the clock of the database. */
import { type Line, type Place, type Upstream, UpstreamBudget } from "@millrace/core/rate"
import { acrossTenants } from "@millrace/core/workspace"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { stored } from "./SqlFailure.ts"

/**
 * A place in every line that has a limit, or in none: the arithmetic is that of `Allowance`. `$1` are the lines, as JSON; `$2`
 * is the patience. Rows are locked in one order, so that two requests never wait for each other in a circle, and "now" is when
 * they were had, however long others held them. A line that is new to two requests at once is missed by one of them.
 */
const takeStatement = `
  with line as (
    select * from json_to_recordset($1::json) as w
      (instance_id text, connection text, step float8, rest float8, block int, blocks int, span float8)
  ), held as (
    select coalesce(max(held_until), '-infinity') as until from upstream_turn join line using (instance_id, connection)
  ), wanted as (
    select * from line
    where block is not null and (select until from held) <= store_now() + make_interval(secs => $2::float8)
  ), had as materialized (
    select t.* from upstream_turn t join wanted using (instance_id, connection)
    order by t.instance_id, t.connection for update of t
  ), clock as materialized (
    select store_now() + (clock_timestamp() - statement_timestamp()) as now, count(*) from had
  ), known as (
    select w.*, clock.now, had.instance_id is null as is_new, had.place_at,
      case when u.same then had.next_at
        else greatest(had.next_at, had.place_at + make_interval(secs => w.span)) end as next_at,
      case when u.same then had.begun else 0 end as begun,
      case when u.same then had.ends when had.place_at is null then '{}'
        else array_fill(had.place_at, array[w.blocks]) end as ends
    from wanted w cross join clock left join had using (instance_id, connection)
      cross join lateral (select (had.block, had.blocks, had.span) = (w.block, w.blocks, w.span) as same) u
  ), place as (
    select *, greatest(next_at, now - make_interval(secs => rest)) as from_at from known
  ), decision as (
    select *, due <= now + make_interval(secs => $2::float8) as granted
    from (select now, greatest(now, (select until from held), (select max(from_at) from place)) as due from clock) d
  ), given as (
    select instance_id, connection, is_new, block, blocks, span, step, from_at, due, latest as place_at, case when begun + 1 = block then 0 else begun + 1 end as begun,
      case when begun + 1 = block then (ends || latest)[cardinality(ends) + 2 - blocks:] else ends end as ends
    from place cross join lateral (select due, greatest(place_at, due) as latest from decision where granted) l
  ), paced as (
    select *, greatest(step, (
        select max((extract(epoch from at - due) + span) / nth) from (
          select at, (blocks - cardinality(ends) + n - 1) * block - begun + 1 as nth
          from unnest(ends) with ordinality as ended (at, n)
        ) ended where nth >= 1
      )) as pace
    from given
  ), kept as (
    select instance_id, connection, is_new, place_at, block, blocks, span, begun, ends,
      greatest(from_at + make_interval(secs => pace),
        case when cardinality(ends) = blocks then ends[1] + make_interval(secs => span) end) as next_at
    from paced
  ), moved as (
    update upstream_turn t set (next_at, place_at, block, blocks, span, begun, ends) =
      (kept.next_at, kept.place_at, kept.block, kept.blocks, kept.span, kept.begun, kept.ends)
    from kept where t.instance_id = kept.instance_id and t.connection = kept.connection
    returning t.instance_id, t.connection
  ), made as (
    insert into upstream_turn (instance_id, connection, next_at, place_at, block, blocks, span, begun, ends)
    select instance_id, connection, next_at, place_at, block, blocks, span, begun, ends from kept where is_new
    order by instance_id, connection
    on conflict (instance_id, connection) do nothing
    returning instance_id, connection
  )
  select granted, extract(epoch from due - now)::float8 as wait, array(
      select json_build_array(instance_id, connection) from kept
      where (instance_id, connection) not in (select * from moved union all select * from made)
    ) as missed
  from decision`

interface Given {
  readonly granted: boolean
  readonly wait: number
  /** Lines by instance and connection. */
  readonly missed: ReadonlyArray<readonly [string, string]>
}

const ofInstallation = acrossTenants("tables of the installation")

const keyOf = ({ connection = "", instanceId }: Upstream) => ({ instance_id: instanceId, connection })

const rowOf = ({ allowance, ...line }: Line) => {
  if (allowance === undefined) return keyOf(line)
  const { interval, ...limit } = allowance
  return { ...keyOf(line), ...limit, step: interval }
}

export const layer: Layer.Layer<UpstreamBudget, never, SqlClient.SqlClient> = Layer.effect(
  UpstreamBudget,
  Effect.map(SqlClient.SqlClient, (sql) =>
    UpstreamBudget.of({
      take: Effect.fn("UpstreamBudget.take")(function* (lines, patience) {
        let place: Place = { granted: true, wait: 0 }
        let wanted = lines
        do {
          const [given] = yield* ofInstallation(
            stored(sql.unsafe<Given>(takeStatement, [JSON.stringify(wanted.map(rowOf)), patience]))
          )
          const { granted, missed, wait } = given!
          place = { granted, wait: Math.max(place.wait, wait) }
          wanted = wanted.filter(({ connection = "", instanceId }) =>
            missed.some(([instance, one]) => instance === instanceId && one === connection)
          )
        } while (wanted.length > 0)
        return place
      }),
      held: Effect.fn("UpstreamBudget.held")(function* (lines) {
        const [row] = yield* ofInstallation(
          stored(sql<{ readonly wait: number }>`
          select coalesce(max(greatest(0, extract(epoch from held_until - store_now()))), 0)::float8 as wait
          from upstream_turn join json_to_recordset(${JSON.stringify(lines.map(keyOf))}::json)
            as w (instance_id text, connection text) using (instance_id, connection)`)
        )
        return row!.wait
      }),
      hold: Effect.fn("UpstreamBudget.hold")(function* (line, seconds) {
        const { connection, instance_id } = keyOf(line)
        const until = sql`store_now() + make_interval(secs => ${seconds}::float8)`
        yield* ofInstallation(
          stored(sql`insert into upstream_turn as t (instance_id, connection, next_at, held_until)
          values (${instance_id}, ${connection}, ${until}, ${until})
          on conflict (instance_id, connection) do update set next_at = greatest(t.next_at, excluded.next_at),
            held_until = greatest(t.held_until, excluded.held_until)`)
        )
      })
    })
  )
)
