/** How the database looks up entries of analyses and histories: by an index, before it has counted the rows and after. */
import { Ids, limits } from "@millrace/core"
import { AnalysisStore, RecordChangeStore } from "@millrace/core/storage"
import { CurrentTenantScope, withinWorkspaces } from "@millrace/core/workspace"
import { storeWorkspace } from "@millrace/testing/fixture"
import { OwnerClient, walled } from "@millrace/verification/postgres/TestPostgres"
import { makeAnalysisChanges } from "../../../testing/src/fixture/Analysis.ts"
import { makeRecordChange } from "../../../testing/src/fixture/RecordChanges.ts"
import { layer as aesSecrets } from "../../src/secrets/AesSecrets.ts"
import { layer as storage } from "../../src/storage/postgres/PostgresStorage.ts"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Tracer from "effect/Tracer"
import * as SqlClient from "effect/sql/SqlClient"
import { inject } from "vitest"

const world = storage.pipe(
  Layer.provide(aesSecrets({ key: Redacted.make(Buffer.alloc(32, 5).toString("base64")) })),
  Layer.provideMerge(Ids.layer),
  Layer.provideMerge(walled(inject("postgres"))),
  Layer.provideMerge(Layer.succeed(CurrentTenantScope, "every"))
)

/** How the one statement about a table is planned that an effect makes. */
const planOf = Effect.fnUntraced(function* <E, R>(
  table: string,
  effect: Effect.Effect<unknown, E, R>,
  values: ReadonlyArray<unknown>
) {
  const sql = yield* SqlClient.SqlClient
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  yield* Effect.withTracer(effect, tracer)
  const statements = spans.flatMap(({ attributes }) => {
    const text = attributes.get("db.query.text")
    return typeof text === "string" && text.includes(table) ? [text] : []
  })
  expect(statements).toHaveLength(1)
  const rows = yield* sql.unsafe<{ readonly "QUERY PLAN": string }>(`explain ${statements[0]}`, values).unprepared
  return rows.map((row) => row["QUERY PLAN"]).join("\n")
})

const recordsEach = 5_000

layer(world, { excludeTestServices: true, timeout: "60 seconds" })("lookups by record", (it) => {
  it.effect("find the entries of records, of partitions and of an account by an index", () =>
    Effect.gen(function* () {
      const store = yield* AnalysisStore
      const ids = yield* Ids
      const { id: workspaceId } = yield* storeWorkspace()
      const scope = { workspaceId, dataType: "transactions" } as const
      const enrichmentIds = yield* ids.batch("enrichment", 4)
      const accountIds = yield* ids.batch("account", 10)
      const recordIds = yield* ids.batch("transaction", recordsEach)
      const changes = makeAnalysisChanges(enrichmentIds[0]!, accountIds[0]!, recordIds[0]!)
      const enrichments = enrichmentIds.map((enrichmentId) => ({
        ...changes.enrichments[0]!,
        enrichmentId,
        notes: [],
        links: [],
        entries: [],
        fresh: recordIds.map((recordId, n) => ({
          recordId,
          accountId: accountIds[n % accountIds.length]!,
          partition: `part ${n % 50}`,
          fields: { amount: `${n}`, description: `Payment ${n}` }
        }))
      }))
      yield* store.commit(scope, 0, { ...changes, enrichments })
      const enrichmentId = enrichmentIds[2]!
      const all = Effect.gen(function* () {
        for (const some of [recordIds.slice(0, 1), recordIds.slice(0, 1_000)]) {
          const values = [some, enrichmentId, workspaceId, "transactions"]
          const plan = yield* planOf("analysis_entry", store.entries(scope, enrichmentId, some), values)
          expect(plan).toMatch(/analysis_entry_record_id_enrichment_id_idx[^]*Index Cond: .*record_id.*enrichment_id/u)
        }
        const keys = ["part 3", "part 4"]
        const most = limits.partitionRecords + 1
        const members = [keys, enrichmentId, workspaceId, "transactions", most]
        const ofPartitions = yield* planOf("analysis_entry", store.members(scope, enrichmentId, keys), members)
        expect(ofPartitions).toMatch(/analysis_entry_pkey[^]*Index Cond: .*enrichment_id.*partition/u)
        const account = [accountIds[4], workspaceId, "transactions", 100]
        const ofAccount = yield* planOf("analysis_entry", store.accountRecords(scope, accountIds[4]!, 100), account)
        expect(ofAccount).toContain("analysis_entry_account")
        for (const plan of [ofPartitions, ofAccount]) expect(plan).not.toContain("Seq Scan")
      }).pipe(withinWorkspaces(workspaceId))
      yield* all
      yield* (yield* OwnerClient)`analyze analysis_entry`
      yield* all
    })
  )

  it.effect("find the history of rows of a feed, of a record and of a job by an index", () =>
    Effect.gen(function* () {
      const store = yield* RecordChangeStore
      const ids = yield* Ids
      const { id: workspaceId } = yield* storeWorkspace()
      const [feedId, accountId] = [yield* ids.next("feed"), yield* ids.next("account")]
      const jobIds = yield* ids.batch("job", 10)
      const recordIds = yield* ids.batch("transaction", recordsEach)
      const changes = yield* Effect.forEach(recordIds, (recordId, n) =>
        makeRecordChange({ workspaceId, feedId, accountId }, { recordId, jobId: jobIds[n % jobIds.length]! })
      )
      yield* store.append(changes)
      const byRecord = "record_history_record_id_feed_id_turn_idx"
      const all = Effect.gen(function* () {
        const some = recordIds.slice(10, 20)
        const latest = yield* planOf("record_history", store.latest(feedId, some), [feedId, some])
        expect(latest).toContain(byRecord)
        const id = recordIds[7]!
        const values = [workspaceId, id, `${id};`, id, `${id}:`, 100]
        const ofRecord = yield* planOf("record_history", store.ofRecord(workspaceId, id, 100), values)
        expect(ofRecord).toContain(byRecord)
        const page = { after: changes[40]!.id, limit: 100 }
        const job = [workspaceId, jobIds[0], page.after, page.limit]
        const ofJob = yield* planOf("record_history", store.ofJob(workspaceId, jobIds[0]!, page), job)
        expect(ofJob).toMatch(/record_history_job_id_turn_idx[^]*Index Cond: .*job_id.*turn/u)
        for (const plan of [latest, ofRecord, ofJob]) expect(plan).not.toContain("Seq Scan")
      }).pipe(withinWorkspaces(workspaceId))
      yield* all
      yield* (yield* OwnerClient)`analyze record_history`
      yield* all
    })
  )
})
