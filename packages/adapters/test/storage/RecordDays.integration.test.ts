import { recordDay } from "../../src/storage/postgres/migrations/lateIndex.ts"
import { inLedger, matching } from "../../src/storage/postgres/RecordRows.ts"
import { CalendarDate } from "@millrace/core"
import type { RecordScope } from "@millrace/core/storage"
import { withinWorkspaces, type WorkspaceId } from "@millrace/core/workspace"
import { walled as database } from "@millrace/verification/postgres/TestPostgres"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { inject } from "vitest"

const workspaceId = "ws_00000000000000000000000001" as WorkspaceId
const scope: RecordScope = { workspaceId, accountId: "acc_1" as RecordScope["accountId"], dataType: "transactions" }

/** What a server looks up in the index, in its role and behind the wall. */
const sought = Effect.fnUntraced(function* (condition: (sql: SqlClient.SqlClient) => Fragment) {
  const sql = yield* SqlClient.SqlClient
  const plan = yield* sql.withTransaction(
    Effect.gen(function* () {
      // A table without rows would be read as a whole.
      yield* sql`set local enable_seqscan = off`
      yield* sql`set local enable_bitmapscan = off`
      yield* sql`set local enable_sort = off`
      return yield* sql<{ readonly "QUERY PLAN": string }>`explain select id from record where ${inLedger(sql, scope)}
        and ${condition(sql)}
        order by ${sql.literal(recordDay)} desc, id desc limit 100`
    })
  )
  const text = plan.map((line) => line["QUERY PLAN"]).join("\n")
  expect(text).toMatch(/using record_scope_day/)
  expect(text).toContain("InitPlan")
  return /Index Cond: (.*)/.exec(text)?.[1] ?? ""
}, withinWorkspaces(workspaceId))

describe("pages of records, behind the wall between workspaces", () => {
  it.layer(database(inject("postgres")), { timeout: "60 seconds" })("on PostgreSQL", (test) => {
    test.effect("find the days that are asked for in the index, whatever else the account holds", () =>
      Effect.gen(function* () {
        const filter = { from: CalendarDate.make("2026-03-01"), to: CalendarDate.make("2026-03-02") }
        const found = yield* sought((sql) => sql.and(matching(sql, filter)))
        expect(found).toContain(">= '2026-03-01'")
        expect(found).toContain("<= '2026-03-02'")
      })
    )

    test.effect("begin in the index behind the last row of the page before", () =>
      Effect.gen(function* () {
        expect(yield* sought((sql) => sql`(${sql.literal(recordDay)}, id) < ('2026-03-01'::date, 'txn_1')`)).toContain(
          "ROW('2026-03-01'::date, 'txn_1'"
        )
      })
    )
  })
})
