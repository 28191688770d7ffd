/** The history of delivered values, in PostgreSQL. */
import type { RecordChange } from "@millrace/core/enrichment"
import { RecordChangeStore } from "@millrace/core/storage"
import { limits } from "@millrace/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { packed, type PackedRow, type StoredRow, unpacked } from "./PackedHistory.ts"
import { stored, storedInBulk } from "./SqlFailure.ts"
import { textColumns } from "./TextColumns.ts"

// Texts of all rows, taken apart by the first character; the fields of a row by the second.
const appendStatement = `insert into record_history
    (id, workspace_id, feed_id, account_id, record_id, job_id, fields, body)
  select c.id, c.workspace, c.feed, c.account, c.record, c.job, string_to_array(c.fields, $2), c.body::json
  from unnest(string_to_array($3, $1), string_to_array($4, $1), string_to_array($5, $1), string_to_array($6, $1),
      string_to_array($7, $1), string_to_array($8, $1, ''), string_to_array($9, $1), string_to_array($10, $1))
    with ordinality as c(id, workspace, feed, account, record, job, fields, body, n)
  order by c.n`

const columnsOf = Effect.fnUntraced(function* (rows: ReadonlyArray<PackedRow>) {
  const { separator: inner } = yield* textColumns([rows.flatMap(({ fields }) => fields)], [])
  const { separator, texts } = yield* textColumns(
    [
      rows.map(({ id }) => id),
      rows.map(({ workspaceId }) => workspaceId),
      rows.map(({ feedId }) => feedId),
      rows.map(({ accountId }) => accountId),
      rows.map(({ recordId }) => recordId),
      rows.map(({ jobId }) => jobId ?? ""),
      rows.map(({ fields }) => fields.join(inner)),
      // It is read as it was written: PostgreSQL makes no text of what is inside.
      rows.map(({ body }) => body)
    ],
    []
  )
  return [separator, inner, ...texts]
})

/** The last entry of each field of a row. */
const lastOf = (rows: ReadonlyArray<StoredRow>): ReadonlyArray<RecordChange> => {
  const last = new Map<string, Map<string, RecordChange>>()
  for (const change of rows.flatMap(unpacked)) {
    const ofRow = last.get(change.recordId) ?? new Map<string, RecordChange>()
    last.set(change.recordId, ofRow.set(change.field, change))
  }
  return [...last.values()].flatMap((ofRow) => [...ofRow.values()])
}

export const layer: Layer.Layer<RecordChangeStore, never, SqlClient.SqlClient> = Layer.effect(
  RecordChangeStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const columns = sql.literal("id, workspace_id, feed_id, account_id, record_id, job_id, field, body")
    const read = (statement: Fragment) => storedInBulk(sql<StoredRow>`${statement}`)

    return RecordChangeStore.of({
      append: Effect.fn("RecordChangeStore.append")(function* (changes) {
        if (changes.length === 0) return
        yield* storedInBulk(sql.unsafe(appendStatement, yield* columnsOf(packed(changes))))
      }),
      latest: Effect.fn("RecordChangeStore.latest")((feedId, recordIds) =>
        recordIds.length === 0
          ? Effect.succeed([])
          : // A row of storage that is the last one of none of its fields is not read.
            Effect.map(
              read(sql`select ${columns} from record_history where turn = any(array(
                select distinct on (h.record_id, f) h.turn
                from record_history h cross join lateral unnest(coalesce(h.fields, array[h.field::text])) as f
                where h.feed_id = ${feedId} and h.record_id = any(${[...recordIds]}::text[])
                order by h.record_id, f, h.turn desc
              )) and feed_id = ${feedId} and record_id = any(${[...recordIds]}::text[])
              order by record_id, turn`),
              lastOf
            )
      ),
      ofRecord: Effect.fn("RecordChangeStore.ofRecord")((workspaceId, recordId, limit) =>
        // Rows of a record are named by its id, and by its id with a colon behind it.
        Effect.map(
          read(sql`select ${columns} from record_history
          where workspace_id = ${workspaceId} and record_id >= ${recordId} and record_id < ${`${recordId};`}
            and (record_id = ${recordId} or record_id >= ${`${recordId}:`})
          order by turn desc limit ${limit}`),
          (rows) => rows.flatMap((row) => unpacked(row).toReversed()).slice(0, limit)
        )
      ),
      ofJob: Effect.fn("RecordChangeStore.ofJob")((workspaceId, jobId, { after, limit }) =>
        Effect.map(
          read(sql`select ${columns} from record_history
          where workspace_id = ${workspaceId} and job_id = ${jobId}
            and turn > coalesce((select turn from record_history where id = ${after ?? ""}), 0)
          order by turn limit ${limit}`),
          (rows) => rows.flatMap(unpacked)
        )
      ),
      release: Effect.fn("RecordChangeStore.release")((workspaceId, accountId) =>
        Effect.map(
          stored(sql`update record_history set gone_at = store_now()
            where workspace_id = ${workspaceId} and account_id = ${accountId} and gone_at is null returning id`),
          (rows) => rows.length
        )
      ),
      purge: Effect.fn("RecordChangeStore.purge")(function* (limit) {
        const rows = yield* stored(sql`delete from record_history where id in (
          select id from record_history
          where gone_at < store_now() - make_interval(days => ${limits.changeDays}::int)
          limit ${limit} for update skip locked) returning id`)
        return rows.length
      })
    })
  })
)
