/**
 * Contents of uploaded files, in sealed pieces. A file is never one value of the database: one of 16 MiB already could
 * not be read back, and neither side ever needs more than a piece at a time.
 *
 * Each piece is sealed for its place: whose file it is, which piece and of how many. A piece that is missing, changed,
 * swapped or of another file is noticed, and so is a file that was cut.
 */
import { Secrets } from "@millrace/core/bank"
import type { Upload } from "@millrace/core/upload"
import { FileDamaged } from "@millrace/core/storage"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { stored } from "./SqlFailure.ts"

export const pieceBytes = 1_048_576

type Owner = Pick<Upload, "id" | "workspaceId" | "size">

/** An empty file has a piece, too: that it is empty is sealed with it. */
const countOf = ({ size }: Owner): number => Math.max(1, Math.ceil(size / pieceBytes))

/** What a piece is sealed for. */
export const contextOf = (upload: Owner, piece: number): string =>
  `file|${upload.workspaceId}|${upload.id}|${piece}/${countOf(upload)}`

const reasons = {
  malformed: "its content is damaged",
  forged: "its content is damaged",
  unknown_key: "its content was sealed with another key"
} as const

export const makeUploadPieces = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const secrets = yield* Secrets

  /** Inside a transaction: a part of a file is none. */
  const write = Effect.fnUntraced(function* <E>(
    upload: Owner,
    pieceAt: (offset: number) => Effect.Effect<Uint8Array, E>
  ) {
    for (let piece = 0; piece < countOf(upload); piece++) {
      const sealed = yield* secrets.sealBytes(yield* pieceAt(piece * pieceBytes), contextOf(upload, piece))
      yield* stored(sql`insert into upload_piece (upload_id, workspace_id, piece, sealed)
        values (${upload.id}, ${upload.workspaceId}, ${piece}, ${sealed})`)
    }
  })

  const pieceOf = Effect.fnUntraced(function* (upload: Owner, piece: number) {
    const [row] = yield* stored(
      sql<{ readonly sealed: Uint8Array }>`select sealed from upload_piece
        where upload_id = ${upload.id} and piece = ${piece}`
    )
    if (row === undefined) return yield* new FileDamaged({ message: reasons.malformed })
    return yield* secrets
      .openBytes(row.sealed, contextOf(upload, piece))
      .pipe(Effect.mapError(({ reason }) => new FileDamaged({ message: reasons[reason] })))
  })

  const read = Effect.fnUntraced(function* (upload: Owner) {
    const bytes = new Uint8Array(upload.size)
    for (let piece = 0; piece < countOf(upload); piece++) {
      const plain = yield* pieceOf(upload, piece)
      const offset = piece * pieceBytes
      if (plain.length !== Math.min(pieceBytes, upload.size - offset)) {
        return yield* new FileDamaged({ message: reasons.malformed })
      }
      bytes.set(plain, offset)
    }
    return bytes
  })

  return { write, read }
})
