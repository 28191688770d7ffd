import { matching } from "../../src/storage/postgres/RecordRows.ts"
import { CalendarDate } from "@millrace/core"
import { layer as database } from "@millrace/verification/postgres/TestPostgres"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { inject } from "vitest"

describe("pages of records between two days", () => {
  it.layer(database(inject("postgres")), { timeout: "60 seconds" })("on PostgreSQL", (test) => {
    test.effect("are found in the index by their days, whatever else the account holds", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const filter = { from: CalendarDate.make("2026-03-01"), to: CalendarDate.make("2026-03-02") }
        const plan = yield* sql.withTransaction(
          Effect.gen(function* () {
            // A table without rows would be read as a whole.
            yield* sql`set local enable_seqscan = off`
            yield* sql`set local enable_bitmapscan = off`
            yield* sql`set local enable_sort = off`
            return yield* sql<{ readonly "QUERY PLAN": string }>`explain select id from record where ${sql.and([
              sql`account_id = 'acc_1' and data_type = 'transactions' and workspace_id = 'ws_1'`,
              ...matching(sql, filter)
            ])} order by coalesce(date, '-infinity'::date) desc, id desc limit 100`
          })
        )
        const text = plan.map((line) => line["QUERY PLAN"]).join("\n")
        expect(text).toMatch(/using record_page/)
        const sought = /Index Cond: (.*)/.exec(text)?.[1] ?? ""
        expect(sought).toContain(">= '2026-03-01'")
        expect(sought).toContain("<= '2026-03-02'")
      })
    )
  })
})
