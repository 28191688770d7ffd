/**
 * Pages that are put aside, in PostgreSQL. They are compressed here, which costs less than half a microsecond a row: a tenth is
 * left to send and to write, and what is read back is held in that form until it is its turn.
 */
import { promisify } from "node:util"
import * as zlib from "node:zlib"
import { type PackedText, StageStore } from "@millrace/core/storage"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { stored, storedInBulk } from "./SqlFailure.ts"

interface Compression {
  /** On a thread of its own. */
  readonly compress: (text: string) => Promise<Uint8Array>
  readonly expand: (bytes: Uint8Array) => Buffer
}

const deflate: Compression = {
  compress: (text) => promisify(zlib.deflateRaw)(text, { level: 1 }),
  expand: zlib.inflateRawSync
}

const zstandard: Compression = {
  compress: (text) => promisify(zlib.zstdCompress)(text, { params: { [zlib.constants.ZSTD_c_compressionLevel]: 1 } }),
  expand: zlib.zstdDecompressSync
}

/**
 * What is put aside is read by the process that put it, so each takes the best that it has: Zstandard takes a quarter of the time, and
 * Node.js has it since 22.15.
 */
export const compressions: ReadonlyArray<Compression> = "zstdCompress" in zlib ? [zstandard, deflate] : [deflate]
const { compress, expand } = compressions[0]!

const unpacked = (rows: Uint8Array) => (): string => expand(rows).toString()

const packed = (text: string): Effect.Effect<PackedText> =>
  Effect.map(
    Effect.promise(() => compress(text)),
    (bytes) => ({ bytes, text: unpacked(bytes) })
  )

export const layer: Layer.Layer<StageStore, never, SqlClient.SqlClient> = Layer.effect(
  StageStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    StageStore.of({
      pack: packed,
      // Each text a parameter of its own: in an array or in JSON it would be written out again.
      put: Effect.fn("StageStore.put")(function* ({ holder, id, resource, workspaceId }, chunks) {
        if (chunks.length === 0) return
        const rows = chunks.map((_, n) => `($1, $2, $3, $4, $${5 + n * 3}::int, $${6 + n * 3}, $${7 + n * 3})`)
        yield* stored(
          sql.unsafe(
            `insert into stage_chunk (workspace_id, stage_id, resource, holder, number, account, rows)
              values ${rows.join(", ")}`,
            [
              workspaceId,
              id,
              resource,
              holder,
              ...chunks.flatMap(({ account, number, packed: { bytes } }) => [number, account, bytes])
            ]
          ).unprepared
        )
      }),
      take: Effect.fn("StageStore.take")(function* ({ id, workspaceId }, numbers) {
        if (numbers.length === 0) return []
        const found = yield* storedInBulk(sql<{ readonly rows: Buffer }>`select rows from stage_chunk
          where workspace_id = ${workspaceId} and stage_id = ${id} and number = any(${[...numbers]}::int[])
          order by number`)
        return found.map(({ rows }) => unpacked(rows))
      }),
      drop: Effect.fn("StageStore.drop")(function* ({ id, workspaceId }) {
        yield* storedInBulk(sql`delete from stage_chunk where workspace_id = ${workspaceId} and stage_id = ${id}`)
      }),
      purge: Effect.fn("StageStore.purge")(function* (limit) {
        const rows = yield* stored(sql`delete from stage_chunk where (stage_id, number) in (
          select stage_id, number from stage_chunk s where not exists (
            select from lease l where l.resource = s.resource and l.holder = s.holder)
          limit ${limit} for update skip locked) returning 1`)
        return rows.length
      })
    })
  )
)
