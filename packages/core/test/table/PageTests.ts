/** What pages of rows promise, whatever stores them. */
import { fold } from "@millrace/core/filter/Fold"
import * as Decimal from "@millrace/core/shared/Decimal"
import { limits } from "@millrace/core/shared/Limits"
import type { RowQuery } from "@millrace/core/table/RowRequest"
import type { Row } from "@millrace/core/table/Table"
import { Seeded } from "@millrace/testing/model/Seeded"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { arrange, type TableTests } from "./TableWorld.ts"

const texts = ["ada", "Ada", "Zoë", "zoe", "🧾", "\uffee", "", "a".repeat(250), `${"a".repeat(250)}b`, "straße"]

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
  { field: "name", op: "eq", value: "ADA" },
  { field: "name", op: "eq", value: "A".repeat(250) },
  { field: "name", op: "gte", value: "b" },
  { field: "name", op: "lt", value: "zoe" },
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

  it.effect("goes on from a cursor alone, or with the same query where the filter is too long for one", () =>
    Effect.gen(function* () {
      const { tables, table, put, user } = yield* arrange(fields)
      yield* put(Array.from({ length: 6 }, (_, n) => ({ name: `${"n".repeat(600)}${n}`, amount: n })))
      const query: RowQuery = { sort: [{ field: "name", desc: true }], fields: ["amount"], limit: 4 }
      const first = yield* tables.queryRows(user, table.id, query)
      expect(first.cursor!.length).toBeLessThanOrEqual(limits.cursorLength)
      const rest = yield* tables.queryRows(user, table.id, { cursor: first.cursor!, sort: [{ field: "amount" }] })
      expect(rest.rows.map(({ values }) => values)).toEqual([{ amount: "1" }, { amount: "0" }])
      // The values did not fit either: the row says where the page ended, unless it changed.
      yield* tables.updateRow(user, table.id, first.rows.at(-1)!.id, { values: { fee: 1 } }, undefined)
      expect(yield* Effect.flip(tables.queryRows(user, table.id, { cursor: first.cursor! }))).toMatchObject({
        _tag: "CursorUnusable",
        expired: false
      })
      const filter = {
        logic: "or",
        conditions: Array.from({ length: 90 }, (_, n) => ({ field: "amount", op: "gte", value: -n }))
      }
      const long = yield* tables.queryRows(user, table.id, { filter, limit: 4 })
      const cursor = long.cursor!
      expect(cursor.length).toBeLessThanOrEqual(limits.cursorLength)
      expect((yield* tables.queryRows(user, table.id, { cursor, filter })).rows).toHaveLength(2)
      expect(yield* Effect.flip(tables.queryRows(user, table.id, { cursor }))).toMatchObject({ _tag: "CursorUnusable" })
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
