/** Uploaded files at rest: sealed, in pieces, whole or not at all. */
import { layer as aesSecrets } from "../../src/secrets/AesSecrets.ts"
import { layer as storage } from "../../src/storage/postgres/PostgresStorage.ts"
import * as PostgresUploadStore from "../../src/storage/postgres/PostgresUploadStore.ts"
import { stored, UnreadableAnswer } from "../../src/storage/postgres/SqlFailure.ts"
import { Secrets } from "@millrace/core/bank"
import { Ids, limits } from "@millrace/core"
import { FileDamaged, UploadStore } from "@millrace/core/storage"
import { makeUpload, storeFeed, storeWorkspace } from "@millrace/testing/fixture"
import { layer as database } from "@millrace/verification/postgres/TestPostgres"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { inject } from "vitest"

const secrets = (fill: number) => aesSecrets({ key: Redacted.make(Buffer.alloc(32, fill).toString("base64")) })

const services = Layer.mergeAll(storage.pipe(Layer.provideMerge(secrets(1))), Ids.layer).pipe(
  Layer.provideMerge(database(inject("postgres")))
)

const mebibyte = 1_048_576
const text = "2026-03-02;Coffee and a private matter;-4.50\n"
const bytesOf = (size: number): Uint8Array => new Uint8Array(Buffer.alloc(size, text))

const storeFile = Effect.fnUntraced(function* (size: number) {
  const feed = yield* storeFeed(yield* storeWorkspace(), { source: "upload" })
  const upload = yield* makeUpload(feed, { size })
  yield* (yield* UploadStore).insert(upload, bytesOf(size))
  return upload
})

layer(services, { excludeTestServices: true, timeout: "120 seconds" })("an uploaded file", (it) => {
  it.effect("of the largest size comes back as it was", () =>
    Effect.gen(function* () {
      const { id } = yield* storeFile(limits.uploadBytes)
      const read = Option.getOrThrow(yield* (yield* UploadStore).bytes(id))
      expect(Buffer.compare(read, bytesOf(limits.uploadBytes))).toBe(0)
    })
  )

  it.effect("is not to be read in the database", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* storeFile(3 * mebibyte)
      const [row] = yield* sql<{ readonly pieces: number; readonly found: number }>`
        select (select count(*)::int from upload_piece where upload_id = upload.id) as pieces,
          (select count(*)::int from upload_piece where upload_id = upload.id
            and position(convert_to('private', 'UTF8') in sealed) > 0) as found
        from upload where id = ${id}`
      expect(row).toEqual({ pieces: 3, found: 0 })
    })
  )

  it.effect("is damaged when a piece is missing, swapped, of another file, or the end was cut", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const other = yield* storeFile(3 * mebibyte)
      const harms = [
        (id: string) => sql`delete from upload_piece where upload_id = ${id} and piece = 1`,
        (id: string) => sql`delete from upload_piece where upload_id = ${id} and piece = 2`,
        (id: string) => sql`update upload_piece p set sealed = o.sealed from upload_piece o
          where p.upload_id = ${id} and o.upload_id = ${id} and p.piece = 1 - o.piece and p.piece < 2`,
        (id: string) => sql`update upload_piece p set sealed = o.sealed from upload_piece o
          where p.upload_id = ${id} and o.upload_id = ${other.id} and p.piece = o.piece and p.piece = 1`,
        (id: string) => sql`update upload set size = ${2 * mebibyte} where id = ${id}`,
        (id: string) => sql`update upload_piece set sealed = substring(sealed for 500) where upload_id = ${id}`
      ]
      for (const harm of harms) {
        const { id } = yield* storeFile(3 * mebibyte)
        yield* harm(id)
        const error = yield* Effect.flip((yield* UploadStore).bytes(id))
        expect(error).toEqual(new FileDamaged({ message: "its content is damaged" }))
      }
    })
  )

  it.effect("that was sealed with another key says so", () =>
    Effect.gen(function* () {
      const { id } = yield* storeFile(10)
      const stranger = Effect.provide(
        Effect.flatMap(UploadStore, (store) => store.bytes(id)),
        PostgresUploadStore.layer.pipe(Layer.provide(secrets(2)), Layer.fresh)
      )
      expect((yield* Effect.flip(stranger)).message).toBe("its content was sealed with another key")
    })
  )

  it.effect("whose storing breaks between two pieces leaves nothing, and can be stored again", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const feed = yield* storeFeed(yield* storeWorkspace(), { source: "upload" })
      const upload = yield* makeUpload(feed, { size: 3 * mebibyte })
      let sealed = 0
      const dying = Layer.effect(
        Secrets,
        Effect.map(Secrets, (real) =>
          Secrets.of({
            ...real,
            sealBytes: (plain, context) => (++sealed === 3 ? Effect.die("killed") : real.sealBytes(plain, context))
          })
        )
      )
      const broken = PostgresUploadStore.layer.pipe(Layer.provide(dying), Layer.fresh)
      const attempt = Effect.flatMap(UploadStore, (store) => store.insert(upload, bytesOf(3 * mebibyte)))
      yield* Effect.exit(Effect.provide(attempt, broken))
      expect(sealed).toBe(3)
      const [left] = yield* sql`select (select count(*)::int from upload where id = ${upload.id}) as uploads,
        (select count(*)::int from upload_piece where upload_id = ${upload.id}) as pieces`
      expect(left).toEqual({ uploads: 0, pieces: 0 })
      expect(yield* attempt).toBe(true)
    })
  )

  it.effect("no statement that fails for good is taken for storage that is away", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const large = stored(sql`select repeat('x', ${17 * mebibyte}::int) as text`)
      expect(yield* Effect.flip(Effect.catchDefect(large, (defect) => Effect.fail(defect)))).toBeInstanceOf(
        UnreadableAnswer
      )
      expect(yield* stored(sql`select 1 as one`)).toEqual([{ one: 1 }])
    })
  )
})
