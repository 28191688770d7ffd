/** The history of delivered values, in PostgreSQL. */
import type { RecordChange } from "@millrace/core/enrichment"
import { RecordChangeStore } from "@millrace/core/storage"
import { limits } from "@millrace/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { fewestRows, packedHistory, placeOf, placesOf, unpackedBlock } from "./HistoryBlock.ts"
import { type StoredRow, unpacked } from "./PackedHistory.ts"
import { stored, storedInBulk } from "./SqlFailure.ts"
import { textColumns } from "./TextColumns.ts"

// Texts of all rows, taken apart by the first character; what one of them has several of by the second. Turns are taken in
// the order in which rows and blocks are added.
const appendStatement = `with turns as materialized (
    select n, nextval('record_history_turn_seq') as turn from generate_series(1, $3::int) as n
  ), alone as (
    insert into record_history
      (turn, id, workspace_id, feed_id, account_id, record_id, job_id, fields, body) overriding system value
    select t.turn, c.id, c.workspace, c.feed, c.account, c.record, c.job, string_to_array(c.fields, $2), c.body::json
    from unnest(string_to_array($4, $1), string_to_array($5, $1), string_to_array($6, $1), string_to_array($7, $1),
        string_to_array($8, $1), string_to_array($9, $1, ''), string_to_array($10, $1), string_to_array($11, $1),
        string_to_array($12, $1))
      as c(id, workspace, feed, account, record, job, fields, body, place)
      join turns t on t.n = c.place::int
  )
  insert into history_block (turn, id, workspace_id, feed_id, account_id, job_id, size, begins, records, body)
  select t.turn, b.id, b.workspace, b.feed, b.account, b.job, b.size::int, coalesce(b.begins, ''),
    string_to_array(b.records, $2), b.body
  from unnest(string_to_array($13, $1), string_to_array($14, $1), string_to_array($15, $1), string_to_array($16, $1),
      string_to_array($17, $1, ''), string_to_array($18, $1), string_to_array($19, $1, ''), string_to_array($20, $1),
      string_to_array($21, $1), string_to_array($22, $1))
    as b(id, workspace, feed, account, job, size, begins, records, body, place)
    join turns t on t.n = b.place::int`

const columnsOf = Effect.fnUntraced(function* ({ alone, blocks }: ReturnType<typeof packedHistory>) {
  const rows = alone.map(({ of }) => of)
  const several = blocks.map(({ of }) => of)
  const { separator: inner } = yield* textColumns(
    [rows.flatMap(({ fields }) => fields), several.flatMap(({ records }) => records)],
    []
  )
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
      rows.map(({ body }) => body),
      alone.map(({ place }) => String(place)),
      several.map(({ id }) => id),
      several.map(({ workspaceId }) => workspaceId),
      several.map(({ feedId }) => feedId),
      several.map(({ accountId }) => accountId),
      several.map(({ jobId }) => jobId ?? ""),
      several.map(({ size }) => String(size)),
      several.map(({ begins }) => begins),
      several.map(({ records }) => records.join(inner)),
      several.map(({ body }) => body),
      blocks.map(({ place }) => String(place))
    ],
    []
  )
  return [separator, inner, rows.length + several.length, ...texts]
})

/** A row of either table. */
interface Found extends Omit<StoredRow, "body" | "record_id"> {
  readonly turn: string
  readonly record_id: string | null
  readonly begins: string | null
  readonly body: string
}

/** In the order of their turns: rows that were a block once have its turn, and the ids of its entries. */
const inOrder = (found: ReadonlyArray<Found>): ReadonlyArray<Found> =>
  found.toSorted((a, b) => Number(a.turn) - Number(b.turn) || (a.id < b.id ? -1 : 1))

const changesOf = (
  { begins, body, record_id, ...row }: Found,
  isWanted?: (recordId: string) => boolean
): ReadonlyArray<RecordChange> =>
  begins === null
    ? unpacked({ ...row, record_id: record_id!, body: JSON.parse(body) })
    : unpackedBlock({ ...row, begins, body }, isWanted)

/** The last entry of each field of a row. */
const lastOf = (changes: ReadonlyArray<RecordChange>): ReadonlyArray<RecordChange> => {
  const last = new Map<string, Map<string, RecordChange>>()
  for (const change of changes) {
    const ofRow = last.get(change.recordId) ?? new Map<string, RecordChange>()
    last.set(change.recordId, ofRow.set(change.field, change))
  }
  return [...last.values()].flatMap((ofRow) => [...ofRow.values()])
}

export const layer: Layer.Layer<RecordChangeStore, never, SqlClient.SqlClient> = Layer.effect(
  RecordChangeStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const columns = sql.literal(
      "turn, id, workspace_id, feed_id, account_id, record_id, job_id, field, null as begins, body::text as body"
    )
    const blockColumns = sql.literal(
      "turn, id, workspace_id, feed_id, account_id, null as record_id, job_id, null as field, begins, body"
    )
    /** Rows and blocks, in the order in which they were added. */
    const read = (rows: Fragment, blocks: Fragment) =>
      Effect.map(storedInBulk(sql<Found>`(${rows}) union all (${blocks})`), inOrder)

    return RecordChangeStore.of({
      append: Effect.fn("RecordChangeStore.append")(function* (changes) {
        if (changes.length === 0) return
        yield* storedInBulk(sql.unsafe(appendStatement, yield* columnsOf(packedHistory(changes))))
      }),
      latest: Effect.fn("RecordChangeStore.latest")(function* (feedId, recordIds) {
        if (recordIds.length === 0) return []
        const places = placesOf(recordIds)
        const ends = Array.from(places.values(), (some) => [...some].join(":"))
        const wanted = new Set(recordIds)
        // A row of storage that is the last one of none of its fields is not read.
        const found = yield* storedInBulk(
          sql<Found>`select ${columns} from record_history where turn = any(array(
              select distinct on (h.record_id, f) h.turn
              from record_history h cross join lateral unnest(coalesce(h.fields, array[h.field::text])) as f
              where h.feed_id = ${feedId} and h.record_id = any(${[...recordIds]}::text[])
              order by h.record_id, f, h.turn desc
            )) and feed_id = ${feedId} and record_id = any(${[...recordIds]}::text[])
            union all select b.* from unnest(${[...places.keys()]}::text[], ${ends}::text[]) w(start, ends)
              cross join lateral (select ${blockColumns} from history_block where feed_id = ${feedId}
                and begins = w.start and records && string_to_array(w.ends, ':') order by feed_id, begins, turn) b`
        )
        return lastOf(inOrder(found).flatMap((one) => changesOf(one, (id) => wanted.has(id))))
      }),
      ofRecord: Effect.fn("RecordChangeStore.ofRecord")((workspaceId, recordId, limit) => {
        const { begins, end } = placeOf(recordId)
        const isOwn = (id: string) => id === recordId || id.startsWith(`${recordId}:`)
        // Rows of a record are named by its id, and by its id with a colon behind it.
        return Effect.map(
          read(
            sql`select ${columns} from record_history
              where workspace_id = ${workspaceId} and record_id >= ${recordId} and record_id < ${`${recordId};`}
                and (record_id = ${recordId} or record_id >= ${`${recordId}:`})
              order by turn desc, id desc limit ${limit}`,
            sql`select ${blockColumns} from history_block
              where workspace_id = ${workspaceId} and begins = ${begins} and ${end} = any(records)
              order by turn desc, id desc limit ${limit}`
          ),
          (found) =>
            found
              .flatMap((one) => changesOf(one, isOwn))
              .toReversed()
              .slice(0, limit)
        )
      }),
      ofJob: Effect.fn("RecordChangeStore.ofJob")((workspaceId, jobId, { after = "", limit }) => {
        const behind = sql`workspace_id = ${workspaceId} and job_id = ${jobId} and (turn, id) > (coalesce(
          (select turn from record_history where id = ${after}), (select turn from history_block where id = ${after}), 0), ${after})`
        return Effect.map(
          read(
            sql`select ${columns} from record_history where ${behind} order by turn, id limit ${limit}`,
            sql`select ${blockColumns} from (
                select *, sum(size) over (order by turn, id) - size as before from (
                  select * from history_block where ${behind} order by turn, id limit ${Math.ceil(limit / fewestRows)}
                ) b
              ) b where before < ${limit}`
          ),
          (found) => {
            const page: Array<RecordChange> = []
            for (const one of found) {
              if (page.length >= limit) break
              page.push(...changesOf(one))
            }
            return page
          }
        )
      }),
      release: Effect.fn("RecordChangeStore.release")((workspaceId, accountId) => {
        const own = sql`set gone_at = store_now()
          where workspace_id = ${workspaceId} and account_id = ${accountId} and gone_at is null returning id`
        return Effect.map(
          stored(sql`with alone as (update record_history ${own}), blocks as (update history_block ${own})
            select id from alone union all select id from blocks`),
          (rows) => rows.length
        )
      }),
      purge: Effect.fn("RecordChangeStore.purge")(function* (limit) {
        let left = limit
        for (const table of ["record_history", "history_block"]) {
          if (left <= 0) break
          const rows = yield* stored(sql`delete from ${sql(table)} where id in (
            select id from ${sql(table)}
            where gone_at < store_now() - make_interval(days => ${limits.changeDays}::int)
            limit ${left} for update skip locked) returning id`)
          left -= rows.length
        }
        return limit - left
      })
    })
  })
)
