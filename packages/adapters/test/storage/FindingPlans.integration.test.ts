/** How the database looks plain things up that are many, with findings as the example: one statement a call, by an index. */
import { CalendarDate, Ids, Timestamp } from "@millrace/core"
import { FindingStore } from "@millrace/core/storage"
import { storeWorkspace } from "@millrace/testing/fixture"
import { OwnerClient, walled } from "@millrace/verification/postgres/TestPostgres"
import { makeFinding } from "../../../testing/src/fixture/Findings.ts"
import { layer as aesSecrets } from "../../src/secrets/AesSecrets.ts"
import { layer as storage } from "../../src/storage/postgres/PostgresStorage.ts"
import { CurrentTenantScope, withinWorkspaces } from "@millrace/core/workspace"
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

/** The statements about findings that an effect makes. */
const statementsOf = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  yield* Effect.withTracer(effect, tracer)
  return spans.flatMap(({ attributes }) => {
    const text = attributes.get("db.query.text")
    return typeof text === "string" && text.includes("finding") ? [text] : []
  })
})

layer(world, { excludeTestServices: true, timeout: "60 seconds" })("findings", (it) => {
  it.effect("are listed, looked up and kept by one statement each, which goes by an index", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* FindingStore
      const ids = yield* Ids
      const { id: workspaceId } = yield* storeWorkspace()
      const enrichments = yield* ids.batch("enrichment", 5)
      for (const enrichmentId of enrichments) {
        const findings = yield* Effect.forEach(Array.from({ length: 1_000 }), (_, n) =>
          makeFinding(workspaceId, enrichmentId, {
            partition: `part ${n % 200}`,
            present: n % 3 > 0,
            // Many at one instant: an analysis finds them at once.
            firstSeenAt: Timestamp.fromMillis(1_700_000_000_000 + Math.floor(n / 50) * 86_400_000)
          })
        )
        const written = yield* statementsOf(store.putFindings(findings))
        expect(written).toHaveLength(1)
      }
      yield* (yield* OwnerClient)`analyze finding`
      const enrichmentId = enrichments[2]!
      const all = yield* store.list(workspaceId, enrichmentId, { limit: 1_000 })
      const deep = all[733]!
      const before = { firstSeenAt: deep.firstSeenAt, id: deep.id }
      const planOf = Effect.fnUntraced(function* (
        effect: Effect.Effect<unknown, unknown>,
        values: ReadonlyArray<unknown>
      ) {
        const [statement, ...others] = yield* statementsOf(withinWorkspaces(workspaceId)(effect))
        expect(others).toEqual([])
        const rows = yield* sql
          .unsafe<{ readonly "QUERY PLAN": string }>(`explain ${statement}`, values)
          .unprepared.pipe(withinWorkspaces(workspaceId))
        return rows.map((row) => row["QUERY PLAN"]).join("\n")
      })
      const inOrder = "finding_workspace_id_enrichment_id_first_seen_id_idx"
      const first = yield* planOf(store.list(workspaceId, enrichmentId, { limit: 21 }), [workspaceId, enrichmentId, 21])
      expect(first).toContain(inOrder)
      const values = [workspaceId, enrichmentId, before.firstSeenAt, before.id, 21]
      const far = yield* planOf(store.list(workspaceId, enrichmentId, { before, limit: 21 }), values)
      expect(far).toMatch(new RegExp(`${inOrder}[^]*Index Cond: .*ROW\\(.*first_seen_at.*id`, "u"))
      const days = {
        from: CalendarDate.make("2023-12-01"),
        to: CalendarDate.make("2023-12-02"),
        status: "dismissed"
      } as const
      const narrow = yield* planOf(store.list(workspaceId, enrichmentId, { ...days, limit: 21 }), [
        workspaceId,
        enrichmentId,
        "dismissed",
        days.from,
        `${days.to}U`,
        21
      ])
      expect(narrow).toMatch(new RegExp(`${inOrder}[^]*Index Cond: .*first_seen_at.*first_seen_at`, "u"))
      for (const plan of [first, far, narrow]) expect(plan).not.toContain("Sort")
      const some = [...all.slice(3, 6), ...all.slice(500, 530)].map(({ id }) => id)
      const looked = yield* planOf(store.get(workspaceId, some), [workspaceId, some])
      expect(looked).toContain("finding_pkey")
      expect(yield* statementsOf(store.get(workspaceId, []))).toEqual([])
      const partitions = ["part 7", "part 133"]
      const present = yield* planOf(store.present(workspaceId, enrichmentId, partitions), [
        workspaceId,
        enrichmentId,
        partitions
      ])
      expect(present).toContain("finding_enrichment_id_partition_idx")
      expect(yield* statementsOf(store.forget(workspaceId, enrichmentId))).toHaveLength(1)
    })
  )
})
