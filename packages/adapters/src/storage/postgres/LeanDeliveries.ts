/**
 * Lets go of what older versions kept in the delivery ledger although a table of ours has it: the values of rows that
 * arrived there. What enrichments changed on the way stays, and so do values that the table has no more, or that
 * somebody wrote over.
 */
import type { StorageUnavailable } from "@millrace/core/storage"
import { acrossWorkspaces } from "@millrace/core/workspace"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { ofKeys } from "./RowKeys.ts"
import { inTransaction, stored } from "./SqlFailure.ts"

interface FeedAtWork {
  readonly id: string
  readonly table_id: string | null
  readonly data_type: string
  readonly lean_after: string
}

// Looked up by a list: behind the wall the number of a key is not looked up that is worked out from another row.
const leanStatement = `
  with chosen as (
    select record_id, $5 || ':' || record_id as key from delivery where feed_id = $1 and record_id > $2
      and state = 'done' and op <> 'remove' and field_values is not null
    order by record_id limit $3 for update skip locked
  ), found as (${ofKeys("r.external_key as key", "$4", "array(select key from chosen)", "r.held = '[]'", "select row_key_no($4, key) from chosen")}
  ), lean as (
    update delivery d set field_values = null from chosen
    where d.feed_id = $1 and d.record_id = chosen.record_id and chosen.key in (select key from found)
  )
  select record_id as id from chosen order by record_id`

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
    const rows = yield* stored(
      sql.unsafe<{ readonly id: string }>(leanStatement, [
        feed.id,
        feed.lean_after,
        limit,
        feed.table_id ?? "",
        feed.data_type
      ])
    )
    const after = rows.length < limit ? null : rows[rows.length - 1]!.id
    yield* stored(sql`update feed set lean_after = ${after} where id = ${feed.id}`)
    return rows.length
  }).pipe(inTransaction(sql))
}, acrossWorkspaces("lean deliveries"))
