/** Uploaded files in PostgreSQL. Their bytes are sealed, and read only when they are asked for. */
import type { FeedId } from "@millrace/core/feed"
import { activeStatuses } from "@millrace/core/job"
import { Secrets } from "@millrace/core/bank"
import { UploadStore } from "@millrace/core/storage"
import { doneStatuses, type Upload, uploadRetryMinutes, waitingStatuses } from "@millrace/core/upload"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as Option from "effect/Option"
import { instant, json, nullable, optionalInstant, present } from "./Column.ts"
import { inTransaction, stored } from "./SqlFailure.ts"
import { pieceBytes, makeUploadPieces } from "./UploadPieces.ts"
import { uploadShown } from "./UploadShown.ts"

interface UploadRow {
  readonly id: Upload["id"]
  readonly feed_id: Upload["feedId"]
  readonly workspace_id: Upload["workspaceId"]
  readonly file_name: string
  readonly content_type: string
  readonly size: number
  readonly sha256: string
  readonly status: Upload["status"]
  readonly job_id: NonNullable<Upload["jobId"]> | null
  readonly error: string | null
  readonly format: Upload["format"]
  readonly statements: Upload["statements"]
  readonly assumed: Upload["assumed"]
  readonly warnings: Upload["warnings"]
  readonly reading: string
  readonly file_removed_at: Date | null
  readonly created_at: Date
}

const toUpload = (row: UploadRow): Upload => ({
  id: row.id,
  feedId: row.feed_id,
  workspaceId: row.workspace_id,
  fileName: row.file_name,
  contentType: row.content_type,
  size: row.size,
  sha256: row.sha256,
  status: row.status,
  format: row.format,
  statements: row.statements,
  assumed: row.assumed,
  warnings: row.warnings,
  reading: row.reading,
  createdAt: instant(row.created_at),
  ...present({ jobId: row.job_id, error: row.error, fileRemovedAt: optionalInstant(row.file_removed_at) })
})

/** Failures beyond which the wait grows no longer. */
const mostFailures = 11
const mostMinutes = uploadRetryMinutes(mostFailures)

const uploadColumns = `id, feed_id, workspace_id, file_name, content_type, size, sha256, status, job_id, error, format,
  statements, assumed, warnings, reading, file_removed_at, created_at`

export const layer: Layer.Layer<UploadStore, never, SqlClient.SqlClient | Secrets> = Layer.effect(
  UploadStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const pieces = yield* makeUploadPieces
    const columns = sql.literal(uploadColumns)
    return UploadStore.of({
      insert: Effect.fn("UploadStore.insert")(function* (upload, bytes) {
        return yield* Effect.gen(function* () {
          const rows =
            yield* stored(sql`insert into upload (id, feed_id, workspace_id, file_name, content_type, size, sha256, status,
            job_id, error, format, statements, assumed, warnings, reading, file_removed_at, created_at)
          values (${upload.id}, ${upload.feedId}, ${upload.workspaceId}, ${upload.fileName}, ${upload.contentType},
            ${upload.size}, ${upload.sha256}, ${upload.status}, ${nullable(upload.jobId)}, ${nullable(upload.error)},
            ${upload.format}, ${json(upload.statements)}, ${json(upload.assumed)}, ${json(upload.warnings)},
            ${upload.reading}, ${nullable(upload.fileRemovedAt)}, ${upload.createdAt})
          on conflict (feed_id, sha256) do nothing returning id`)
          if (rows.length === 0) return false
          yield* pieces.write(upload, (offset) => Effect.succeed(bytes.subarray(offset, offset + pieceBytes)))
          return true
        }).pipe(inTransaction(sql))
      }),
      get: Effect.fn("UploadStore.get")(function* (feedId, id) {
        const rows = yield* stored(sql<UploadRow>`select ${columns} from upload
          where id = ${id} and feed_id = ${feedId}`)
        return Arr.head(rows.map(toUpload))
      }),
      page: Effect.fn("UploadStore.page")(function* (feedId, { before, limit, status }) {
        const rows = yield* stored(
          sql<UploadRow>`select ${columns} from upload where ${sql.and([
            sql`feed_id = ${feedId}`,
            ...(status === undefined ? [] : [sql`status = ${status}`]),
            ...(before === undefined ? [] : [sql`id < ${before}`])
          ])} order by id desc limit ${limit}`
        )
        return rows.map(toUpload)
      }),
      bySha256: Effect.fn("UploadStore.bySha256")(function* (feedId, sha256) {
        const rows = yield* stored(sql<UploadRow>`select ${columns} from upload
          where feed_id = ${feedId} and sha256 = ${sha256} order by created_at, id limit 1`)
        return Arr.head(rows.map(toUpload))
      }),
      list: Effect.fn("UploadStore.list")(function* (feedId, { status }) {
        const rows = yield* stored(
          sql<UploadRow>`select ${columns} from upload where ${sql.and([
            sql`feed_id = ${feedId}`,
            ...(status === undefined ? [] : [sql`status = ${status}`])
          ])} order by created_at, id`
        )
        return rows.map(toUpload)
      }),
      waiting: Effect.fn("UploadStore.waiting")(function* (limit) {
        // From the files that wait, which are few: this is asked about once a second.
        const rows = yield* stored(sql<{ readonly feed_id: FeedId }>`select feed_id from upload
          join feed on feed.id = feed_id
          left join lateral (
            select status, created_at, coalesce(completed_at, updated_at) as ended
            from job where feed_id = feed.id order by id desc limit 1
          ) newest on true
          left join lateral (
            select count(*) as failures from (
              select from job where feed_id = feed.id and status = 'failed'
                and id > coalesce((select id from job where feed_id = feed.id and status = 'completed'
                  order by id desc limit 1), '')
              limit ${mostFailures}
            ) as failed
          ) since on newest.status = 'failed'
          where upload.status in (${sql.literal(waitingStatuses.map((s) => `'${s}'`).join(", "))})
            and source_config->>'type' = 'upload' and destination_config is not null
            and (schedule->>'enabled')::boolean is not true
            and (newest.status is null or newest.status = 'completed' or upload.created_at > newest.created_at
              or (newest.status = 'failed' and store_now() >= newest.ended
                + make_interval(mins => least(power(2, since.failures), ${mostMinutes})::int)))
            and not exists (select from job where feed_id = feed.id
              and status in (${sql.literal(activeStatuses.map((s) => `'${s}'`).join(", "))}))
          group by feed_id order by min(upload.created_at), feed_id limit ${limit}`)
        return rows.map((row) => row.feed_id)
      }),
      bytesKept: Effect.fn("UploadStore.bytesKept")(function* (workspaceId) {
        const [row] = yield* stored(sql<{
          readonly sum: number
        }>`select coalesce(sum(size), 0)::float8 as sum from upload
          where workspace_id = ${workspaceId} and file_removed_at is null`)
        return row!.sum
      }),
      bytes: Effect.fn("UploadStore.bytes")(function* (id) {
        const [row] = yield* stored(
          sql<UploadRow>`select ${columns} from upload where id = ${id} and file_removed_at is null`
        )
        if (row === undefined) return Option.none()
        return Option.some(yield* pieces.read(toUpload(row)))
      }),
      restore: Effect.fn("UploadStore.restore")(function* (id, bytes) {
        yield* Effect.gen(function* () {
          const [row] = yield* stored(sql<UploadRow>`update upload set file_removed_at = null, size = ${bytes.length}
            where id = ${id} and file_removed_at is not null returning ${columns}`)
          if (row === undefined) return
          yield* pieces.write(toUpload(row), (offset) => Effect.succeed(bytes.subarray(offset, offset + pieceBytes)))
        }).pipe(inTransaction(sql))
      }),
      removeFiles: Effect.fn("UploadStore.removeFiles")(function* (keepDays, limit) {
        const rows = yield* stored(sql`with done as (
            update upload set file_removed_at = store_now() where id in (
              select id from upload
              where file_removed_at is null and status in (${sql.literal(doneStatuses.map((s) => `'${s}'`).join(", "))})
                and created_at <= store_now() - make_interval(days => ${keepDays}::int)
              order by created_at limit ${limit} for update skip locked
            ) returning id
          ), removed as (delete from upload_piece where upload_id in (select id from done))
          select id from done`)
        return rows.length
      }),
      setStatus: Effect.fn("UploadStore.setStatus")(function* (id, { status, jobId, error }) {
        yield* stored(sql`update upload set status = ${status}, job_id = ${nullable(jobId)}, error = ${nullable(error)}
          where id = ${id}`)
      }),
      setReading: Effect.fn("UploadStore.setReading")(function* (
        id,
        { assumed, format, reading, statements, warnings }
      ) {
        yield* stored(sql`update upload set format = ${format}, statements = ${json(statements)},
          assumed = ${json(assumed)}, warnings = ${json(warnings)}, reading = ${reading} where id = ${id}`)
      }),
      remove: Effect.fn("UploadStore.remove")(function* (id) {
        const rows = yield* stored(sql`delete from upload where id = ${id} returning id`)
        return rows.length > 0
      }),
      ...uploadShown(sql, (uploads) =>
        Effect.map(
          stored(sql<UploadRow>`select ${columns} from upload where id in (${uploads}) order by created_at, id`),
          (rows) => rows.map(toUpload)
        )
      )
    })
  })
)
