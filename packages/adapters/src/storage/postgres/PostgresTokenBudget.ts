/** Tokens that models were asked for, in PostgreSQL. */
import { type BudgetScope, TokenBudget, type TokenLimits, type TokenReservation } from "@millrace/core/storage"
import { limits } from "@millrace/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as Schema from "effect/Schema"
import type { Fragment } from "effect/sql/Statement"
import { nullable } from "./Column.ts"
import { inTransaction, stored } from "./SqlFailure.ts"

/** Rolls the transaction of a reservation back. */
class LimitExceeded extends Schema.TaggedError<LimitExceeded>()("LimitExceeded", {
  limit: Schema.Literals(["enrichment", "workspace", "total"])
}) {}

export const layer: Layer.Layer<TokenBudget, never, SqlClient.SqlClient> = Layer.effect(
  TokenBudget,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const ofScope = ({ enrichmentId, month, workspaceId }: BudgetScope): Fragment =>
      sql`workspace_id = ${workspaceId} and enrichment_id = ${enrichmentId} and month = ${month}`
    const isOpen = sql`reserved_at > store_now() - ${limits.modelReservationMinutes} * interval '1 minute'`
    const expired = sql`month < to_char((store_now() - interval '400 days') at time zone 'UTC', 'YYYY-MM')`

    /** Adds to a count, whose row stays locked until the transaction ends, so that nobody passes the limit meanwhile. */
    const add = (of: keyof TokenLimits, counted: Fragment, table: string, tokens: number, limit: number | undefined) =>
      Effect.flatMap(
        stored(sql`insert into ${sql(table)} as counted ${counted}
          on conflict on constraint ${sql(`${table}_pkey`)} do update set used = counted.used + excluded.used
            ${limit === undefined ? sql`` : sql`where counted.used + excluded.used <= ${limit}`} returning 1`),
        (rows) => (rows.length === 0 || tokens > (limit ?? Infinity) ? new LimitExceeded({ limit: of }) : Effect.void)
      )

    const reserve = Effect.fn("TokenBudget.reserve")(
      function* (scope: BudgetScope, tokens: number, most: TokenLimits) {
        const { endpoint, enrichmentId, month, workspaceId } = scope
        const ofEnrichment = sql`(workspace_id, enrichment_id, month, used)
          values (${workspaceId}, ${enrichmentId}, ${month}, ${tokens})`
        yield* add("enrichment", ofEnrichment, "token_use", tokens, most.enrichment)
        if (endpoint !== undefined) {
          const ofWorkspace = sql`(workspace_id, endpoint, month, used)
            values (${workspaceId}, ${endpoint}, ${month}, ${tokens})`
          yield* add("workspace", ofWorkspace, "endpoint_use", tokens, most.workspace)
          const ofAll = sql`(endpoint, month, used) values (${endpoint}, ${month}, ${tokens})`
          yield* add("total", ofAll, "endpoint_total", tokens, most.total)
        }
        const [row] = yield* stored(sql<{ readonly id: string }>`insert into token_reservation
            (workspace_id, enrichment_id, endpoint, month, tokens, reserved_at)
          values (${workspaceId}, ${enrichmentId}, ${nullable(endpoint)}, ${month}, ${tokens}, store_now())
          returning id::text`)
        return { id: Number(row!.id) } satisfies TokenReservation as TokenReservation
      },
      inTransaction(sql),
      Effect.catchTag("LimitExceeded", ({ limit }) => Effect.succeed<TokenReservation>({ exceeded: limit }))
    )

    const settle = Effect.fn("TokenBudget.settle")(function* (scope: BudgetScope, reservation: number, used: number) {
      const [done] = yield* stored(sql<{ readonly tokens: string; readonly endpoint: string | null }>`
        delete from token_reservation where ${ofScope(scope)} and id = ${reservation} and ${isOpen}
        returning tokens::text, endpoint`)
      if (done === undefined) return
      const more = used - Number(done.tokens)
      const { month, workspaceId } = scope
      yield* stored(sql`update token_use set used = used + ${more} where ${ofScope(scope)}`)
      if (done.endpoint === null) return
      yield* stored(sql`update endpoint_use set used = used + ${more}
        where workspace_id = ${workspaceId} and endpoint = ${done.endpoint} and month = ${month}`)
      yield* stored(sql`update endpoint_total set used = used + ${more}
        where endpoint = ${done.endpoint} and month = ${month}`)
    }, inTransaction(sql))

    return TokenBudget.of({
      reserve,
      settle,
      use: Effect.fn("TokenBudget.use")(function* (scope) {
        const [row] = yield* stored(sql<{ readonly used: string; readonly reserved: string }>`select
          coalesce((select used from token_use where ${ofScope(scope)}), 0)::text as used,
          coalesce((select sum(tokens) from token_reservation where ${ofScope(scope)} and ${isOpen}), 0)::text as reserved`)
        const reserved = Number(row!.reserved)
        return { spent: Number(row!.used) - reserved, reserved }
      }),
      purge: Effect.fn("TokenBudget.purge")(function* (limit) {
        let gone = 0
        for (const table of ["token_use", "endpoint_use", "endpoint_total"]) {
          const rows = yield* stored(sql`delete from ${sql(table)} where ctid in (
            select ctid from ${sql(table)} where ${expired} limit ${limit} for update skip locked) returning 1`)
          gone += rows.length
        }
        return gone
      })
    })
  })
)
