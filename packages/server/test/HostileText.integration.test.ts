/** Text that would like to be more than text, at every place of the API of tables that takes some. */
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { startTableServer, type Loose, type TableServer } from "./tableServer.ts"

const hostile = [
  "'; drop table tables; --",
  "' or '1'='1",
  '"; delete from table_rows; --',
  "') or true --",
  "$1",
  "$$ select 1 $$",
  "${1}",
  "{{7*7}}",
  "%s %n %",
  "_%\\",
  "\\",
  "\\'; select pg_sleep(9); --",
  "a\nb\r\tc",
  "name = name or 1=1",
  "values->>'name'",
  'name"::text',
  "::jsonb",
  "pg_catalog.pg_class",
  "__proto__",
  "constructor",
  "hasOwnProperty",
  "toString",
  "__proto__.polluted",
  "constructor.prototype",
  "owner.__proto__",
  "\u202e\u200b\ufeff",
  "ı\u0130ß\u1e9e",
  "=cmd|' /C calc'!A0",
  "<script>alert(1)</script>",
  "x".repeat(2_000)
] as const
const unstorable = ["\u0000", "a\u0000b", "\ud800", "\udc00x"] as const
const long = ["x".repeat(100_000), "'".repeat(100_000), "\\".repeat(50_000)] as const

let server: TableServer
let table: Loose
let rowId: string
let before: ReadonlyArray<string>

const keys = ["name", "amount", "due", "seen", "done", "state", "tags", "owner", "mail", "site", "extra"]
const at = (path: string) => `/${table.id}${path}`

/** Everything there is, as text. */
const everything = async (): Promise<ReadonlyArray<string>> => {
  const tables = await server.get("")
  return Promise.all(
    tables.map(async ({ id }: Loose) => (await server.ask(`/${id}/rows`)).text + (await server.ask(`/${id}`)).text)
  )
}

/** Refused as wrong, whatever it is; never an error of ours. */
const expectRefused = ({ status, text }: { readonly status: number; readonly text: string }, what: string) => {
  expect([400, 422], `${what.slice(0, 200)} ${status} ${text.slice(0, 500)}`).toContain(status)
}

beforeAll(async () => {
  server = await startTableServer(inject("postgres"))
  const types = ["text", "number", "date", "datetime", "boolean", "select", "multi_select", "", "email", "url", "json"]
  const people = await server.get("", { json: { name: "People", fields: [{ key: "name", name: "N", type: "text" }] } })
  await server.get(`/${people.id}/rows`, { json: { rows: [{ values: { name: "Desk" } }] } })
  const fields = keys.map((key, place) =>
    key === "owner"
      ? { key, name: key, type: "relation", options: { relation: { tableId: people.id } } }
      : { key, name: key, type: types[place] }
  )
  table = await server.get("", { json: { name: "Target", fields } })
  const rows = ["one", "two"].map((name) => ({ values: { name, amount: 1 }, externalKey: name }))
  rowId = (await server.get(at("/rows"), { json: { rows } }))[0].id
  before = await everything()
})
afterAll(() => server?.stop())

const texts = [...hostile, ...long]

describe("hostile text", () => {
  it("is no field to filter by, anywhere in a filter", async () => {
    for (const text of texts) {
      for (const filter of [
        { field: text, op: "eq", value: 1 },
        { field: `owner.${text}`, op: "is-null" },
        { field: "name", op: "eq", value: { $field: text } },
        { field: "name", op: text, value: 1 },
        { logic: text, conditions: [] },
        { field: "name", op: "eq", value: "x", [text]: 1 },
        { logic: "not", condition: { logic: "and", conditions: [{ field: text, op: "is-null" }] } }
      ]) {
        expectRefused(await server.ask(at("/rows/query"), { json: { filter } }), JSON.stringify(filter))
      }
    }
  })

  it("is plain text as the value of a filter", async () => {
    const ops = ["eq", "neq", "gt", "contains", "starts-with", "ends-with", "matches", "in", "nin", "between"]
    // Each text meets each field and each operator, and each field each operator.
    for (const [place, key] of keys.entries()) {
      for (const [n, text] of hostile.entries()) {
        const op = ops[(place + n) % ops.length]
        const value = op === "in" || op === "nin" ? [text] : op === "between" ? { start: text, end: text } : text
        const json = { filter: { field: key, op, value } }
        const told = await server.ask(at("/rows/query"), { json })
        const what = `${JSON.stringify(json)} ${told.text}`
        expect([200, 422], what).toContain(told.status)
        if (told.status === 200 && (op === "eq" || op === "contains")) expect(told.body.data, what).toEqual([])
      }
    }
  }, 600_000)

  it("is no order, no choice of fields and no zone", async () => {
    for (const text of texts) {
      for (const json of [
        { sort: [{ field: text }] },
        { sort: [{ field: text, desc: true }] },
        { fields: [text] },
        { timezone: text }
      ]) {
        expectRefused(await server.ask(at("/rows/query"), { json }), JSON.stringify(json))
      }
      if (text.length > 1_000) continue
      for (const name of ["sort", "fields", "filter"]) {
        const query = new URLSearchParams({ [name]: text })
        expectRefused(await server.ask(at(`/rows?${query}`)), `${name}=${text}`)
      }
      const cursor = await server.ask(at(`/rows?${new URLSearchParams({ cursor: text })}`))
      expect(cursor.status, text).toBe(400)
    }
  })

  it("is no key of a value, no id and no key of a field", async () => {
    for (const text of texts) {
      const values = { [text]: 1 }
      expectRefused(await server.ask(at("/rows"), { json: { rows: [{ values }] } }), text)
      expectRefused(await server.ask(at(`/rows/${rowId}`), { method: "PUT", json: { values } }), text)
      expectRefused(
        await server.ask(at(`/rows/${rowId}`), { method: "PUT", json: { values: {}, release: [text] } }),
        text
      )
      const gone = await server.ask(at("/rows/delete"), { json: { ids: [rowId, text] } })
      expect([404, 422], text).toContain(gone.status)
      const unknown = await server.ask(at("/rows"), { method: "PUT", json: { rows: [{ id: text, values: {} }] } })
      expect([404, 422], text).toContain(unknown.status)
      expectRefused(await server.ask(at(""), { method: "PUT", json: { keyFields: [text] } }), text)
      // These three are keys like any other.
      if (["constructor", "hasOwnProperty", "toString"].includes(text)) continue
      expectRefused(await server.ask(at("/fields"), { json: { key: text, name: "F", type: "text" } }), text)
    }
    expect(await everything()).toEqual(before)
  }, 600_000)

  it("is kept as it is in cells, names, choices and external keys", async () => {
    const made: Array<string> = []
    for (const text of hostile) {
      // Names are of one line, and not blank; cells hold anything.
      const name = `n${text.replaceAll(/[\n\v\f\r\u0085\u2028\u2029]/g, " ")}`.slice(0, 200)
      const fields = [
        { key: "name", name, type: "text" },
        { key: "kind", name: "K", type: "select", options: { choices: [{ id: "k", label: name }] } },
        { key: "extra", name: "E", type: "json" },
        { key: "constructor", name: "C", type: "text" }
      ]
      const own = await server.get("", { json: { name, fields } })
      made.push(own.id)
      expect([own.name, own.fields[0].name]).toEqual([name, name])
      const extra = { [`k${text}`]: [text] }
      const externalKey = text.slice(0, 200)
      const rows = [{ values: { name: text, kind: name, extra, constructor: text }, externalKey }]
      const [outcome] = await server.get(`/${own.id}/rows`, { json: { rows } })
      const again = await server.get(`/${own.id}/rows`, { json: { rows, mode: "upsert" } })
      expect(again).toEqual([{ id: outcome.id, status: "unchanged" }])
      const read = await server.get(`/${own.id}/rows/${outcome.id}`)
      expect(read.values).toEqual({ name: text, kind: "k", extra, constructor: text })
      expect(read.externalKey).toBe(externalKey)
      for (const field of ["name", "constructor"]) {
        for (const op of ["eq", "contains", "starts-with", "ends-with"]) {
          const json = { filter: { field, op, value: text } }
          const rowsFound = await server.get(`/${own.id}/rows/query`, { json })
          expect(rowsFound, JSON.stringify(json)).toHaveLength(1)
        }
      }
    }
    for (const id of made) {
      await server.get(`/${id}`, { method: "DELETE" })
      await server.get(`/${id}?permanent=true`, { method: "DELETE" })
    }
    expect(await everything()).toEqual(before)
  }, 600_000)

  it("that JavaScript objects have as names is a key like any other", async () => {
    const names = ["constructor", "toString", "hasOwnProperty", "valueOf"]
    const fields = names.map((key) => ({ key, name: key, type: "text", required: key === "toString" }))
    const own = await server.get("", { json: { name: "Names", fields, keyFields: ["constructor"] } })
    const add = (rows: ReadonlyArray<object>, mode: string) =>
      server.ask(`/${own.id}/rows`, { json: { rows: rows.map((values) => ({ values })), mode } })

    const missing = await add([{ constructor: "a" }], "insert")
    expect([missing.status, missing.body.details]).toEqual([
      422,
      [{ field: "rows[0].values.toString", message: "is required" }]
    ])
    const keyless = await add([{ toString: "a" }], "upsert")
    expect(keyless.status, keyless.text).toBe(422)
    const both: ReadonlyArray<Loose> = [
      { constructor: "a", toString: "b" },
      { constructor: "A2", toString: "b", valueOf: "c" }
    ]
    const made = await add(both, "insert")
    expect(made.status, made.text).toBe(201)
    const again = await add(both, "upsert")
    expect(again.body.data.map(({ status }: Loose) => status)).toEqual(["unchanged", "unchanged"])

    const found = async (json: object) =>
      (await server.get(`/${own.id}/rows/query`, { json })).map(({ values }: Loose) => values.constructor)
    expect(await found({ sort: [{ field: "valueOf" }] })).toEqual(["A2", "a"])
    expect(await found({ sort: [{ field: "hasOwnProperty" }, { field: "constructor", desc: true }] })).toEqual([
      "A2",
      "a"
    ])
    expect(await found({ filter: { field: "valueOf", op: "is-null" } })).toEqual(["a"])
    expect(await found({ filter: { field: "hasOwnProperty", op: "matches", value: "." } })).toEqual([])
    expect(await found({ filter: { field: "toString", op: "eq", value: { $field: "valueOf" } } })).toEqual([])
    const [first] = await server.get(`/${own.id}/rows?fields=valueOf`)
    expect(Object.keys(first.values).filter((key) => key !== "valueOf")).toEqual([])
    await server.get(`/${own.id}/fields/${own.fields[3].id}`, { method: "DELETE" })
    await server.get(`/${own.id}`, { method: "DELETE" })
    expect(await everything()).toEqual(before)
  })

  it("that looks like a number read with all its digits is an object like any other", async () => {
    const rows = [{ values: { amount: { rawJSON: "5" } } }]
    expectRefused(await server.ask(at("/rows"), { json: { rows } }), "rawJSON")
    const extra = { rawJSON: "not json" }
    const [{ id }] = await server.get(at("/rows"), { json: { rows: [{ values: { extra } }] } })
    expect((await server.get(at(`/rows/${id}`))).values.extra).toEqual(extra)
    await server.get(at(`/rows/${id}`), { method: "DELETE" })
  })

  it("that no database can hold is refused at the door", async () => {
    for (const text of unstorable) {
      for (const [path, json] of [
        ["", { name: text, fields: [] }],
        [at("/rows"), { rows: [{ values: { name: text } }] }],
        [at("/rows"), { rows: [{ values: { extra: { deep: [text] } } }] }],
        [at("/rows"), { rows: [{ values: { [text]: 1 } }] }],
        [at("/rows/query"), { filter: { field: "name", op: "eq", value: text } }],
        [at("/fields"), { name: text, type: "text" }]
      ] as const) {
        const told = await server.ask(path, { json })
        expect([told.status, told.body.code], told.text).toEqual([400, "INVALID_ENCODING"])
      }
    }
  })

  it("that is very long has no place in a row or a name", async () => {
    for (const text of long) {
      expectRefused(await server.ask("", { json: { name: text, fields: [] } }), "name")
      expectRefused(await server.ask(at("/fields"), { json: { name: text, type: "text" } }), "field")
      expectRefused(await server.ask(at("/rows"), { json: { rows: [{ values: { name: text } }] } }), "cell")
      const json = { filter: { field: "name", op: "contains", value: text } }
      expectRefused(await server.ask(at("/rows/query"), { json }), "filter")
      const pattern = { filter: { field: "name", op: "matches", value: text } }
      expectRefused(await server.ask(at("/rows/query"), { json: pattern }), "pattern")
    }
  })

  it("leaves everything as it was", async () => {
    expect(await everything()).toEqual(before)
    expect(({} as Loose).polluted).toBeUndefined()
  })
})
