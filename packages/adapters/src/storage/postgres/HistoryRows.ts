/** Makes rows of their own of a history that stands in blocks, in PostgreSQL. */
import type { AccountId } from "@millrace/core/bank"
import type { WorkspaceId } from "@millrace/core/workspace"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { placesOf, type StoredBlock, unpackedBlock } from "./HistoryBlock.ts"
import { packedRows } from "./PackedHistory.ts"
import { textColumns } from "./TextColumns.ts"

interface BlockRow extends StoredBlock {
  readonly id: string
}

// They keep the turn of their block, and stand in it in the order of their ids.
const rowsStatement = `with taken as (delete from history_block where id = any(string_to_array($3, $1)))
  insert into record_history
    (turn, id, workspace_id, feed_id, account_id, record_id, job_id, gone_at, fields, body) overriding system value
  select b.turn, c.id, b.workspace_id, b.feed_id, b.account_id, c.record, b.job_id, b.gone_at,
    string_to_array(c.fields, $2), c.body::json
  from unnest(string_to_array($4, $1), string_to_array($5, $1), string_to_array($6, $1), string_to_array($7, $1),
      string_to_array($8, $1)) as c(block, id, record, fields, body)
    join history_block b on b.id = c.block`

/** Blocks that are taken apart at once: each may hold a thousand entries. */
const blocksAtOnce = 100

/** Blocks of an account that hold one of these records become rows of their own, with all that they hold. */
export const historyRows = Effect.map(SqlClient.SqlClient, (sql) =>
  Effect.fnUntraced(function* (
    { accountId, workspaceId }: { readonly accountId: AccountId; readonly workspaceId: WorkspaceId },
    recordIds: ReadonlyArray<string>
  ) {
    const places = placesOf(recordIds)
    const ends = Array.from(places.values(), (some) => [...some].join(":"))
    for (;;) {
      const blocks = yield* sql<BlockRow>`select id, workspace_id, feed_id, account_id, job_id, begins, body
        from unnest(${[...places.keys()]}::text[], ${ends}::text[]) w(start, ends)
          cross join lateral (select * from history_block where account_id = ${accountId} and workspace_id = ${workspaceId}
            and begins = w.start and records && string_to_array(w.ends, ':') order by account_id, begins) b
        limit ${blocksAtOnce}`.unprepared
      if (blocks.length === 0) return
      const rows = blocks.flatMap((block) =>
        packedRows(unpackedBlock(block)).map((row) => ({ block: block.id, ...row }))
      )
      const { separator: inner } = yield* textColumns([rows.flatMap(({ fields }) => fields)], [])
      const { separator, texts } = yield* textColumns(
        [
          blocks.map(({ id }) => id),
          rows.map(({ block }) => block),
          rows.map(({ id }) => id),
          rows.map(({ recordId }) => recordId),
          rows.map(({ fields }) => fields.join(inner)),
          rows.map(({ body }) => body)
        ],
        []
      )
      yield* sql.unsafe(rowsStatement, [separator, inner, ...texts]).unprepared
      if (blocks.length < blocksAtOnce) return
    }
  })
)
