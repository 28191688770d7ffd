/** Request budgets in PostgreSQL: one statement a request, by the clock of the database. */
import { RateLimiter, RollingWindow } from "@millrace/core/rate"
import { acrossTenants } from "@millrace/core/workspace"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { stored } from "./SqlFailure.ts"

/**
 * Counts one arrival. Stamps are milliseconds, newest first: this arrival, then the arrivals before it that the limit of
 * the call before kept. A clock that goes back cannot admit more than a standing one would.
 */
const lookupStatement = `
  insert into request_window as w (key, size, stamps)
  values ($1, $2::int, array[floor(extract(epoch from store_now()) * 1000)::float8])
  on conflict (key) do update set size = excluded.size,
    stamps = (greatest(excluded.stamps[1], w.stamps[1]) || w.stamps[1:w.size])[1:excluded.size + 1]
  returning stamps[1] as at, stamps[size] as blocking, stamps[size + 1] as oldest`

export interface WindowRow {
  readonly at: number
  readonly blocking: number | null
  readonly oldest: number | null
}

export const decisionOf = ({ at, blocking, oldest }: WindowRow, limit: number): RollingWindow.Decision => {
  if (oldest === null || at - oldest >= RollingWindow.windowMillis) return { admitted: true, limit, retryAfter: 0 }
  // What will be the oldest when the next request comes.
  const wait = Math.ceil(((blocking ?? at) + RollingWindow.windowMillis - at) / 1000)
  return { admitted: false, limit, retryAfter: Math.min(60, Math.max(1, wait)) }
}

const ofInstallation = acrossTenants("tables of the installation")

export const layer: Layer.Layer<RateLimiter, never, SqlClient.SqlClient> = Layer.effect(
  RateLimiter,
  Effect.map(SqlClient.SqlClient, (sql) =>
    RateLimiter.of({
      arrive: Effect.fn("RateLimiter.arrive")(function* (key, limit) {
        const rows = yield* ofInstallation(stored(sql.unsafe<WindowRow>(lookupStatement, [key, limit])))
        return decisionOf(rows[0]!, limit)
      })
    })
  )
)
