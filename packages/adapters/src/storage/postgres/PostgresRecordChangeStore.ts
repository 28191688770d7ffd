/** The history of delivered values, in PostgreSQL: one row for what a run, or an act, changed in a record, all its fields together. */
import { RecordChange } from "@millrace/core/enrichment"
import { RecordChangeStore } from "@millrace/core/storage"
import { limits } from "@millrace/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import { instant } from "./Column.ts"
import { stored, storedInBulk } from "./SqlFailure.ts"
import { textColumns } from "./TextColumns.ts"

/** The fields that are columns: all entries of a row have them in common. */
type Shared = Pick<
  RecordChange,
  "workspaceId" | "feedId" | "accountId" | "recordId" | "recordVersion" | "jobId" | "actor" | "at"
>

type Entry = Omit<RecordChange, keyof Shared>

interface HistoryRow {
  readonly workspace_id: string
  readonly feed_id: string
  readonly account_id: string
  readonly record_id: string
  readonly record_version: number
  readonly job_id: string | null
  readonly actor: unknown
  readonly at: Date
  readonly entries: ReadonlyArray<Entry>
}

const sharedColumns = "workspace_id, feed_id, account_id, record_id, record_version, job_id, actor, at"

// PostgreSQL numbers the rows by `turn` in the order in which they are given.
const appendStatement = `insert into record_history
    (id, workspace_id, feed_id, account_id, record_id, record_version, job_id, at, actor, entries)
  select c.id, c.workspace, c.feed, c.account, c.record, c.version::int, c.job, c.at::timestamptz, c.actor::jsonb,
    c.entries::jsonb
  from unnest(string_to_array($2, $1), string_to_array($3, $1), string_to_array($4, $1), string_to_array($5, $1),
      string_to_array($6, $1), string_to_array($7, $1), string_to_array($8, $1, ''), string_to_array($9, $1),
      string_to_array($10, $1), string_to_array($11, $1))
    as c(id, workspace, feed, account, record, version, job, at, actor, entries)`

const isTogether = (a: RecordChange, b: RecordChange): boolean =>
  a.recordId === b.recordId &&
  a.recordVersion === b.recordVersion &&
  a.feedId === b.feedId &&
  a.accountId === b.accountId &&
  a.workspaceId === b.workspaceId &&
  a.jobId === b.jobId &&
  a.at === b.at &&
  (a.actor === b.actor || JSON.stringify(a.actor) === JSON.stringify(b.actor))

/** Neighbours that belong to one row. */
const rowsOf = (changes: ReadonlyArray<RecordChange>): ReadonlyArray<ReadonlyArray<RecordChange>> => {
  const rows: Array<Array<RecordChange>> = []
  for (const change of changes) {
    const last = rows.at(-1)
    if (last !== undefined && isTogether(last[0]!, change)) last.push(change)
    else rows.push([change])
  }
  return rows
}

const entryOf = ({
  accountId: _account,
  actor: _actor,
  at: _at,
  feedId: _feed,
  jobId: _job,
  recordId: _record,
  recordVersion: _version,
  workspaceId: _workspace,
  ...entry
}: RecordChange): Entry => entry

const columnsOf = (rows: ReadonlyArray<ReadonlyArray<RecordChange>>) => {
  const each = (text: (first: RecordChange) => string) => rows.map(([first]) => text(first!))
  return textColumns(
    [
      rows.map((row) => row.at(-1)!.id),
      each(({ workspaceId }) => workspaceId),
      each(({ feedId }) => feedId),
      each(({ accountId }) => accountId),
      each(({ recordId }) => recordId),
      each(({ recordVersion }) => String(recordVersion)),
      each(({ jobId }) => jobId ?? ""),
      each(({ at }) => at)
    ],
    [each(({ actor }) => JSON.stringify(actor)), rows.map((row) => JSON.stringify(row.map(entryOf)))]
  )
}

const decode = Schema.decodeUnknownSync(Schema.toCodecJson(RecordChange))

/** The entries of a row, in the order in which they were added. */
const changesOf = (row: HistoryRow): ReadonlyArray<RecordChange> =>
  row.entries.map((entry) =>
    decode({
      workspaceId: row.workspace_id,
      feedId: row.feed_id,
      accountId: row.account_id,
      recordId: row.record_id,
      recordVersion: row.record_version,
      ...(row.job_id === null ? {} : { jobId: row.job_id }),
      actor: row.actor,
      at: instant(row.at),
      ...entry
    })
  )

export const layer: Layer.Layer<RecordChangeStore, never, SqlClient.SqlClient> = Layer.effect(
  RecordChangeStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const shared = sql.literal(sharedColumns)
    return RecordChangeStore.of({
      append: Effect.fn("RecordChangeStore.append")(function* (changes) {
        if (changes.length === 0) return
        const { separator, texts } = yield* columnsOf(rowsOf(changes))
        yield* storedInBulk(sql.unsafe(appendStatement, [separator, ...texts]))
      }),
      latest: Effect.fn("RecordChangeStore.latest")(function* (feedId, recordIds) {
        if (recordIds.length === 0) return []
        const rows = yield* storedInBulk(sql<HistoryRow>`select distinct on (record_id, e.entry->>'field')
            ${shared}, jsonb_build_array(e.entry) as entries
          from record_history cross join lateral jsonb_array_elements(entries) with ordinality as e(entry, place)
          where feed_id = ${feedId} and record_id = any(${[...recordIds]}::text[])
          order by record_id, e.entry->>'field', turn desc, e.place desc`)
        return rows.flatMap(changesOf)
      }),
      // Items and lines are named by the id of their record with a colon behind it; a semicolon follows the colon.
      ofRecord: Effect.fn("RecordChangeStore.ofRecord")((workspaceId, recordId, limit) =>
        Effect.map(
          storedInBulk(sql<HistoryRow>`select ${shared}, entries from record_history
            where workspace_id = ${workspaceId} and record_id >= ${recordId} and record_id < ${`${recordId};`}
              and (record_id = ${recordId} or record_id >= ${`${recordId}:`})
            order by turn desc limit ${limit}`),
          (rows) => rows.flatMap((row) => changesOf(row).toReversed()).slice(0, limit)
        )
      ),
      // A row has the id of its last entry, so a page ends with the id of a row. `coalesce` stands inside: outside, under row-level
      // security, PostgreSQL would not use the index for it.
      ofJob: Effect.fn("RecordChangeStore.ofJob")((workspaceId, jobId, { after = "", limit }) =>
        Effect.map(
          storedInBulk(sql<HistoryRow>`select ${shared}, entries from record_history
            where workspace_id = ${workspaceId} and job_id = ${jobId}
              and turn > (select coalesce(max(turn), 0) from record_history where id = ${after})
            order by turn limit ${limit}`),
          (rows) => {
            const page: Array<RecordChange> = []
            for (const row of rows) {
              if (page.length >= limit) break
              page.push(...changesOf(row))
            }
            return page
          }
        )
      ),
      release: Effect.fn("RecordChangeStore.release")((workspaceId, accountId) =>
        Effect.map(
          stored(sql`update record_history set gone_at = store_now()
            where workspace_id = ${workspaceId} and account_id = ${accountId} and gone_at is null returning id`),
          (rows) => rows.length
        )
      ),
      purge: Effect.fn("RecordChangeStore.purge")((limit) =>
        Effect.map(
          stored(sql`delete from record_history where id in (
            select id from record_history
            where gone_at < store_now() - make_interval(days => ${limits.changeDays}::int)
            limit ${limit} for update skip locked) returning id`),
          (rows) => rows.length
        )
      )
    })
  })
)
