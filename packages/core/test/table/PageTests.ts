/** What pages of rows promise, whatever stores them. */
import { fold } from "../../src/text/Fold.ts"
import * as Decimal from "../../src/shared/Decimal.ts"
import { limits } from "../../src/shared/Limits.ts"
import type { RowQuery } from "../../src/table/RowRequest.ts"
import type { Row } from "../../src/table/Table.ts"
import { Seeded } from "@millrace/testing/model"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { arrange, type TableTests } from "./TableWorld.ts"

const texts = ["ale", "Ale", "Née", "nee", "🧾", "\uffee", "", "a".repeat(250), `${"a".repeat(250)}b`, "straße"]

const fields = [
  { name: "Plain", type: "text" },
  { name: "Name", type: "text", indexed: true },
  { name: "Amount", type: "number", indexed: true },
  { name: "Fee", type: "number" },
  { name: "Day", type: "date", indexed: true },
  { name: "Done", type: "boolean" },
  {
    name: "Kind",
    type: "select",
    indexed: true,
    options: {
      choices: [
        { id: "x", label: "X" },
        { id: "y", label: "Y" }
      ]
    }
  }
] as const

const randomValues = (random: Seeded): Record<string, unknown> => ({
  plain: random.once(4) ? null : random.pick(texts),
  name: random.once(4) ? null : random.pick(texts),
  amount: random.once(4) ? null : String(random.below(9) - 4),
  fee: random.once(4) ? null : `${random.below(3)}.${random.below(100)}`,
  day: random.once(4) ? null : `2026-01-0${1 + random.below(9)}`,
  done: random.once(3) ? null : random.once(2),
  kind: random.once(3) ? null : random.pick(["x", "Y"])
})

const filters: ReadonlyArray<unknown> = [
  undefined,
  { field: "name", op: "eq", value: "ALE" },
  { field: "name", op: "eq", value: "A".repeat(250) },
  { field: "name", op: "gte", value: "b" },
  { field: "name", op: "lt", value: "nee" },
  { field: "amount", op: "between", value: { min: -1, max: 2 } },
  { field: "amount", op: "eq", value: "1.0" },
  { field: "kind", op: "eq", value: "X" },
  { field: "day", op: "gt", value: "2026-01-04" },
  {
    logic: "and",
    conditions: [
      { field: "kind", op: "neq", value: "x" },
      { field: "done", op: "eq", value: true }
    ]
  },
  {
    logic: "or",
    conditions: [
      { field: "name", op: "matches", value: "^[aZ]" },
      { field: "fee", op: "is-null" }
    ]
  },
  { logic: "not", condition: { field: "plain", op: "matches", value: "a" } },
  { field: "id", op: "neq", value: "row_x" }
]

const keys = ["plain", "name", "amount", "fee", "day", "done", "kind", "id", "createdAt"]

/** What a row is sorted by, worked out anew. */
const valueOf = (row: Row, key: string): string | boolean | null => {
  if (key === "id" || key === "createdAt") return row[key]
  const cell = row.values[key] ?? null
  return typeof cell === "string" && (key === "plain" || key === "name")
    ? fold(cell)
    : (cell as string | boolean | null)
}

const compare = (key: string, a: string | boolean, b: string | boolean): number => {
  if (typeof a === "boolean" || typeof b === "boolean") return Number(a) - Number(b)
  if (key === "amount" || key === "fee") return Decimal.compare(Decimal.make(a), Decimal.make(b))
  const [left, right] = [Array.from(a, (c) => c.codePointAt(0)!), Array.from(b, (c) => c.codePointAt(0)!)]
  for (let at = 0; at < Math.min(left.length, right.length); at++)
    if (left[at] !== right[at]) return left[at]! - right[at]!
  return left.length - right.length
}

const inOrder = (rows: ReadonlyArray<Row>, sort: NonNullable<RowQuery["sort"]>): ReadonlyArray<Row> =>
  rows.toSorted((a, b) => {
    for (const { desc, field } of sort) {
      const [left, right] = [valueOf(a, field), valueOf(b, field)]
      if (left === null || right === null) {
        if (left !== right) return left === null ? 1 : -1
        continue
      }
      const order = compare(field, left, right)
      if (order !== 0) return desc === true ? -order : order
    }
    return a.id < b.id ? -1 : 1
  })

export const pageTests: TableTests = (it) => {
  it.effect("visits every row that was there exactly once, in order, while others come", () =>
    Effect.gen(function* () {
      const random = new Seeded(7)
      const { tables, table, put, user } = yield* arrange(fields)
      yield* put(Array.from({ length: 120 }, () => randomValues(random)))
      const whole = (query: RowQuery) =>
        Effect.map(tables.queryRows(user, table.id, { ...query, limit: 500 }), ({ rows }) => rows)
      for (let n = 0; n < 60; n++) {
        const filter = n < filters.length ? filters[n] : random.pick(filters)
        const sort = random.list(0, 3, () => ({ field: random.pick(keys), desc: random.once(2) }))
        const query: RowQuery = { ...(filter === undefined ? {} : { filter }), sort }
        const there = yield* whole(filter === undefined ? {} : { filter })
        const limit = 1 + random.below(20)
        const first = yield* tables.queryRows(user, table.id, { ...query, limit, includeTotal: true })
        expect(first.total).toBe(there.length)
        const seen = [...first.rows]
        let { cursor } = first
        while (cursor !== undefined) {
          if (random.once(10)) yield* put([randomValues(random)])
          const next = yield* tables.queryRows(user, table.id, { cursor, limit })
          seen.push(...next.rows)
          cursor = next.cursor
        }
        const known = new Set(there.map(({ id }) => id))
        const ids = seen.filter(({ id }) => known.has(id)).map(({ id }) => id)
        expect(ids, JSON.stringify(query)).toEqual(inOrder(there, sort).map(({ id }) => id))
        expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length)
      }
    })
  )

  it.effect("goes on from a cursor alone, however long the query and the values of its last row are", () =>
    Effect.gen(function* () {
      const { tables, table, put, user } = yield* arrange(fields)
      yield* put(
        Array.from({ length: 6 }, (_, n) => ({ name: `${"n".repeat(600 * (1 + (n % 2) * 20))}${n}`, amount: n }))
      )
      const filter = {
        logic: "or",
        conditions: Array.from({ length: 90 }, (_, n) => ({ field: "amount", op: "gte", value: { $param: `p${n}` } }))
      }
      const params = Object.fromEntries(filter.conditions.map((_, n) => [`p${n}`, -n]))
      const sort = [{ field: "name", desc: true }]
      const whole = yield* tables.queryRows(user, table.id, { sort })
      for (const question of [{}, { filter, params }]) {
        const seen: Array<string> = []
        let page = yield* tables.queryRows(user, table.id, { ...question, sort, fields: ["amount"], limit: 1 })
        for (;;) {
          seen.push(...page.rows.map(({ id }) => id))
          expect(page.rows.map(({ values }) => Object.keys(values))).toEqual([["amount"]])
          if (page.cursor === undefined) break
          expect(page.cursor.length).toBeLessThanOrEqual(limits.cursorLength)
          // What else is sent beside it does not count.
          page = yield* tables.queryRows(user, table.id, { cursor: page.cursor, limit: 1, sort: [{ field: "nope" }] })
        }
        expect(seen).toEqual(whole.rows.map(({ id }) => id))
      }
    })
  )

  it.effect("goes on although rows at the edges of pages are changed, moved to the trash, or gone for good", () =>
    Effect.gen(function* () {
      const { tables, table, put, user } = yield* arrange(fields)
      for (const length of [1, 900, 20_000]) {
        yield* put(Array.from({ length: 8 }, (_, n) => ({ name: `${"n".repeat(length)}${n}`, amount: n })))
      }
      const sort = [{ field: "name" }]
      const filter = { field: "amount", op: "gte", value: 0 }
      const there = (yield* tables.queryRows(user, table.id, { sort, filter })).rows.map(({ id }) => id)
      const seen: Array<string> = []
      let page = yield* tables.queryRows(user, table.id, { sort, filter, limit: 2 })
      for (let n = 0; ; n++) {
        seen.push(...page.rows.map(({ id }) => id))
        if (page.cursor === undefined) break
        const edge = page.rows.at(-1)!.id
        if (n % 2 === 0) yield* tables.updateRow(user, table.id, edge, { values: { name: "zzz", fee: n } }, undefined)
        else yield* tables.deleteRow(user, table.id, edge, undefined)
        page = yield* tables.queryRows(user, table.id, { cursor: page.cursor, limit: 2 })
      }
      // A row that was moved behind the edge comes once more.
      expect(there.filter((id) => !seen.includes(id))).toEqual([])
    })
  )

  it.effect("tells what is wrong with a query, at its place", () =>
    Effect.gen(function* () {
      const { tables, table, user } = yield* arrange(fields)
      const fault = (query: RowQuery) => Effect.flip(tables.queryRows(user, table.id, query))
      expect(yield* fault({ filter: { field: "nope", op: "eq", value: 1 } })).toMatchObject({
        code: "FILTER_INVALID",
        details: [{ field: "filter.field" }]
      })
      expect(yield* fault({ filter: { logic: "and", conditions: [{ field: "name", op: "eq" }] } })).toMatchObject({
        details: [{ field: "filter.conditions[0].value" }]
      })
      expect(yield* fault({ filter: { field: "name", op: "matches", value: "(?=a)" } })).toMatchObject({
        code: "UNSAFE_PATTERN"
      })
      const wanted = { field: "name", op: "eq", value: { $param: "who" } }
      expect(yield* fault({ filter: wanted })).toMatchObject({ code: "PARAM_REQUIRED" })
      expect((yield* tables.queryRows(user, table.id, { filter: wanted, params: { who: "x" } })).rows).toEqual([])
      expect(yield* fault({ sort: [{ field: "nope" }], fields: ["nope"], timezone: "Mars/Olympus" })).toMatchObject({
        details: [{ field: "sort[0].field" }, { field: "fields[0]" }, { field: "timezone" }]
      })
    })
  )
}
