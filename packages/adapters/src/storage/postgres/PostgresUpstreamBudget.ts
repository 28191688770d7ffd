/** The budgets of upstream providers in PostgreSQL: one statement a request, by the clock of the database. */
import { Refill, UpstreamBudget } from "@millrace/core/rate"
import { acrossWorkspaces } from "@millrace/core/workspace"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { stored } from "./SqlFailure.ts"

/**
 * Lines with a budget move on, as `rate/Refill` has it; none does while the upstream wants to be left alone for
 * longer than the caller waits. `$2` are those lines, as JSON, in the order in which all callers lock them;
 * `$3` is the connection, `$4` the patience.
 */
const takeStatement = `
  with held as (
    select coalesce(max(greatest(0, extract(epoch from held_until - store_now()))), 0)::float8 as wait
    from upstream_turn where instance_id = $1 and connection in ('', $3)
  ), wanted as (
    select connection, burst, step from json_to_recordset($2::json) as w (connection text, burst int, step float8)
    where (select wait from held) <= $4::float8
  ), taken as (
    insert into upstream_turn as t (instance_id, connection, next_at, place_at)
    select $1, connection, store_now() + make_interval(secs => step * (2 - burst)), store_now() from wanted
    on conflict (instance_id, connection) do update set (next_at, place_at) = (
      select case when at <= store_now() + make_interval(secs => $4::float8)
          then at + make_interval(secs => step) else t.next_at end,
        case when at <= store_now() + make_interval(secs => $4::float8) then at end
      from (
        select step, greatest(t.next_at, store_now() - make_interval(secs => step * (burst - 1))) as at
        from wanted where wanted.connection = t.connection
      ) as line
    )
    returning place_at, next_at
  ), waits as (
    select place_at is not null as granted,
      greatest(0, extract(epoch from coalesce(place_at, next_at) - store_now()))::float8 as wait from taken
    union all
    select wait <= $4::float8, wait from held
  )
  select bool_and(granted) as granted, max(wait) as wait from waits`

const ofInstallation = acrossWorkspaces("tables of the installation")

export const layer: Layer.Layer<UpstreamBudget, never, SqlClient.SqlClient> = Layer.effect(
  UpstreamBudget,
  Effect.map(SqlClient.SqlClient, (sql) =>
    UpstreamBudget.of({
      take: Effect.fn("UpstreamBudget.take")(function* ({ connection, instanceId }, budget, patience) {
        const budgets = [
          { connection: "", perMinute: budget?.perMinute },
          ...(connection === undefined ? [] : [{ connection, perMinute: budget?.perConnectionPerMinute }])
        ]
        const wanted = budgets.flatMap((line) => {
          if (line.perMinute === undefined) return []
          const { burst, interval } = Refill.refillOf(line.perMinute)
          return [{ connection: line.connection, burst, step: interval }]
        })
        const rows = yield* ofInstallation(
          stored(
            sql.unsafe<{ readonly granted: boolean; readonly wait: number }>(takeStatement, [
              instanceId,
              JSON.stringify(wanted),
              connection ?? "",
              patience
            ])
          )
        )
        return rows[0]!
      }),
      held: Effect.fn("UpstreamBudget.held")(function* ({ connection, instanceId }) {
        const [row] = yield* ofInstallation(
          stored(sql<{ readonly wait: number }>`
          select coalesce(max(greatest(0, extract(epoch from held_until - store_now()))), 0)::float8 as wait
          from upstream_turn where instance_id = ${instanceId} and connection in ('', ${connection ?? ""})`)
        )
        return row!.wait
      }),
      hold: Effect.fn("UpstreamBudget.hold")(function* ({ connection, instanceId }, seconds) {
        const until = sql`store_now() + make_interval(secs => ${seconds}::float8)`
        yield* ofInstallation(
          stored(sql`insert into upstream_turn as t (instance_id, connection, next_at, held_until)
          values (${instanceId}, ${connection ?? ""}, ${until}, ${until})
          on conflict (instance_id, connection) do update set next_at = greatest(t.next_at, excluded.next_at),
            held_until = greatest(t.held_until, excluded.held_until)`)
        )
      })
    })
  )
)
