/** Tokens of enrichments in PostgreSQL. */
import { type BudgetScope, TokenBudget } from "@millrace/core/storage"
import { limits } from "@millrace/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { stored } from "./SqlFailure.ts"

export const layer: Layer.Layer<TokenBudget, never, SqlClient.SqlClient> = Layer.effect(
  TokenBudget,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const ofScope = ({ enrichmentId, month, workspaceId }: BudgetScope): Fragment =>
      sql`workspace_id = ${workspaceId} and enrichment_id = ${enrichmentId} and month = ${month}`
    const isOpen = sql`reserved_at > store_now() - ${limits.modelReservationMinutes} * interval '1 minute'`

    return TokenBudget.of({
      // The row of the month is locked from the look at what is left until the reservation stands.
      reserve: Effect.fn("TokenBudget.reserve")(function* (scope, tokens, limit) {
        if (tokens > limit) return undefined
        const { enrichmentId, month, workspaceId } = scope
        const [row] = yield* stored(sql<{ readonly id: string }>`with taken as (
            insert into token_use (workspace_id, enrichment_id, month, used)
            values (${workspaceId}, ${enrichmentId}, ${month}, ${tokens})
            on conflict (enrichment_id, month) do update set used = token_use.used + excluded.used
              where token_use.used + excluded.used <= ${limit}
            returning 1)
          insert into token_reservation (workspace_id, enrichment_id, month, tokens, reserved_at)
          select ${workspaceId}, ${enrichmentId}, ${month}, ${tokens}, store_now() from taken returning id::text`)
        return row === undefined ? undefined : Number(row.id)
      }),
      settle: Effect.fn("TokenBudget.settle")(function* (scope, reservation, used) {
        yield* stored(sql`with done as (
            delete from token_reservation where ${ofScope(scope)} and id = ${reservation} and ${isOpen}
            returning tokens)
          update token_use set used = used - done.tokens + ${used} from done where ${ofScope(scope)}`)
      }),
      use: Effect.fn("TokenBudget.use")(function* (scope) {
        const [row] = yield* stored(sql<{ readonly used: string; readonly reserved: string }>`select
          coalesce((select used from token_use where ${ofScope(scope)}), 0)::text as used,
          coalesce((select sum(tokens) from token_reservation where ${ofScope(scope)} and ${isOpen}), 0)::text as reserved`)
        const reserved = Number(row!.reserved)
        return { spent: Number(row!.used) - reserved, reserved }
      }),
      purge: Effect.fn("TokenBudget.purge")(function* (limit) {
        const rows = yield* stored(sql`delete from token_use where (enrichment_id, month) in (
          select enrichment_id, month from token_use
          where month < to_char((store_now() - interval '400 days') at time zone 'UTC', 'YYYY-MM')
          limit ${limit} for update skip locked) returning 1`)
        return rows.length
      })
    })
  })
)
