/** The limits of upstream providers in PostgreSQL: one statement a request, by the clock of the database. */
import { type Line, type Upstream, UpstreamBudget } from "@millrace/core/rate"
import { acrossWorkspaces } from "@millrace/core/workspace"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { stored } from "./SqlFailure.ts"

/**
 * Lines with a limit move on, as `rate/Refill` has it; none does while the upstream wants to be left alone for longer than
 * the caller waits. `$1` are the lines, as JSON, in the order in which all callers lock them; `$2` is the patience.
 */
const takeStatement = `
  with line as (
    select instance_id, connection, burst, step
    from json_to_recordset($1::json) as w (instance_id text, connection text, burst int, step float8)
  ), held as (
    select coalesce(max(greatest(0, extract(epoch from held_until - store_now()))), 0)::float8 as wait
    from upstream_turn join line using (instance_id, connection)
  ), wanted as (
    select * from line where burst is not null and (select wait from held) <= $2::float8
  ), taken as (
    insert into upstream_turn as t (instance_id, connection, next_at, place_at)
    select instance_id, connection, store_now() + make_interval(secs => step * (2 - burst)), store_now() from wanted
    on conflict (instance_id, connection) do update set (next_at, place_at) = (
      select case when at <= store_now() + make_interval(secs => $2::float8)
          then at + make_interval(secs => step) else t.next_at end,
        case when at <= store_now() + make_interval(secs => $2::float8) then at end
      from (
        select step, greatest(t.next_at, store_now() - make_interval(secs => step * (burst - 1))) as at
        from wanted where wanted.instance_id = t.instance_id and wanted.connection = t.connection
      ) as line
    )
    returning instance_id, connection, place_at, next_at
  )
  select instance_id as "instanceId", connection, place_at is not null as granted,
    greatest(0, extract(epoch from coalesce(place_at, next_at) - store_now()))::float8 as wait from taken
  union all
  select null, null, wait <= $2::float8, wait from held`

/** Gives back the places of who was refused by another line. */
const returnStatement = `
  update upstream_turn t set next_at = t.next_at - make_interval(secs => w.step)
  from json_to_recordset($1::json) as w (instance_id text, connection text, step float8)
  where t.instance_id = w.instance_id and t.connection = w.connection`

interface Given {
  readonly instanceId: string | null
  readonly connection: string | null
  readonly granted: boolean
  readonly wait: number
}

const ofInstallation = acrossWorkspaces("tables of the installation")

const keyOf = ({ connection = "", instanceId }: Upstream) => ({ instance_id: instanceId, connection })

/** In one order, so that two requests never wait for each other in a circle. */
const rowsOf = (lines: ReadonlyArray<Line>) =>
  lines
    .map(({ refill, ...line }) => ({
      ...keyOf(line),
      ...(refill === undefined ? {} : { burst: refill.burst, step: refill.interval })
    }))
    .toSorted((a, b) => (`${a.instance_id} ${a.connection}` < `${b.instance_id} ${b.connection}` ? -1 : 1))

export const layer: Layer.Layer<UpstreamBudget, never, SqlClient.SqlClient> = Layer.effect(
  UpstreamBudget,
  Effect.map(SqlClient.SqlClient, (sql) =>
    UpstreamBudget.of({
      take: Effect.fn("UpstreamBudget.take")(function* (lines, patience) {
        const wanted = rowsOf(lines)
        const given = yield* ofInstallation(
          stored(sql.unsafe<Given>(takeStatement, [JSON.stringify(wanted), patience]))
        )
        const granted = given.every((one) => one.granted)
        const had = granted ? [] : given.filter((one) => one.granted && one.instanceId !== null)
        if (had.length > 0) {
          const back = wanted.filter((row) =>
            had.some(({ connection, instanceId }) => row.instance_id === instanceId && row.connection === connection)
          )
          yield* ofInstallation(stored(sql.unsafe(returnStatement, [JSON.stringify(back)])))
        }
        return { granted, wait: Math.max(0, ...given.map(({ wait }) => wait)) }
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
