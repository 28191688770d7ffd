import { searched, tend } from "../../src/storage/postgres/RecordSearch.ts"
import { layer as recordStore } from "../../src/storage/postgres/PostgresRecordStore.ts"
import { blockRows, folded, searchOf } from "../../src/storage/postgres/SearchBlock.ts"
import { fewestBlocks, groupBlocks } from "../../src/storage/postgres/SearchGroup.ts"
import { CalendarDate, Decimal, Ids } from "@millrace/core"
import type { RecordWrite } from "@millrace/core/record"
import { type RecordFilter, type RecordScope, RecordStore } from "@millrace/core/storage"
import { acrossWorkspaces, withinWorkspaces, type WorkspaceId } from "@millrace/core/workspace"
import { makeWrites } from "@millrace/testing/fixture"
import { OwnerClient, walled } from "@millrace/verification/postgres/TestPostgres"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { inject } from "vitest"

const workspaceId = "ws_00000000000000000000000001" as WorkspaceId
const scopeOf = (n: number): RecordScope => ({
  workspaceId,
  accountId: `acct_0000000000000000000000000${n}` as RecordScope["accountId"],
  dataType: "transactions"
})

const words = [
  "coop",
  "COOP",
  "Zürich",
  "İSTANBUL",
  "Kiosk",
  "a\u001eb",
  "a\u001fb",
  "😀",
  "ΟΔΟΣ",
  "ab",
  "東京",
  "100%",
  ""
]
const filters: ReadonlyArray<RecordFilter> = [
  ...[
    "coop",
    "oop z",
    "istanbul",
    "kiosk",
    "a\u001eb",
    "a\u001fb",
    "\u001e",
    "b",
    "😀",
    "οδοσ",
    "ab",
    "東京",
    "%",
    "zeppelin"
  ].map((text) => ({ text })),
  { category: "FOOD" },
  { category: "food" },
  { category: "coop" },
  { type: "CARD", text: "coop" },
  { pending: true },
  { pending: true, text: "ab", minAmount: Decimal.make("0") },
  { minAmount: Decimal.make("-0.1"), maxAmount: Decimal.make("0.1") },
  { minAmount: Decimal.make("16777217") },
  { maxAmount: Decimal.make("-100000000000000000000000000000000000000000") },
  { minAmount: Decimal.make("0"), maxAmount: Decimal.make("0"), category: "FOOD" },
  { text: "coop", from: CalendarDate.make("2026-01-01") }
]
const amounts = [
  "0",
  "-0.1",
  "0.1",
  "0.10000001",
  "16777216",
  "16777217",
  "-200000000000000000000000000000000000000000.5",
  null
]

/** What is found where nothing else is asked of the records. */
const found = (sql: SqlClient.SqlClient, scope: RecordScope, filter: RecordFilter) =>
  searched<{ readonly id: string }>(sql, scope, searchOf(filter)!, {
    columns: "id",
    conditions: [],
    limit: 5_000,
    size: 0
  })

/** Many texts of few words, so that much is alike and little is the same. */
const spread = (writes: ReadonlyArray<RecordWrite>, turn: number): ReadonlyArray<RecordWrite> =>
  writes.map((write, n) => {
    const at = n * 31 + turn * 17
    const word = (by: number) => words[Math.floor(at / by) % words.length]!
    return {
      ...write,
      pending: at % 11 === 0,
      date: at % 13 === 0 ? null : write.date,
      state: at % 29 === 0 ? "removed" : "live",
      fields: {
        description: at % 7 === 0 ? null : `${word(1)} ${word(3)}`,
        merchantName: at % 5 === 0 ? null : word(5),
        amount: amounts[at % amounts.length]!,
        category: at % 3 === 0 ? "FOOD" : at % 3 === 1 ? "coop" : null,
        type: at % 2 === 0 ? "CARD" : "ATM"
      }
    }
  })

/** Pages as they are, beside those of a walk through all records. */
const expectSame = Effect.fnUntraced(function* (scope: RecordScope) {
  const records = yield* RecordStore
  const sql = yield* SqlClient.SqlClient
  const owner = yield* OwnerClient
  for (const filter of filters) {
    const page = yield* records.page(scope, { filter, limit: 1_000 })
    // Where a block is unknown, all records are walked through.
    yield* owner`insert into record_search (workspace_id, account_id, data_type, first_no, last_no, rows)
      values (${scope.workspaceId}, ${scope.accountId}, 'transactions', 0, 0, 0)`
    const walked = yield* records.page(scope, { filter, limit: 1_000 })
    yield* owner`delete from record_search where account_id = ${scope.accountId} and last_no = 0`
    expect([filter, page.map(({ id }) => id)]).toEqual([filter, walked.map(({ id }) => id)])
    // In blocks it stands for what ends a field, so it is in all of them.
    const everywhere = filter.text === "\u001e"
    expect([filter, (yield* found(sql, scope, filter)) === undefined]).toEqual([filter, everywhere])
  }
})

const tendAll = Effect.fnUntraced(function* ({ accountId }: RecordScope) {
  const sql = yield* SqlClient.SqlClient
  const owner = yield* OwnerClient
  // Upkeep looks at any account: those of other tests are not to be chosen.
  yield* owner`delete from record_search where account_id <> ${accountId}`
  let quiet = 0
  for (let step = 0; step < 500 && quiet < 3; step++) quiet = (yield* tend(sql)) === 0 ? quiet + 1 : 0
  expect(quiet).toBe(3)
}, acrossWorkspaces("task engine"))

const blocksOf = Effect.fnUntraced(function* ({ accountId }: RecordScope) {
  const owner = yield* OwnerClient
  return yield* owner<{ readonly rows: number; readonly known: boolean }>`
    select rows, texts is not null as known from record_search where account_id = ${accountId} order by last_no`
})

/** How many blocks each group of an account names, how many of its blocks say that they are in one, and how many have a signature. */
const groupsOf = Effect.fnUntraced(function* ({ accountId }: RecordScope) {
  const owner = yield* OwnerClient
  const groups = yield* owner<{ readonly size: number }>`
    select cardinality(blocks) as size from search_group where account_id = ${accountId} order by id`
  const [blocks] = yield* owner<{ readonly grouped: number; readonly signed: number }>`
    select count(*) filter (where grouped)::int as grouped, count(signature)::int as signed
    from record_search where account_id = ${accountId}`
  return { groups: groups.map(({ size }) => size), ...blocks! }
})

const gramsOf = (text: string) => searchOf({ text })!.grams

describe("searches of records", () => {
  const layers = Layer.provideMerge(Layer.mergeAll(recordStore, Ids.layer), walled(inject("postgres")))
  it.layer(layers, { timeout: "120 seconds" })("on PostgreSQL", (test) => {
    test.effect("find what a walk through all records finds, also after records have changed", () =>
      Effect.gen(function* () {
        const scope = scopeOf(1)
        const records = yield* RecordStore
        const writes = yield* makeWrites(4 * blockRows + 50)
        yield* records.write(scope, spread(writes, 0))
        yield* expectSame(scope)
        yield* records.write(scope, spread(writes.slice(100, 400), 3))
        for (const write of spread(writes.slice(0, 20), 5)) yield* records.write(scope, [write])
        yield* expectSame(scope)
      }).pipe(withinWorkspaces(workspaceId))
    )

    test.effect("find the same after blocks were put together, and hold each record once then", () =>
      Effect.gen(function* () {
        const scope = scopeOf(2)
        const records = yield* RecordStore
        const writes = yield* makeWrites(10 * blockRows)
        yield* records.write(scope, spread(writes, 0))
        // Other types of records take numbers between them.
        yield* records.write({ ...scope, dataType: "orders" }, yield* makeWrites(3, "orders"))
        for (let turn = 0; turn < 2; turn++) yield* records.write(scope, spread(writes, turn))
        for (const write of spread(writes.slice(0, 80), 7)) yield* records.write(scope, [write])
        expect((yield* blocksOf(scope)).length).toBeGreaterThan(90)
        yield* tendAll(scope)
        const after = yield* blocksOf(scope)
        expect(after.length).toBeLessThan(30)
        expect(after.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThan(1.5 * writes.length)
        yield* expectSame(scope)
      }).pipe(withinWorkspaces(workspaceId))
    )

    test.effect("find records from before there were blocks, while they are brought into them and after it", () =>
      Effect.gen(function* () {
        const scope = scopeOf(3)
        const records = yield* RecordStore
        const owner = yield* OwnerClient
        const sql = yield* SqlClient.SqlClient
        const writes = yield* makeWrites((groupBlocks + 1) * blockRows)
        yield* records.write(scope, spread(writes, 0))
        yield* owner`delete from record_search where account_id = ${scope.accountId}`
        yield* owner`insert into record_search (workspace_id, account_id, data_type, first_no, last_no, rows)
          values (${workspaceId}, ${scope.accountId}, 'transactions', 1, ${writes.length}, 0)`
        const filter = { text: "istanbul" }
        const before = yield* records.page(scope, { filter, limit: 2_000 })
        expect(before.length).toBeGreaterThan(20)
        yield* acrossWorkspaces("task engine")(tend(sql))
        expect((yield* blocksOf(scope)).map(({ known }) => known)).toEqual([
          ...Array<boolean>(groupBlocks).fill(true),
          false
        ])
        expect(yield* records.page(scope, { filter, limit: 2_000 })).toEqual(before)
        yield* records.write(scope, spread(writes.slice(-10), 0))
        yield* tendAll(scope)
        expect((yield* blocksOf(scope)).every(({ known }) => known)).toBe(true)
        yield* expectSame(scope)
      }).pipe(withinWorkspaces(workspaceId))
    )

    test.effect("find the same in blocks of a group, while their records change and after all of them have", () =>
      Effect.gen(function* () {
        const scope = scopeOf(6)
        const records = yield* RecordStore
        const writes = yield* makeWrites(fewestBlocks * blockRows)
        yield* records.write(scope, spread(writes, 0))
        expect(yield* groupsOf(scope)).toEqual({ groups: [fewestBlocks], grouped: fewestBlocks, signed: 0 })
        yield* expectSame(scope)
        // All of its blocks but two go, and those of the changed records are too few for a group.
        yield* records.write(scope, spread(writes.slice(2 * blockRows), 3))
        yield* expectSame(scope)
        yield* tendAll(scope)
        expect(yield* groupsOf(scope)).toEqual({ groups: [], grouped: 0, signed: fewestBlocks })
        yield* expectSame(scope)
        for (let turn = 0; turn < 2; turn++) yield* records.write(scope, spread(writes, 4 + turn))
        yield* tendAll(scope)
        expect(yield* groupsOf(scope)).toEqual({ groups: [fewestBlocks], grouped: fewestBlocks, signed: 0 })
        yield* expectSame(scope)
      }).pipe(withinWorkspaces(workspaceId))
    )

    test.effect(
      "find the same after blocks that came one by one, with signatures of their own, were put into groups",
      () =>
        Effect.gen(function* () {
          const scope = scopeOf(7)
          const records = yield* RecordStore
          const writes = yield* makeWrites(groupBlocks * blockRows)
          // As few again as are found in one go.
          const some = spread(writes, 0).map((write, n) =>
            n % 4 === 0 ? write : { ...write, fields: { amount: "5" } }
          )
          for (let at = 0; at < writes.length; at += 4 * blockRows)
            yield* records.write(scope, some.slice(at, at + 4 * blockRows))
          expect(yield* groupsOf(scope)).toEqual({ groups: [], grouped: 0, signed: groupBlocks })
          const ids = Effect.forEach(filters, (filter) =>
            Effect.map(records.page(scope, { filter, limit: 1_000 }), (page) => page.map(({ id }) => id))
          )
          const before = yield* ids
          yield* tendAll(scope)
          expect(yield* groupsOf(scope)).toEqual({ groups: [groupBlocks], grouped: groupBlocks, signed: 0 })
          expect(yield* ids).toEqual(before)
          yield* records.forget(workspaceId, scope.accountId)
          expect(yield* groupsOf(scope)).toEqual({ groups: [], grouped: 0, signed: 0 })
        }).pipe(withinWorkspaces(workspaceId))
    )

    test.effect("show nothing of another workspace", () =>
      Effect.gen(function* () {
        const scope = scopeOf(4)
        const records = yield* RecordStore
        const sql = yield* SqlClient.SqlClient
        yield* withinWorkspaces(workspaceId)(records.write(scope, spread(yield* makeWrites(40), 0)))
        const search = found(sql, scope, { text: "coop" })
        expect((yield* withinWorkspaces(workspaceId)(search))?.length).toBeGreaterThan(0)
        const other = "ws_00000000000000000000000002" as WorkspaceId
        expect(yield* withinWorkspaces(other)(search)).toEqual([])
      })
    )

    test.effect("find the same while their places are counted in characters, and after they are counted in bytes", () =>
      Effect.gen(function* () {
        const scope = scopeOf(5)
        const records = yield* RecordStore
        const owner = yield* OwnerClient
        yield* records.write(scope, spread(yield* makeWrites(4 * blockRows), 0))
        // Of a dotted capital I nobody but PostgreSQL knows how many bytes its lower case takes.
        const plain = spread(yield* makeWrites(30), 0).map((write) => ({
          ...write,
          fields: { description: "Zürich 😀" }
        }))
        yield* records.write(scope, plain)
        const places = owner<{ readonly in_bytes: boolean | null; readonly starts: ReadonlyArray<number> }>`
          select in_bytes, starts from record_search where account_id = ${scope.accountId} order by last_no`
        const written = yield* places
        expect(written.map(({ in_bytes }) => in_bytes)).toEqual([false, false, false, false, true])
        // As earlier versions wrote the last one.
        yield* owner`update record_search s set in_bytes = null, starts = array(
            select (sum(char_length(piece) + 1) over (order by k) - char_length(piece))::int
            from unnest(string_to_array(s.texts, chr(30))) with ordinality u(piece, k) order by k)
          where account_id = ${scope.accountId} and in_bytes`
        yield* expectSame(scope)
        yield* tendAll(scope)
        const after = yield* places
        expect(after.map(({ in_bytes }) => in_bytes)).toEqual([true, true, true, true, true])
        expect(after[4]).toEqual(written[4])
        yield* expectSame(scope)
      }).pipe(withinWorkspaces(workspaceId))
    )

    test.effect("make the lower case and the bytes that PostgreSQL makes of a text, or leave both to it", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql<{ readonly letter: string; readonly lower: string }>`
          select chr(n) as letter, lower(chr(n) collate "pg_c_utf8") as lower
          from generate_series(1, 1114111) n where not (n between 55296 and 57343)`
        let known = 0
        for (const { letter, lower } of rows) {
          // At the end of a word, and with another row behind it.
          const made = folded(`Ab${letter}\u001e`)
          if (made === undefined || letter === "\u001e") continue
          known++
          expect([letter, made]).toEqual([
            letter,
            { text: `ab${lower}\u001e`, starts: [1, 4 + Buffer.byteLength(lower)] }
          ])
        }
        expect(known).toBeGreaterThan(40_000)
        for (const text of ["\ud83c", "\ud83cx", "\udc00"]) expect(folded(text)).toBeUndefined()
      })
    )

    test.effect(
      "rely on lower case as PostgreSQL knows it: no letter becomes several, none comes into a class from elsewhere",
      () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const rows = yield* sql<{ readonly upper: string; readonly lower: string }>`
          select chr(n) as upper, lower(chr(n) collate "pg_c_utf8") as lower from generate_series(1, 1114111) n
          where not (n between 55296 and 57343) and lower(chr(n) collate "pg_c_utf8") <> chr(n)`
          expect(rows.length).toBeGreaterThan(1_000)
          expect(rows.filter(({ lower }) => Array.from(lower).length !== 1)).toEqual([])
          // In the middle of a word, at its end, and beside others.
          for (const { lower, upper } of rows) {
            expect([upper, gramsOf(`ab${upper}`)]).toEqual([upper, gramsOf(`ab${lower}`)])
            expect([upper, gramsOf(`${upper}${upper}yz`)]).toEqual([upper, gramsOf(`${lower}${lower}yz`)])
          }
        })
    )
  })
})
