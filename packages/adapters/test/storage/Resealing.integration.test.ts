/** A secret that was replaced: what it sealed is sealed anew, and nothing of it can be opened by it any more. */
import { layer as aesSecrets } from "../../src/secrets/AesSecrets.ts"
import { layer as storage } from "../../src/storage/postgres/PostgresStorage.ts"
import { reseal } from "../../src/storage/postgres/Resealing.ts"
import {
  BankStore,
  ConnectionAttemptStore,
  ConnectionSubjectStore,
  DataKeys,
  EnrichmentStore,
  OutboxStore,
  UploadStore
} from "@millrace/core/storage"
import { Secrets } from "@millrace/core/bank"
import { Ids } from "@millrace/core"
import {
  attemptParts,
  completedConnection,
  makeConnection,
  makeEnrichment,
  makeUpload,
  storeAttempt,
  storeBank,
  storeFeed,
  storeSubject,
  storeWorkspace
} from "@millrace/testing/fixture"
import { layer as database } from "@millrace/verification/postgres/TestPostgres"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { inject } from "vitest"

const secret = (fill: number) => Redacted.make(Buffer.alloc(32, fill).toString("base64"))

/** A process with these secrets, the current one first. */
const as =
  (key: number, ...previous: ReadonlyArray<number>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.provide(
      effect,
      Layer.fresh(storage).pipe(
        Layer.provideMerge(aesSecrets({ key: secret(key), previous: previous.map(secret) })),
        Layer.merge(Ids.layer)
      )
    )

const slack = "https://hooks.slack.com/services/T0/B0/abcdefghijkl"
const signing = `whsec_${Buffer.alloc(24, 3).toString("base64")}`
const destinations = [
  { type: "slack", webhookUrl: slack },
  { type: "webhook", url: "https://example.com/hooks/0123456789", secret: signing }
]

const fill = Effect.gen(function* () {
  const workspace = yield* storeWorkspace()
  // Statements never look into a body: it may hold what PostgreSQL cannot.
  const alert = yield* makeEnrichment(workspace, { type: "alert", config: { odd: "\0", destinations } })
  yield* (yield* EnrichmentStore).insert(alert)
  yield* (yield* EnrichmentStore).insert(yield* makeEnrichment(workspace))
  const message = {
    id: `${workspace.id} m`,
    workspaceId: workspace.id,
    enrichmentId: alert.id,
    endpoint: { channel: "webhook", to: destinations[1]!.url!, secret: signing },
    content: { type: "alert.fired", title: "t", brief: "b", sections: [], footer: "f", data: {} },
    lane: "l",
    cooldownSeconds: 0,
    state: "ready"
  } as const
  const mail = { ...message, id: `${workspace.id} n`, endpoint: { channel: "email", to: "ann@example.com" } } as const
  yield* (yield* OutboxStore).insert([message, mail])
  const banks = yield* Effect.forEach(Array.from({ length: 20 }), () => storeBank(workspace))
  const bytes = Uint8Array.from({ length: 2_500_000 }, (_, n) => (n * 7) % 251)
  const feed = yield* storeFeed(workspace, { source: "upload" })
  const upload = { ...(yield* makeUpload(feed)), size: bytes.length }
  yield* (yield* UploadStore).insert(upload, bytes)
  const attempt = yield* storeAttempt(workspace)
  yield* (yield* ConnectionAttemptStore).keepExchange(attempt.id, completedConnection, attempt.createdAt)
  yield* (yield* ConnectionAttemptStore).keep(attempt.id, "secrets", attemptParts.secrets, attempt.createdAt)
  yield* (yield* ConnectionAttemptStore).keep(attempt.id, "step", attemptParts.step, attempt.createdAt)
  const subject = yield* storeSubject(workspace)
  yield* (yield* ConnectionSubjectStore).keepSecrets(
    subject.workspaceId,
    subject.instanceId,
    attemptParts.secrets,
    attempt.createdAt
  )
  return {
    alert,
    message,
    mail,
    banks,
    attempt,
    subject,
    upload,
    bytes,
    key: yield* (yield* DataKeys).get("account numbers")
  }
})

type Stored = Effect.Success<typeof fill>

/** Reads all of it; fails where something cannot be opened. */
const readAll = Effect.fnUntraced(function* ({
  alert,
  attempt,
  banks,
  bytes,
  key,
  mail,
  message,
  subject,
  upload
}: Stored) {
  for (const bank of banks) {
    const kept = Option.getOrThrow(yield* (yield* BankStore).connection(bank.id))
    expect(kept.connection.secrets).toEqual(makeConnection(bank).connection.secrets)
  }
  expect(yield* (yield* ConnectionAttemptStore).exchange(attempt.id)).toEqual(Option.some(completedConnection))
  expect(yield* (yield* ConnectionAttemptStore).part(attempt.id, "secrets")).toEqual(Option.some(attemptParts.secrets))
  expect(yield* (yield* ConnectionAttemptStore).part(attempt.id, "step")).toEqual(Option.some(attemptParts.step))
  expect(yield* (yield* ConnectionSubjectStore).get(subject.workspaceId, subject.instanceId)).toEqual(
    Option.some({ ref: subject.ref, secrets: attemptParts.secrets })
  )
  expect(yield* (yield* EnrichmentStore).get(alert.workspaceId, alert.id)).toEqual(Option.some(alert))
  for (const one of [message, mail]) {
    expect(yield* (yield* OutboxStore).get(one.workspaceId, one.id)).toMatchObject({ endpoint: one.endpoint })
  }
  const file = Option.getOrThrow(yield* (yield* UploadStore).bytes(upload.id))
  expect(Buffer.compare(file, bytes)).toBe(0)
  expect(Redacted.value(yield* (yield* DataKeys).get("account numbers"))).toBe(Redacted.value(key))
})

/** The ids of the keys that stand in what is stored, wherever that is. */
const keyIds = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly id: string }>`select split_part(connection_secrets, '.', 2) as id from bank
    union select split_part(exchanged, '.', 2) from connection_attempt
    union select split_part(sealed, '.', 2) from connection_attempt_part
    union select split_part(sealed, '.', 2) from connection_subject
    union select split_part(sealed, '.', 2) from data_key
    union select substring(body::text from '"sealed":"v1[.]([^.]*)') from enrichment where body::text like '%"sealed"%'
    union select split_part(endpoint ->> 'sealed', '.', 2) from message where endpoint ->> 'channel' = 'webhook'
    union select encode(substring(sealed from 2 for 8), 'escape') from upload_piece`
  return rows.map(({ id }) => id)
})

it.live(
  "everything is sealed anew by however many processes at once, reads meanwhile, and the former secret opens nothing",
  () =>
    Effect.gen(function* () {
      const stored = yield* as(1)(fill)
      const idOf = (key: number) => as(key)(Effect.map(Secrets, (secrets) => secrets.keyIds.current))
      expect(yield* keyIds).toEqual([yield* idOf(1)])
      const told = yield* Effect.all([as(2, 1)(reseal), as(2, 1)(reseal), as(2, 1)(readAll(stored))], {
        concurrency: "unbounded"
      })
      // 20 connections, an attempt, two of its parts, a subject, a data key, an alert, a message, three pieces of a file.
      expect(told[0].sealed + told[1].sealed).toBe(30)
      expect((yield* as(2, 1)(reseal)).left).toEqual({})
      expect(yield* keyIds).toEqual([yield* idOf(2)])
      yield* as(2)(readAll(stored))
      expect((yield* Effect.flip(as(1)(readAll(stored)))).message).toContain("unknown_key")
      expect(yield* as(2, 1)(reseal)).toEqual({ sealed: 0, left: {} })
    }).pipe(Effect.provide(database(inject("postgres"))))
)

it.live("what was altered stays as it is and is told, and keeps nothing else from being sealed anew", () =>
  Effect.gen(function* () {
    const stored = yield* as(1)(fill)
    const sql = yield* SqlClient.SqlClient
    yield* sql`update bank set connection_secrets = connection_secrets || 'AAAA' where id < ${stored.banks[18]!.id}`
    expect(yield* as(2, 1)(reseal)).toEqual({ sealed: 12, left: { connections: 18 } })
    yield* as(2)(readAll({ ...stored, banks: stored.banks.slice(18) }))
  }).pipe(Effect.provide(database(inject("postgres"))))
)

it.live("what no key that was given opens stays as it is, and is told", () =>
  Effect.gen(function* () {
    const stored = yield* as(1)(fill)
    expect(yield* as(3, 2)(reseal)).toEqual({
      sealed: 0,
      left: {
        connections: 20,
        "attempts to connect": 1,
        "parts of attempts to connect": 2,
        "subjects of connections": 1,
        "data keys": 1,
        "addresses in enrichments": 1,
        "addresses of messages": 1,
        "pieces of files": 3
      }
    })
    yield* as(1)(readAll(stored))
  }).pipe(Effect.provide(database(inject("postgres"))))
)

it.live("no address that something can be sent to can be read in the database", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const stored = yield* as(1)(fill)
    const texts = Effect.map(
      sql<{
        readonly text: string
      }>`select body::text as text from enrichment union all select endpoint::text from message`,
      (rows) => rows.map(({ text }) => text).join("\n")
    )
    const secrets = ["abcdefghijkl", "hooks/0123456789", signing]
    const sealed = yield* texts
    expect(secrets.filter((one) => sealed.includes(one))).toEqual([])
    expect(sealed).toContain("https://hooks.slack.com/****ijkl")
    // With another key there are masks, which nothing is ever sent to.
    const other = yield* as(2)(Effect.flatMap(EnrichmentStore, (store) => store.list([stored.alert.workspaceId])))
    expect(JSON.stringify(other)).not.toContain("abcdefghijkl")
  }).pipe(Effect.provide(database(inject("postgres"))))
)
