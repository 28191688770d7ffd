/** History that an earlier version wrote, each entry by itself: it is read as before, and goes on where it was. */
import { Ids } from "@millrace/core"
import { RecordChangeStore } from "@millrace/core/storage"
import { CurrentReach } from "@millrace/core/workspace"
import { storeWorkspace } from "@millrace/testing/fixture"
import { walled } from "@millrace/verification/postgres/TestPostgres"
import { makeRecordChange } from "../../../testing/src/fixture/RecordChanges.ts"
import { layer as aesSecrets } from "../../src/secrets/AesSecrets.ts"
import { layer as storage } from "../../src/storage/postgres/PostgresStorage.ts"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { inject } from "vitest"

const world = storage.pipe(
  Layer.provide(aesSecrets({ key: Redacted.make(Buffer.alloc(32, 5).toString("base64")) })),
  Layer.provideMerge(Ids.layer),
  Layer.provideMerge(walled(inject("postgres"))),
  Layer.provideMerge(Layer.succeed(CurrentReach, "every"))
)

layer(world, { excludeTestServices: true, timeout: "60 seconds" })("history of an earlier version", (it) => {
  it.effect("is read beside what is added to it, field by field", () =>
    Effect.gen(function* () {
      const { id: workspaceId } = yield* storeWorkspace()
      const [ids, sql, store] = [yield* Ids, yield* SqlClient.SqlClient, yield* RecordChangeStore]
      const of = { workspaceId, feedId: yield* ids.next("feed"), accountId: yield* ids.next("account") }
      const [recordId, jobId] = [yield* ids.next("transaction"), yield* ids.next("job")]
      const make = (field: string) => makeRecordChange(of, { recordId, jobId, field })
      const before = [yield* make("category"), yield* make("notes")]
      for (const one of before) {
        yield* sql`insert into record_history
          (id, workspace_id, feed_id, account_id, record_id, field, job_id, body) values (${one.id}, ${workspaceId},
          ${of.feedId}, ${of.accountId}, ${recordId}, ${one.field}, ${jobId}, ${JSON.stringify(one)}::json)`
      }
      const now = [yield* make("notes"), yield* make("merchantName")]
      yield* store.append(now)
      expect(yield* store.ofRecord(workspaceId, recordId, 3)).toEqual([now[1], now[0], before[1]])
      const ofJob = yield* store.ofJob(workspaceId, jobId, { after: before[0]!.id, limit: 10 })
      expect(ofJob).toEqual([before[1], ...now])
      const latest = yield* store.latest(of.feedId, [recordId])
      expect(latest.map(({ id }) => id).toSorted()).toEqual([before[0]!.id, now[0]!.id, now[1]!.id].toSorted())
    })
  )
})
