import { filterSql, type FilteredTable } from "../../src/storage/postgres/FilterSql.ts"
import { SqlParameters } from "../../src/storage/postgres/SqlParameters.ts"
import { bind, compile, type FilterFields, type RelatedRows, type RowValues } from "@millrace/core/filter"
import * as Plan from "../../../core/src/filter/FilterPlan.ts"
import { foldBeyondAscii } from "@millrace/core/text"
import { jsonScalar } from "../../../core/src/filter/JsonScalar.ts"
import { provenPatterns } from "@millrace/core/pattern"
import { Timestamp } from "@millrace/core"
import {
  filterTruth,
  moments,
  randomFields,
  randomFilter,
  randomRelated,
  randomRow,
  Seeded,
  truthNow,
  truthZone,
  zones
} from "@millrace/testing/model"
import { layer as database } from "@millrace/verification/postgres/TestPostgres"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import { inject } from "vitest"

const long = process.env["MILLRACE_LONG"] === "1"
const rowCount = 100
const filterCount = long ? 25_000 : 400
const tableId = "tbl_main"
const relatedId = "tbl_related"

const related: FilteredTable = { id: relatedId, own: new Set(), relations: new Map() }
const table: FilteredTable = {
  id: tableId,
  own: new Set(),
  relations: new Map([
    ["parent", related],
    ["parts", related]
  ])
}

/** Folded text of cells, as the stores keep it. */
const foldedOf = (row: RowValues, fields: FilterFields): Record<string, string> => {
  const folded: Record<string, string> = {}
  for (const [key, value] of Object.entries(row)) {
    const type = fields.get(key)?.type
    const text = typeof value !== "string" ? undefined : type === "json" ? jsonScalar(value, "string") : value
    if (text === undefined || (type !== "text" && type !== "json")) continue
    const plain = foldBeyondAscii(text)
    if (plain !== undefined) folded[key] = plain
  }
  return folded
}

const relatedFields = randomFields.get("parent")!.related!

const insert = Effect.fnUntraced(function* (
  id: string,
  owner: string,
  row: RowValues,
  fields: FilterFields,
  trashed = false
) {
  const sql = yield* SqlClient.SqlClient
  const folded = foldedOf(row, fields)
  yield* sql`insert into table_row (id, table_id, field_values, folded, created_by, updated_by, version, created_at,
      updated_at, trashed_at)
    values (${id}, ${owner}, ${JSON.stringify(row)}::jsonb, ${JSON.stringify(folded)}::jsonb, '{}', '{}',
      1, now(), now(), ${trashed ? "2024-01-01T00:00:00.000Z" : null}::timestamptz)`
})

/** Text that would do harm if it were ever read as part of a statement. */
const hostile = [
  "'; drop table table_row; --",
  '"; delete from table_row; --',
  "') or true or ('' = '",
  "$1",
  "$$ || pg_sleep(9) || $$",
  "\\'",
  "%",
  "_%\\",
  "\u2019",
  "{a,b}",
  '{"a":1}',
  "->>'x'",
  "null",
  "__proto__"
]

const arrange = Effect.fnUntraced(function* (random: Seeded) {
  const rows = new Map(
    Array.from({ length: rowCount }, (_, n) => [`row_${String(n).padStart(4, "0")}`, randomRow(random)])
  )
  for (const [id, row] of rows) yield* insert(id, tableId, row, randomFields)
  const byId = randomRelated(random)
  for (const [id, row] of byId) yield* insert(id, relatedId, row, relatedFields)
  // In the trash, and in another table: relations lead to neither.
  yield* insert("gone_1", relatedId, randomRow(random, relatedFields), relatedFields, true)
  yield* insert("gone_2", "tbl_other", { name: "tram", total: "no number", day: "soon" }, relatedFields)
  const lookup: RelatedRows = (_relation, ids) => ids.flatMap((id) => (byId.has(id) ? [byId.get(id)!] : []))
  return { rows, lookup }
})

const statement = (plan: Plan.FilterPlan) => {
  const parameters = new SqlParameters()
  const expression = filterSql(plan, table, parameters)
  const owner = parameters.text(tableId)
  return {
    text: `select r.id, ${expression} as answer from table_row r where r.table_id = ${owner} order by r.id`,
    values: parameters.values
  }
}

describe("FilterSql", () => {
  it.live("answers what the truth table says, of every operator and kind of value", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const [n, { type, clause, answers }] of filterTruth.entries()) {
        const owner = `tbl_${n}`
        const fields: FilterFields = new Map([["amount", { type }]])
        for (const [at, [x]] of answers.entries()) yield* insert(String(at), owner, { amount: x }, fields)
        const moment = { now: Timestamp.make(truthNow), zone: truthZone, patterns: provenPatterns }
        const plan = Result.getOrThrow(bind({ field: "amount", ...clause }, fields, moment))
        if (Plan.hasPattern(plan)) continue
        const parameters = new SqlParameters()
        const expression = filterSql(plan, { id: owner, own: new Set(), relations: new Map() }, parameters)
        const found = yield* sql.unsafe<{ readonly answer: boolean | null }>(
          `select ${expression} as answer from table_row r where r.table_id = ${parameters.text(owner)} order by r.id`,
          parameters.values
        )
        expect([clause, ...found.map(({ answer }) => answer)]).toEqual([clause, ...answers.map(([, answer]) => answer)])
      }
    }).pipe(Effect.provide(database(inject("postgres"))))
  )

  it.live("takes filters for values, whatever they hold, and never for statements", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const fields: FilterFields = new Map(hostile.map((key) => [key, { type: "text" }] as const))
      const row: RowValues = Object.fromEntries(hostile.map((key) => [key, key]))
      yield* insert("row_1", tableId, row, fields)
      const moment = { now: Timestamp.make(truthNow), zone: "UTC", patterns: provenPatterns }
      for (const field of hostile)
        for (const value of hostile)
          for (const op of ["eq", "contains", "starts-with", "ends-with", "lte", "in"] as const) {
            const node = { field, op, value: op === "in" ? [value] : value }
            const plan = Result.getOrThrow(bind(node, fields, moment))
            const { text, values } = statement(plan)
            for (const part of hostile.filter((one) => one.length > 3)) expect(text).not.toContain(part)
            const [found] = yield* sql.unsafe<{ readonly answer: boolean }>(text, values)
            expect([node, found!.answer]).toEqual([node, compile(plan)(row)])
          }
      expect(yield* sql`select count(*)::int as rows from table_row`).toEqual([{ rows: 1 }])
    }).pipe(Effect.provide(database(inject("postgres"))))
  )

  it.live(
    `answers in PostgreSQL what the compiled filter answers, on ${filterCount * rowCount} random pairs of filter and row`,
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const random = new Seeded(20_264)
        const { rows, lookup } = yield* arrange(random)
        const seen = { true: 0, false: 0, null: 0 }
        for (let n = 0; n < filterCount; n++) {
          const withPatterns = random.once(4)
          const filter = randomFilter(random, 5, withPatterns)
          const moment = { now: Timestamp.make(random.pick(moments)), zone: random.pick(zones) }
          const plan = Result.getOrThrow(bind(filter, randomFields, { ...moment, patterns: provenPatterns }))
          const isTrue = compile(plan)
          const isFalse = compile(Plan.not(plan))
          const { text, values } = statement(plan)
          const found = yield* sql.unsafe<{ readonly id: string; readonly answer: boolean | null }>(text, values)
          expect(found).toHaveLength(rowCount)
          for (const { id, answer } of found) {
            const row = rows.get(id)!
            const wanted = isTrue(row, lookup) ? true : isFalse(row, lookup) ? false : null
            // A pattern is left out: every row that passes is found, and some are found that do not.
            const agrees = Plan.hasPattern(plan) ? answer === true || wanted !== true : answer === wanted
            if (!agrees)
              expect({ filter, row, ...moment, answer, text }).toEqual({ filter, row, ...moment, answer: wanted, text })
            seen[String(wanted) as keyof typeof seen]++
          }
        }
        for (const count of Object.values(seen)) expect(count).toBeGreaterThan((filterCount * rowCount) / 10)
      }).pipe(Effect.provide(database(inject("postgres")))),
    3_600_000
  )
})
