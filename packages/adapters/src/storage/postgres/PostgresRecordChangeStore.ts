/** The history of delivered values, in PostgreSQL. */
import { RecordChange } from "@millrace/core/enrichment"
import { RecordChangeStore } from "@millrace/core/storage"
import { limits } from "@millrace/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { stored, storedInBulk } from "./SqlFailure.ts"

interface Row {
  readonly body: unknown
}

const encode = Schema.encodeSync(Schema.toCodecJson(RecordChange))
const decode = Schema.decodeUnknownSync(Schema.toCodecJson(RecordChange))

export const layer: Layer.Layer<RecordChangeStore, never, SqlClient.SqlClient> = Layer.effect(
  RecordChangeStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const read = (statement: Fragment) =>
      Effect.map(storedInBulk(sql<Row>`${statement}`), (rows) => rows.map(({ body }) => decode(body)))

    return RecordChangeStore.of({
      append: Effect.fn("RecordChangeStore.append")(function* (changes) {
        if (changes.length === 0) return
        const rows = changes.map((change) => ({
          id: change.id,
          workspace: change.workspaceId,
          feed: change.feedId,
          account: change.accountId,
          record: change.recordId,
          field: change.field,
          job: change.jobId ?? null,
          body: encode(change)
        }))
        yield* storedInBulk(sql`insert into record_history
          (id, workspace_id, feed_id, account_id, record_id, field, job_id, body)
          select c.id, c.workspace, c.feed, c.account, c.record, c.field, c.job, c.body
          from json_to_recordset(${JSON.stringify(rows)}::json) as c(id text, workspace text, feed text, account text,
            record text, field text, job text, body json)`)
      }),
      latest: Effect.fn("RecordChangeStore.latest")((feedId, recordIds) =>
        recordIds.length === 0
          ? Effect.succeed([])
          : read(sql`select body from (
              select distinct on (record_id, field) record_id, field, turn, body from record_history
              where feed_id = ${feedId} and record_id = any(${[...recordIds]}::text[])
              order by record_id, field, turn desc
            ) newest order by record_id, turn`)
      ),
      ofRecord: Effect.fn("RecordChangeStore.ofRecord")((workspaceId, recordId, limit) =>
        // Rows of a record are named by its id, and by its id with a colon behind it.
        read(sql`select body from record_history
          where workspace_id = ${workspaceId} and record_id >= ${recordId} and record_id < ${`${recordId};`}
            and (record_id = ${recordId} or record_id >= ${`${recordId}:`})
          order by turn desc limit ${limit}`)
      ),
      ofJob: Effect.fn("RecordChangeStore.ofJob")((workspaceId, jobId, { after, limit }) =>
        read(sql`select body from record_history
          where workspace_id = ${workspaceId} and job_id = ${jobId}
            and turn > coalesce((select turn from record_history where id = ${after ?? ""}), 0)
          order by turn limit ${limit}`)
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
