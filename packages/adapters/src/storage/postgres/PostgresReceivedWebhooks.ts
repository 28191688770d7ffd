/** Callbacks that were taken in, in PostgreSQL. */
import { limits } from "@millrace/core"
import { ReceivedWebhooks } from "@millrace/core/storage"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { stored } from "./SqlFailure.ts"

export const layer: Layer.Layer<ReceivedWebhooks, never, SqlClient.SqlClient> = Layer.effect(
  ReceivedWebhooks,
  Effect.map(SqlClient.SqlClient, (sql) =>
    ReceivedWebhooks.of({
      note: Effect.fn("ReceivedWebhooks.note")(function* (instanceId, keys) {
        if (keys.length === 0) return new Set()
        // In one order, so that two who note the same never wait for each other in a circle.
        const rows = yield* stored(sql<{ readonly key: string }>`insert into received_webhook (instance_id, key)
          select ${instanceId}, key from unnest(${[...new Set(keys)].toSorted()}::text[]) as k(key)
          on conflict do nothing returning key`)
        return new Set(rows.map(({ key }) => key))
      }),
      purge: Effect.fn("ReceivedWebhooks.purge")(function* (limit) {
        const rows = yield* stored(sql`delete from received_webhook where (instance_id, key) in (
          select instance_id, key from received_webhook
          where received_at < store_now() - make_interval(days => ${limits.webhookDays})
          order by received_at limit ${limit} for update skip locked) returning 1`)
        return rows.length
      })
    })
  )
)
