/** Data keys on the disk, and the secret that seals them. */
import { layer as aesSecrets } from "../../src/secrets/AesSecrets.ts"
import { agreeOnKey } from "../../src/storage/postgres/Installation.ts"
import { layer as dataKeys } from "../../src/storage/postgres/PostgresDataKeys.ts"
import { DataKeys } from "@millrace/core/storage"
import { layer as database } from "@millrace/verification/postgres/TestPostgres"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { inject } from "vitest"

const secret = (fill: number) => Redacted.make(Buffer.alloc(32, fill).toString("base64"))

/** What a process with these secrets reads. */
const read = (key: number, ...previous: ReadonlyArray<number>) =>
  Effect.flatMap(DataKeys, (keys) => keys.get("account numbers")).pipe(
    Effect.map(Redacted.value),
    Effect.provide(
      Layer.fresh(dataKeys).pipe(Layer.provide(aesSecrets({ key: secret(key), previous: previous.map(secret) })))
    )
  )

const on = <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.provide(effect, database(inject("postgres")))

it.live("a data key is kept sealed, and read by the processes that have the secret and by no other", () =>
  on(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const made = yield* Effect.all([read(1), read(1), read(1)], { concurrency: "unbounded" })
      expect(new Set(made).size).toBe(1)
      const [row] = yield* sql<{ readonly text: string }>`select data_key::text as text from data_key`
      expect(row!.text).toContain("v1.")
      expect(row!.text).not.toContain(made[0])
      expect(yield* read(2, 1)).toBe(made[0])
      expect((yield* Effect.flip(read(2))).message).toBe(`the data key "account numbers" cannot be opened: unknown_key`)
    })
  )
)

it.live("the first data key is kept when the transaction that asked for it is rolled back", () =>
  on(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const asked = yield* Effect.flip(sql.withTransaction(Effect.flatMap(read(1), Effect.fail)))
      expect(yield* read(1)).toBe(asked)
    })
  )
)

it.live("all processes agree on the secret that seals, in whatever order they come with the old and the new one", () =>
  on(
    Effect.gen(function* () {
      expect(yield* agreeOnKey(["old"])).toBe("old")
      expect(yield* agreeOnKey(["other"])).toBeUndefined()
      // Told of the new one before it is used, so that it can open what the others will seal.
      expect(yield* agreeOnKey(["old", "new"])).toBe("old")
      expect(yield* agreeOnKey(["new", "old"])).toBe("new")
      // Comes back with what it had: it seals with the new one, and takes nobody back.
      expect(yield* agreeOnKey(["old", "new"])).toBe("new")
      expect(yield* agreeOnKey(["new"])).toBe("new")
      expect(yield* agreeOnKey(["old"])).toBeUndefined()
      expect(yield* agreeOnKey(["newest", "new", "old"])).toBe("newest")
      expect(yield* agreeOnKey(["new", "newest"])).toBe("newest")
    })
  )
)
