/** Records that are pushed from several sides at once, on PostgreSQL. */
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Feeds } from "../../src/usecase/Feeds.ts"
import { storage } from "./PushedPostgres.ts"
import { openFeed, record, worldOver } from "./PushedWorld.ts"

/** Tables that name an account. */
const ofAccounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly name: string }>`select table_name as name from information_schema.columns
    where table_schema = current_schema() and column_name = 'account_id' and table_name in (
      select table_name from information_schema.columns
      where table_schema = current_schema() and column_name = 'workspace_id')`
  return rows.map(({ name }) => name)
})

layer(worldOver(storage), { excludeTestServices: true, timeout: "60 seconds" })(
  "records that are pushed at the same time",
  (it) => {
    it.effect("are one for each key, in one account", () =>
      Effect.gen(function* () {
        const { delivered, held, push, runDue } = yield* openFeed()
        const keys = ["a", "b", "c", "d", "e"]
        const pushed = yield* Effect.forEach(
          Array.from({ length: 8 }, (_, n) => n),
          (n) => push({ records: keys.slice(n % 3).map((key) => record(key, `-${n}.00`)) }),
          { concurrency: 8 }
        )
        expect(pushed.every(({ failed }) => failed.length === 0)).toBe(true)
        const found = yield* held
        expect([...found.keys()].toSorted()).toEqual(keys)
        yield* runDue
        expect(Object.keys(yield* delivered).toSorted()).toEqual(keys.map((key) => `Bill ${key}`))
        expect(new Set(Object.values(yield* delivered))).toEqual(new Set(found.values()))
      })
    )

    it.effect("leave nothing where their feed is removed meanwhile", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const tables = yield* ofAccounts
        expect(tables).toEqual(expect.arrayContaining(["record", "record_match", "identity_fact", "account_change"]))
        for (let round = 0; round < 12; round++) {
          const { caller, feed, push, workspace } = yield* openFeed()
          if (round % 2 === 1) yield* push({ records: [record("early", "-1.00")] })
          const remove = Effect.flatMap(Feeds, (feeds) => feeds.remove(caller, feed.id, undefined))
          const pushes = Array.from({ length: 4 }, (_, n) =>
            push({ records: [record("same", `-${n}.00`), record(`own ${n}`, "-1.00")] }).pipe(
              Effect.as("in"),
              Effect.catchTag("NotFound", () => Effect.succeed("refused"))
            )
          )
          const all = [...pushes.slice(0, round % 4), Effect.as(remove, "removed"), ...pushes.slice(round % 4)]
          expect(yield* Effect.all(all, { concurrency: "unbounded" })).toContain("removed")
          expect(yield* Effect.flip(push({ records: [record("late", "-1.00")] }))).toMatchObject({ _tag: "NotFound" })
          for (const table of [...tables, "bank", "account"]) {
            const left = yield* sql`select 1 from ${sql(table)} where workspace_id = ${workspace.id} limit 1`
            expect([table, left]).toEqual([table, []])
          }
        }
      })
    )
  }
)
