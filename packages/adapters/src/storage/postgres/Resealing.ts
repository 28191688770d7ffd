/**
 * Seals with the current key what former keys sealed, so that a secret that was replaced opens nothing that is stored.
 *
 * What is sealed says by which key, so the work needs no memory: it goes on after a stop, and several processes share it.
 */
import { Secrets, type SecretsUnreadable } from "@millrace/core/bank"
import { sealedFor as enrichmentContextOf } from "@millrace/core/enrichment"
import type { StorageUnavailable } from "@millrace/core/storage"
import type { Upload } from "@millrace/core/upload"
import { acrossTenants } from "@millrace/core/workspace"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { contextOf as bankContextOf } from "./PostgresBankStore.ts"
import { contextOf as attemptContextOf, partContextOf } from "./PostgresConnectionAttemptStore.ts"
import { contextOf as subjectContextOf } from "./PostgresConnectionSubjectStore.ts"
import { contextOf as dataKeyContextOf } from "./PostgresDataKeys.ts"
import { contextOf as messageContextOf } from "./PostgresOutboxStore.ts"
import { enrichmentKey, withSealed } from "./SealedEnrichments.ts"
import { inTransaction, stored } from "./SqlFailure.ts"
import { contextOf as pieceContextOf } from "./UploadPieces.ts"

/** Seals one value again. */
type Resealing = Effect.Effect<unknown, SqlError | SecretsUnreadable>

/** A column of sealed values. Every one there is stands in the list below. */
interface Place {
  readonly name: string
  readonly from: Fragment
  readonly keyId: Fragment
  /** At most so many that one of these keys sealed, locked until the transaction ends. */
  readonly next: (keyIds: ReadonlyArray<string>, limit: number) => Effect.Effect<ReadonlyArray<Resealing>, SqlError>
}

const makePlaces = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const secrets = yield* Secrets
  const resealed = (value: string, context: string, keep: (sealed: string) => Resealing): Resealing =>
    Effect.flatMap(secrets.open(value, context), (plain) => Effect.flatMap(secrets.seal(plain, context), keep))
  const bankKey = sql`split_part(connection_secrets, '.', 2)`
  const attemptKey = sql`split_part(exchanged, '.', 2)`
  const sealedKey = sql`split_part(sealed, '.', 2)`
  const enrichmentSealedBy = enrichmentKey(sql)
  const messageKey = sql`split_part(endpoint ->> 'sealed', '.', 2)`
  const pieceKey = sql`encode(substring(sealed from 2 for 8), 'escape')`
  return [
    {
      name: "connections",
      from: sql`bank`,
      keyId: bankKey,
      next: Effect.fnUntraced(function* (keyIds, limit) {
        const rows = yield* sql<{ readonly id: string; readonly workspace: string; readonly value: string }>`
          select id, workspace_id as workspace, connection_secrets as value from bank
          where ${bankKey} = any(${keyIds}) limit ${limit} for update skip locked`
        return rows.map(({ id, value, workspace }) =>
          resealed(
            value,
            bankContextOf(workspace, id),
            (sealed) => sql`update bank set connection_secrets = ${sealed}
            where id = ${id}`
          )
        )
      })
    },
    {
      name: "attempts to connect",
      from: sql`connection_attempt`,
      keyId: attemptKey,
      next: Effect.fnUntraced(function* (keyIds, limit) {
        const rows = yield* sql<{ readonly id: string; readonly workspace: string; readonly value: string }>`
          select id, workspace_id as workspace, exchanged as value from connection_attempt
          where ${attemptKey} = any(${keyIds}) limit ${limit} for update skip locked`
        return rows.map(({ id, value, workspace }) =>
          resealed(
            value,
            attemptContextOf(workspace, id),
            (sealed) => sql`update connection_attempt set exchanged = ${sealed} where id = ${id}`
          )
        )
      })
    },
    {
      name: "parts of attempts to connect",
      from: sql`connection_attempt_part`,
      keyId: sealedKey,
      next: Effect.fnUntraced(function* (keyIds, limit) {
        const rows = yield* sql<{
          readonly id: string
          readonly part: string
          readonly workspace: string
          readonly value: string
        }>`select attempt_id as id, part, workspace_id as workspace, sealed as value from connection_attempt_part
          where ${sealedKey} = any(${keyIds}) limit ${limit} for update skip locked`
        return rows.map(({ id, part, value, workspace }) =>
          resealed(
            value,
            partContextOf(workspace, id, part),
            (sealed) => sql`update connection_attempt_part set sealed = ${sealed}
            where attempt_id = ${id} and part = ${part}`
          )
        )
      })
    },
    {
      name: "subjects of connections",
      from: sql`connection_subject`,
      keyId: sealedKey,
      next: Effect.fnUntraced(function* (keyIds, limit) {
        const rows = yield* sql<{
          readonly instance: string
          readonly ref: string
          readonly workspace: string
          readonly value: string
        }>`select instance_id as instance, ref, workspace_id as workspace, sealed as value from connection_subject
          where ${sealedKey} = any(${keyIds}) limit ${limit} for update skip locked`
        return rows.map(({ instance, ref, value, workspace }) =>
          resealed(
            value,
            subjectContextOf(workspace, instance),
            (sealed) => sql`update connection_subject set sealed = ${sealed}
            where instance_id = ${instance} and ref = ${ref}`
          )
        )
      })
    },
    {
      name: "data keys",
      from: sql`data_key`,
      keyId: sealedKey,
      next: Effect.fnUntraced(function* (keyIds, limit) {
        const rows = yield* sql<{ readonly name: string; readonly value: string }>`select name, sealed as value
          from data_key where ${sealedKey} = any(${keyIds}) limit ${limit} for update skip locked`
        return rows.map(({ name, value }) =>
          resealed(
            value,
            dataKeyContextOf(name),
            (sealed) => sql`update data_key set sealed = ${sealed}
            where name = ${name}`
          )
        )
      })
    },
    {
      name: "addresses in enrichments",
      from: sql`enrichment`,
      keyId: enrichmentSealedBy,
      next: Effect.fnUntraced(function* (keyIds, limit) {
        const rows = yield* sql<{ readonly id: string; readonly workspace: string; readonly body: string }>`
          select id, workspace_id as workspace, body::text as body from enrichment
          where ${enrichmentSealedBy} = any(${keyIds}) limit ${limit} for update skip locked`
        return rows.map(({ body, id, workspace }) =>
          resealed(
            (JSON.parse(body) as { readonly sealed: string }).sealed,
            enrichmentContextOf({ id, workspaceId: workspace }),
            (sealed) => sql`update enrichment set body = ${withSealed(body, sealed)} where id = ${id}`
          )
        )
      })
    },
    {
      name: "addresses of messages",
      from: sql`message`,
      keyId: messageKey,
      next: Effect.fnUntraced(function* (keyIds, limit) {
        const rows = yield* sql<{ readonly id: string; readonly workspace: string; readonly value: string }>`
          select id, workspace_id as workspace, endpoint ->> 'sealed' as value from message
          where ${messageKey} = any(${keyIds}) limit ${limit} for update skip locked`
        return rows.map(({ id, value, workspace }) =>
          resealed(
            value,
            messageContextOf(workspace, id),
            (sealed) => sql`update message
              set endpoint = (endpoint::jsonb || jsonb_build_object('sealed', ${sealed}::text))::json where id = ${id}`
          )
        )
      })
    },
    {
      name: "pieces of files",
      from: sql`upload_piece`,
      keyId: pieceKey,
      next: Effect.fnUntraced(function* (keyIds, limit) {
        const rows = yield* sql<{
          readonly id: Upload["id"]
          readonly workspace: Upload["workspaceId"]
          readonly size: number
          readonly piece: number
          readonly value: Uint8Array
        }>`select upload.id, upload.workspace_id as workspace, size, piece, sealed as value from upload_piece
          join upload on upload.id = upload_id
          where ${pieceKey} = any(${keyIds}) limit ${limit} for update of upload_piece skip locked`
        return rows.map(({ id, piece, size, value, workspace }) =>
          Effect.gen(function* () {
            const context = pieceContextOf({ id, workspaceId: workspace, size }, piece)
            const sealed = yield* secrets.sealBytes(yield* secrets.openBytes(value, context), context)
            yield* sql`update upload_piece set sealed = ${sealed} where upload_id = ${id} and piece = ${piece}`
          })
        )
      })
    }
  ] satisfies ReadonlyArray<Place> as ReadonlyArray<Place>
})

export interface Resealed {
  /** Values sealed again this time. */
  readonly sealed: number
  /** What is left by name of its place: what keys sealed that are not the current one, those that were not given included. */
  readonly left: Readonly<Record<string, number>>
}

/** Values of one transaction: at most 16 MiB of files. */
const batch = 16

/** Seals again until nothing is left that a former key sealed. A value that cannot be opened stays, and is counted as left. */
export const reseal: Effect.Effect<Resealed, StorageUnavailable, SqlClient.SqlClient | Secrets> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    const secrets = yield* Secrets
    const { current, previous } = secrets.keyIds
    let sealed = 0
    const left: Record<string, number> = {}
    for (const { from, keyId, name, next } of yield* makePlaces) {
      let done = -1
      let unreadable = 0
      while (done !== 0) {
        // Those that cannot be opened are found again each time: room for as many others is left.
        const outcomes = yield* inTransaction(sql)(
          Effect.flatMap(next(previous, batch + unreadable), (values) =>
            Effect.forEach(values, (one) =>
              Effect.as(one, true).pipe(Effect.catchTag("SecretsUnreadable", () => Effect.succeed(false)))
            )
          )
        )
        done = outcomes.filter(Boolean).length
        unreadable = outcomes.length - done
        sealed += done
      }
      const [row] = yield* stored(
        sql<{ readonly n: number }>`select count(*)::int as n from ${from} where ${keyId} <> ${current}`
      )
      if (row!.n > 0) left[name] = row!.n
    }
    return { sealed, left }
  }
).pipe(acrossTenants("sealing"), Effect.withSpan("PostgresStorage.reseal"))
