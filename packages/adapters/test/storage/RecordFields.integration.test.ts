/** How PostgreSQL stores the fields of records: what a person reads there, and that nothing of it is lost. */
import { layer as recordStore } from "../../src/storage/postgres/PostgresRecordStore.ts"
import { Ids } from "@millrace/core"
import type { Fields, FieldValue } from "@millrace/core/record"
import { type RecordScope, RecordStore } from "@millrace/core/storage"
import { withinWorkspaces, type WorkspaceId } from "@millrace/core/workspace"
import { makeWrite } from "@millrace/testing/fixture"
import { Seeded } from "@millrace/testing/model"
import { OwnerClient, walled } from "@millrace/verification/postgres/TestPostgres"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { inject } from "vitest"

const workspaceId = "ws_00000000000000000000000001" as WorkspaceId
const scope: RecordScope = {
  workspaceId,
  accountId: "acct_00000000000000000000000001" as RecordScope["accountId"],
  dataType: "transactions"
}

const names = ["date", "pending", "amount", "creditAmount", "debitAmount", "description", "type", "memo", "__proto__"]
const values: ReadonlyArray<FieldValue> = [
  "",
  "0",
  "-0",
  "-0.00",
  "-",
  "-1",
  "01",
  "1.50",
  "12345678901234567890.123456789012345678901",
  "-0.00000000000000000001",
  "1e5",
  "--1",
  "2026-03-14",
  "Ñandú 🏦",
  '"',
  "\\",
  true,
  false,
  null
]

const world = Layer.mergeAll(recordStore, Ids.layer).pipe(Layer.provideMerge(walled(inject("postgres"))))

layer(world, { timeout: "60 seconds" })("Fields of records", (it) => {
  it.effect("come back as they were stored, whichever there are and whatever is in them", () =>
    Effect.gen(function* () {
      const records = yield* RecordStore
      const random = new Seeded(7)
      const given = Array.from({ length: 2_000 }, (): Fields => {
        const own = names.filter(() => !random.once(3)).toSorted(() => (random.once(2) ? 1 : -1))
        return Object.fromEntries(own.map((name) => [name, random.pick(values)]))
      })
      // A written amount is a decimal, or there is none.
      const writes = yield* Effect.forEach(given, (fields) =>
        makeWrite({ fields: { ...fields, amount: random.pick(["1.50", "-7", "0.10000000000000000001"]) } })
      )
      yield* records.write(scope, writes)
      const back = yield* records.fields(
        scope,
        writes.map(({ id }) => id)
      )
      for (const { fields, id } of writes) expect(back.get(id)).toEqual(fields)
    }).pipe(withinWorkspaces(workspaceId))
  )

  it.effect("are JSON with public names, in which amounts are numbers", () =>
    Effect.gen(function* () {
      const records = yield* RecordStore
      const owner = yield* OwnerClient
      const write = yield* makeWrite({
        fields: { date: "2026-03-14", description: "Blue Heron", amount: "-12.5", pending: false, merchantName: null }
      })
      yield* records.write(scope, [write])
      expect(yield* owner`select fields::text as text from record where id = ${write.id}`).toEqual([
        {
          text: '{"date": "2026-03-14", "amount": -12.5, "pending": false, "description": "Blue Heron", "merchantName": null}'
        }
      ])
    }).pipe(withinWorkspaces(workspaceId))
  )
})
