/** Parts of cursors in PostgreSQL. */
import { CursorStore } from "@millrace/core/storage"
import { limits } from "@millrace/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { stored } from "./SqlFailure.ts"

const encoder = new TextEncoder()

export const layer: Layer.Layer<CursorStore, never, SqlClient.SqlClient> = Layer.effect(
  CursorStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    CursorStore.of({
      keep: Effect.fn("CursorStore.keep")(function* (workspaceId, { digest, hours, text }) {
        const [row] = yield* stored(sql<{ readonly is_new: boolean }>`
          insert into cursor_part (workspace_id, digest, part, bytes, kept_until)
          values (${workspaceId}, ${digest}, ${text}, ${encoder.encode(text).length},
            store_now() + ${hours} * interval '1 hour')
          on conflict (workspace_id, digest) do update set turn = excluded.turn,
            kept_until = greatest(cursor_part.kept_until, excluded.kept_until)
          returning xmax = 0 as is_new`)
        if (row?.is_new !== true) return
        // Arrays, because a plan that ranks them for each row takes a hundred times as long. Rows that another process
        // removes already are left to it.
        yield* stored(sql`delete from cursor_part where workspace_id = ${workspaceId} and digest = any(array(
          select digest from cursor_part
          where workspace_id = ${workspaceId} and digest = any(array(
            select digest from (
              select digest, row_number() over newest as place, sum(bytes) over newest as total from cursor_part
              where workspace_id = ${workspaceId} window newest as (order by turn desc)
            ) ranked
            where place > ${limits.keptCursorParts} or total > ${limits.keptCursorBytes}))
          for update skip locked))`)
      }),
      find: Effect.fn("CursorStore.find")(function* (workspaceId, digest) {
        const [row] = yield* stored(sql<{ readonly part: string }>`select part from cursor_part
          where workspace_id = ${workspaceId} and digest = ${digest} and kept_until >= store_now()`)
        return row?.part
      }),
      purge: Effect.fn("CursorStore.purge")(function* (limit) {
        const rows = yield* stored(sql`delete from cursor_part where (workspace_id, digest) in (
          select workspace_id, digest from cursor_part where kept_until < store_now() limit ${limit}
          for update skip locked) returning digest`)
        return rows.length
      })
    })
  )
)
