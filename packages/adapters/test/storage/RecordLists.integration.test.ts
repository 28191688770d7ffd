/** How PostgreSQL answers lists of records, in the role of a server and behind the wall between workspaces. */
import { pageSql } from "../../src/storage/postgres/RecordPages.ts"
import { layer as recordStore } from "../../src/storage/postgres/PostgresRecordStore.ts"
import { CalendarDate, Decimal } from "@millrace/core"
import { type PageQuery, type RecordFilter, type RecordScope, RecordStore } from "@millrace/core/storage"
import { withinWorkspaces, type WorkspaceId } from "@millrace/core/workspace"
import { Ids } from "@millrace/core"
import { makeWrites } from "@millrace/testing/fixture"
import { Seeded } from "@millrace/testing/model"
import { OwnerClient, walled } from "@millrace/verification/postgres/TestPostgres"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { inject } from "vitest"

const workspaceId = "ws_00000000000000000000000001" as WorkspaceId
const scopeOf = (account: number): RecordScope => ({
  workspaceId,
  accountId: `acct_${String(account).padStart(26, "0")}` as RecordScope["accountId"],
  dataType: "transactions"
})
const day = CalendarDate.make("2026-03-02")

const planOf = Effect.fnUntraced(function* (scope: RecordScope, query: PageQuery) {
  const sql = yield* SqlClient.SqlClient
  const { text, values } = pageSql(scope, query, "id, date, pending, fields", 0)
  const lines = yield* sql.unsafe<{ readonly "QUERY PLAN": string }>(`explain (analyze, costs off) ${text}`, values)
  return lines.map((line) => line["QUERY PLAN"]).join("\n")
})

const filters: ReadonlyArray<RecordFilter> = [
  { text: "nowhere" },
  { category: "AVIATION" },
  { type: "CARD" },
  { pending: true },
  { minAmount: Decimal.make("10"), maxAmount: Decimal.make("11") },
  { from: day, to: day, text: "a", category: "b", type: "c", pending: false, minAmount: Decimal.make("0") }
]

const world = Layer.mergeAll(recordStore, Ids.layer).pipe(Layer.provideMerge(walled(inject("postgres"))))

layer(world, { timeout: "120 seconds" })("Lists of records", (it) => {
  it.effect("read the index alone for what they filter by, newest first, before and after PostgreSQL has counted", () =>
    Effect.gen(function* () {
      const records = yield* RecordStore
      const owner = yield* OwnerClient
      const scope = scopeOf(1)
      yield* records.write(scope, yield* makeWrites(5_000))
      yield* records.write(scopeOf(2), yield* makeWrites(10))
      for (const isCounted of [false, true]) {
        if (isCounted) yield* owner`vacuum analyze record`
        for (const filter of filters) {
          const plan = yield* planOf(scope, { filter, limit: 100 })
          expect([filter, isCounted, plan]).toEqual([
            filter,
            isCounted,
            expect.stringMatching(/Index Only Scan Backward using record_list on record/)
          ])
          expect(plan).not.toContain("Seq Scan")
          // Of none of them the whole texts are looked at.
          if (plan.includes("SubPlan")) expect(plan).toMatch(/on record whole \(never executed\)/)
        }
      }
    }).pipe(withinWorkspaces(workspaceId))
  )

  it.effect("look days and the place of a page up in the index", () =>
    Effect.gen(function* () {
      const scope = scopeOf(1)
      const days = yield* planOf(scope, { filter: { from: day, to: day }, limit: 100 })
      expect(days).toMatch(/Index Scan Backward using record_list on record/)
      expect(/Index Cond: (.*)/.exec(days)?.[1]).toMatch(/day >= .*day <= /)
      const next = yield* planOf(scope, { filter: { text: "a" }, before: { date: day, id: "txn_1" }, limit: 100 })
      expect(/Index Cond: (.*)/.exec(next)?.[1]).toMatch(/ROW\(day, id\) < ROW/)
    }).pipe(withinWorkspaces(workspaceId))
  )

  it.effect("walk the index newest first also in an account of which PostgreSQL has counted no row yet", () =>
    Effect.gen(function* () {
      const records = yield* RecordStore
      const owner = yield* OwnerClient
      // Of all rows that it has counted, none is of the account that is listed.
      yield* owner`vacuum analyze record`
      const scope = scopeOf(5)
      for (let n = 0; n < 4; n++) yield* records.write(scope, yield* makeWrites(5_000))
      for (const filter of [{}, ...filters]) {
        const plan = yield* planOf(scope, { filter, limit: 100 })
        expect([filter, plan]).toEqual([filter, expect.stringMatching(/Scan Backward using record_list on record/)])
      }
    }).pipe(withinWorkspaces(workspaceId))
  )

  it.effect("find texts that are longer than an entry of the index has room for", () =>
    Effect.gen(function* () {
      const records = yield* RecordStore
      const scope = scopeOf(3)
      const random = new Seeded(5)
      const names = ["type", "currency", "category", "description", "merchantName"]
      const draw = (length: number) =>
        String.fromCodePoint(
          ...Array.from(
            { length },
            () => (random.once(50) ? 0x1f600 : 0x4e00) + random.below(random.once(9) ? 40 : 20_000)
          )
        )
      const lengths = [2_000, 67, 66, 60, 50, 49, 1]
      const writes = (yield* makeWrites(lengths.length)).map((write, n) => ({
        ...write,
        fields: Object.fromEntries(names.map((name) => [name, draw(lengths[n]!)]))
      }))
      yield* records.write(scope, writes)
      // The same beginning, and another end.
      const [twin] = yield* makeWrites(1)
      const long = writes[0]!.fields
      const ended = Object.fromEntries(Object.entries(long).map(([name, text]) => [name, `${text.slice(0, -1)}x`]))
      yield* records.write(scope, [{ ...twin!, fields: ended }])
      const found = (filter: RecordFilter) =>
        Effect.map(records.page(scope, { filter, limit: 50 }), (page) => page.map(({ id }) => id))
      for (const { fields, id } of writes) {
        expect(yield* found({ category: fields["category"]! })).toEqual([id])
        expect(yield* found({ type: fields["type"]! })).toEqual([id])
        for (const name of ["description", "merchantName"]) {
          const text = fields[name]!
          expect(yield* found({ text })).toContain(id)
          const letters = Array.from(text)
          for (let n = 0; n < 10; n++) {
            const at = random.below(letters.length)
            expect(yield* found({ text: letters.slice(at, at + 1 + random.below(90)).join("") })).toContain(id)
          }
        }
      }
      expect(yield* found({ text: ended["description"]!.slice(-40) })).toEqual([twin!.id])
      expect(yield* found({ category: ended["category"]! })).toEqual([twin!.id])
      expect(yield* found({ category: `${long["category"]!}x` })).toEqual([])
    }).pipe(withinWorkspaces(workspaceId))
  )
})
