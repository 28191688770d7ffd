/**
 * Lets go of what older versions kept in the delivery ledger although a table of ours has it: the values of rows that
 * arrived there. What enrichments changed on the way stays, and so do values that the table has no more, or that
 * somebody wrote over.
 */
import type { StorageUnavailable } from "@millrace/core/storage"
import { acrossWorkspaces } from "@millrace/core/workspace"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { inTransaction, stored } from "./SqlFailure.ts"

interface FeedAtWork {
  readonly id: string
  readonly table_id: string | null
  readonly data_type: string
  readonly lean_after: string
}

/**
 * One chunk: up to so many rows of one feed. Returns how many it looked at, 0 also where another process is at the
 * only feed, or `undefined` when nothing is left. The feed
 * says how far it came, so the work goes on after a stop, and several processes share it. It waits for no delivery: one
 * that is being written has what it is to have.
 */
export const leanDeliveries = Effect.fn("PostgresStorage.leanDeliveries")(function* (
  limit: number
): Effect.fn.Return<number | undefined, StorageUnavailable, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  return yield* Effect.gen(function* () {
    const [feed] = yield* stored(sql<FeedAtWork>`select id, destination_config->>'tableId' as table_id, data_type,
          lean_after from feed
        where lean_after is not null order by id limit 1 for no key update skip locked`)
    if (feed === undefined) return undefined
    const rows = yield* stored(sql<{ readonly id: string }>`
        with chosen as (
          select record_id from delivery where feed_id = ${feed.id} and record_id > ${feed.lean_after}
            and state = 'done' and op <> 'remove' and field_values is not null
          order by record_id limit ${limit} for update skip locked
        ), lean as (
          update delivery d set field_values = null from chosen
          where d.feed_id = ${feed.id} and d.record_id = chosen.record_id and exists (
            select from table_row r where r.table_id = ${feed.table_id}
              and r.external_key = ${feed.data_type} || ':' || d.record_id and r.held = '[]')
        )
        select record_id as id from chosen order by record_id`)
    const after = rows.length < limit ? null : rows[rows.length - 1]!.id
    yield* stored(sql`update feed set lean_after = ${after} where id = ${feed.id}`)
    return rows.length
  }).pipe(inTransaction(sql))
}, acrossWorkspaces("lean deliveries"))
