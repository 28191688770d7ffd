/** Seals the uploaded files that older versions stored in the open. */
import type { Secrets } from "@millrace/core/bank"
import type { StorageUnavailable } from "@millrace/core/storage"
import { acrossWorkspaces } from "@millrace/core/workspace"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import { makeUploadPieces } from "./UploadPieces.ts"

/** Returns how many there were. Safe to run from several processes at once, and to be killed. */
export const sealUploads: Effect.Effect<number, StorageUnavailable, SqlClient.SqlClient | Secrets> = Effect.gen(
  function* () {
    const { sealOne } = yield* makeUploadPieces
    let sealed = 0
    while (yield* sealOne()) sealed++
    return sealed
  }
).pipe(acrossWorkspaces("sealing"), Effect.withSpan("PostgresStorage.sealUploads"))
