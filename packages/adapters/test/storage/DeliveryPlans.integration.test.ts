/** How the database looks deliveries up, whatever it believes of how many there are. */
import { layer as database, walled } from "@millrace/verification/postgres/TestPostgres"
import { DeliveryStore } from "@millrace/core/storage"
import { storeAccount, storeBank, storeFeed, storeJob, storeWorkspace } from "@millrace/testing/fixture"
import { makeIntent } from "../../../testing/src/fixture/Delivery.ts"
import { Ids } from "@millrace/core"
import { withinWorkspaces, type WorkspaceId } from "@millrace/core/workspace"
import * as NodeDigest from "../../src/digest/NodeDigest.ts"
import { layer as aesSecrets } from "../../src/secrets/AesSecrets.ts"
import { openDay } from "../../src/storage/postgres/PostgresDeliveryStore.ts"
import { layer as storage } from "../../src/storage/postgres/PostgresStorage.ts"
import { describe, expect, it as test, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { inject } from "vitest"

const world = storage.pipe(
  Layer.provide(aesSecrets({ key: Redacted.make(Buffer.alloc(32, 5).toString("base64")) })),
  Layer.provideMerge([NodeDigest.layer, Ids.layer]),
  Layer.provideMerge(database(inject("postgres")))
)

layer(world, { excludeTestServices: true, timeout: "60 seconds" })("deliveries", (it) => {
  it.effect("of a feed that the statistics do not know are looked up by their key, and walked in their orders", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* DeliveryStore
      const workspace = yield* storeWorkspace()
      const account = yield* storeAccount(yield* storeBank(workspace))
      const fill = Effect.fnUntraced(function* (rows: number) {
        const feed = yield* storeFeed(workspace)
        const job = yield* storeJob(feed)
        const intents = Array.from({ length: rows }, (_, n) => makeIntent(account, `r${n}`))
        yield* store.intendSettled(
          feed.id,
          job.id,
          intents,
          intents.map(() => ({ state: "done" }))
        )
        return feed
      })
      yield* fill(2_000)
      yield* sql`analyze delivery`
      const { id } = yield* fill(3_000)
      const planOf = (statement: string) =>
        Effect.map(sql.unsafe<{ readonly "QUERY PLAN": string }>(`explain ${statement}`, [id]), (rows) =>
          rows.map((row) => row["QUERY PLAN"]).join("\n")
        )
      const looked = yield* planOf(`select * from unnest(array['r1', 'r2']::text[]) as wanted(id) cross join lateral (
        select * from delivery where feed_id = $1 and record_id = wanted.id order by feed_id, record_id limit 1) d`)
      expect(looked).toContain("delivery_pkey")
      const settled = yield* planOf(`update delivery d set attempts = 1 where feed_id = $1
        and record_id = any(array(select 'r1'::text))`)
      expect(settled).toContain("delivery_pkey")
      const walked = yield* planOf(`select * from delivery where feed_id = $1 and version > 0
        order by coalesce(date, 'infinity'::date), record_id limit 10`)
      expect(walked).toContain("delivery_walk")
      const listed = yield* planOf(`select * from delivery where feed_id = $1 and version > 0
        order by job_id desc, updated_at desc, record_id limit 10`)
      expect(listed).toContain("delivery_list")
    })
  )
})

describe("deliveries that are open, behind the wall between workspaces", () => {
  test.layer(walled(inject("postgres")), { timeout: "60 seconds" })("on PostgreSQL", (it) => {
    it.effect("are found in the index from the place on that a walk has come to", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const plan = yield* sql.withTransaction(
          Effect.gen(function* () {
            // A table without rows would be read as a whole.
            yield* sql`set local enable_seqscan = off`
            yield* sql`set local enable_bitmapscan = off`
            yield* sql`set local enable_sort = off`
            return yield* sql<{ readonly "QUERY PLAN": string }>`explain select * from delivery where feed_id = 'feed_1'
              and state in ('intended', 'sending', 'failed') and not dead
              and (${sql.literal(openDay)}, record_id) > (coalesce('2026-03-01'::date, 'infinity'), 'txn_1')
              order by ${sql.literal(openDay)}, record_id limit 10`
          })
        )
        const text = plan.map((line) => line["QUERY PLAN"]).join("\n")
        expect(text).toMatch(/using delivery_waiting/)
        expect(text).toContain("InitPlan")
        expect(/Index Cond: (.*)/.exec(text)?.[1]).toContain("ROW('2026-03-01'::date, 'txn_1'")
      }).pipe(withinWorkspaces("ws_00000000000000000000000001" as WorkspaceId))
    )
  })
})
