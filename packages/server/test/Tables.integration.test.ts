/** Tables through the API, from their making to the trash and back, on PostgreSQL. */
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { startTableServer, type Loose, type TableServer } from "./tableServer.ts"

let server: TableServer
let people: Loose
let table: Loose
/** Ids of rows by name. */
let ids: Readonly<Record<string, string>>
let persons: ReadonlyArray<string>

const put = { method: "PUT" } as const
const remove = { method: "DELETE" } as const
const post = { method: "POST" } as const
const at = (path: string) => `/${table.id}${path}`

const fields = (peopleId: string) => [
  { key: "name", name: "Name", type: "text", required: true },
  { key: "amount", name: "Amount", type: "number", options: { scale: 4 }, indexed: true },
  { key: "price", name: "Price", type: "currency", options: { currency: "EUR" }, default: 1.5 },
  { key: "due", name: "Due", type: "date", indexed: true },
  { key: "seen", name: "Seen", type: "datetime" },
  { key: "done", name: "Done", type: "boolean" },
  {
    key: "state",
    name: "State",
    type: "select",
    options: { choices: [{ label: "Open" }, { id: "paid", label: "Paid", color: "green" }] }
  },
  { key: "tags", name: "Tags", type: "multi_select", options: { choices: [{ label: "a" }, { label: "b" }] } },
  { key: "owner", name: "Owner", type: "relation", options: { relation: { tableId: peopleId } } },
  { key: "team", name: "Team", type: "relation", options: { relation: { tableId: peopleId, many: true } } },
  { key: "mail", name: "Mail", type: "email" },
  { key: "site", name: "Site", type: "url" },
  { key: "extra", name: "Extra", type: "json" },
  { key: "constructor", name: "Constructor", type: "text" }
]

const names = (rows: ReadonlyArray<Loose>): ReadonlyArray<string> => rows.map(({ values }) => values.name)
const found = async (filter: unknown, more: object = {}): Promise<ReadonlyArray<string>> =>
  names(await server.get(at("/rows/query"), { json: { filter, sort: [{ field: "name" }], ...more } }))

beforeAll(async () => {
  server = await startTableServer(inject("postgres"))
  people = await server.get("", { json: { name: "People", fields: [{ name: "Name", type: "text" }] } })
  const made = await server.get(`/${people.id}/rows`, {
    json: { rows: ["Desk", "Lamp"].map((name) => ({ values: { name } })) }
  })
  persons = made.map(({ id }: Loose) => id)
  table = await server.get("", {
    json: { name: "Invoices", icon: "coin", fields: fields(people.id), keyFields: ["name"] }
  })
})
afterAll(() => server?.stop())

describe("a table", () => {
  it("has fields of every type, with their options", async () => {
    const read = await server.get(at(""))
    expect(read.fields.map(({ key, type }: Loose) => [key, type])).toEqual(
      fields("").map(({ key, type }) => [key, type])
    )
    expect(read).toMatchObject({
      name: "Invoices",
      icon: "coin",
      keyFields: ["name"],
      rowCount: 0,
      version: 1,
      source: { kind: "manual", id: null },
      trashedAt: null
    })
    const byKey = Object.fromEntries(read.fields.map((field: Loose) => [field.key, field]))
    expect(byKey.state.options.choices).toEqual([
      { id: "open", label: "Open" },
      { id: "paid", label: "Paid", color: "green" }
    ])
    expect(byKey.price).toMatchObject({ options: { currency: "EUR" }, default: 1.5 })
    expect(byKey.owner.options).toEqual({ relation: { tableId: people.id, many: false } })
    expect(byKey.amount).toMatchObject({ options: { scale: 4 }, indexed: true, required: false, origin: "user" })
  })

  it("is refused with every fault at its place", async () => {
    const bad = [
      { key: "a", name: "A", type: "file" },
      { key: "a", name: "B", type: "text" },
      { name: "C", type: "number", options: { scale: 13 } },
      { name: "D", type: "text", options: { currency: "EUR" } },
      { name: "E", type: "relation", options: { relation: { tableId: "' or 1=1 --" } } }
    ]
    const { body, status } = await server.ask("", { json: { name: "Bad", fields: bad, keyFields: ["nope"] } })
    expect([status, body.code]).toEqual([422, "VALIDATION_FAILED"])
    expect(body.details.map(({ field }: Loose) => field)).toEqual(
      expect.arrayContaining([
        "fields[0].type",
        "fields[1].key",
        "fields[2].options.scale",
        "fields[3].options.currency",
        "fields[4].options.relation.tableId"
      ])
    )
  })
})

describe("rows", () => {
  it("keep every digit of their numbers and all that JSON can say", async () => {
    const text = `{"rows":[
      {"values":{"name":"one","amount":0.1,"price":12345678901234567890.12,"due":"2026-01-31","seen":"2026-01-31T12:00:00+02:00",
        "done":true,"state":"open","tags":["a","b"],"owner":"${persons[0]}","team":["${persons[0]}","${persons[1]}"],
        "mail":"desk@example.com","site":"https://example.com/?a=1","constructor":"plain",
        "extra":{"n":12345678901234567890.12,"e":1e2,"list":[0.1,null,"x"],"__proto__":{"deep":true}}}},
      {"values":{"name":"two","amount":1e2,"price":null,"due":"2026-02-28","done":false,"state":"paid","extra":[1,2]}},
      {"values":{"name":"three","amount":-7.25,"tags":["b"],"owner":"${persons[1]}","extra":"text"},"externalKey":"k3"},
      {"values":{"name":"four"}}
    ]}`
    const told = await server.ask(at("/rows"), { text })
    expect(told.status, told.text).toBe(201)
    expect(told.body.data.map(({ status }: Loose) => status)).toEqual(Array(4).fill("created"))
    ids = Object.fromEntries(["one", "two", "three", "four"].map((name, row) => [name, told.body.data[row].id]))

    const one = await server.ask(at(`/rows/${ids["one"]}`))
    expect(one.etag).toBe('"1"')
    expect(one.text).toContain('"amount":0.1,')
    expect(one.text).toContain('"price":12345678901234567890.12,')
    expect(one.text).toContain('{"n":12345678901234567890.12,"e":100,"list":[0.1,null,"x"],"__proto__":{"deep":true}}')
    expect(one.body.data.values).toMatchObject({
      seen: "2026-01-31T10:00:00.000Z",
      done: true,
      tags: ["a", "b"],
      team: persons,
      constructor: "plain"
    })
    const two = (await server.get(at(`/rows/${ids["two"]}`))).values
    expect([two.amount, two.price ?? null, two.extra]).toEqual([100, null, [1, 2]])
    const four = await server.get(at(`/rows/${ids["four"]}`))
    expect(four.values).toMatchObject({ name: "four", price: 1.5 })
    expect(four).toMatchObject({ tableId: table.id, externalKey: null, held: [], version: 1, trashedAt: null })
    expect((await server.get(at(""))).rowCount).toBe(4)
  })

  it("are refused with every fault at its place, and none is made", async () => {
    const rows = [
      { values: { name: "ok" } },
      { values: { amount: 1 } },
      {
        values: { name: "x", amount: 0.12345, due: "2026-02-30", state: "gone", owner: "row_x", nope: 1, done: "yes" }
      },
      { values: { name: "y", mail: "nobody", site: "javascript:alert(1)", tags: "a", seen: "2026-01-01" } }
    ]
    const { body, status } = await server.ask(at("/rows"), { json: { rows } })
    expect([status, body.code]).toEqual([422, "VALIDATION_FAILED"])
    const places = body.details.map(({ field }: Loose) => field)
    for (const place of ["amount", "due", "state", "owner", "nope", "done"])
      expect(places).toContain(`rows[2].values.${place}`)
    for (const place of ["mail", "site", "tags", "seen"]) expect(places).toContain(`rows[3].values.${place}`)
    expect(places.filter((place: string) => /^rows\[[01]\]/.test(place))).toEqual(["rows[1].values.name"])
    const missing = await server.ask(at("/rows"), { json: { rows: [{ values: { name: "ok" } }, { values: {} }] } })
    expect([missing.status, missing.body.details]).toEqual([
      422,
      [{ field: "rows[1].values.name", message: "is required" }]
    ])
    expect((await server.get(at(""))).rowCount).toBe(4)
  })

  it("are upserted by the key fields of the table", async () => {
    const rows = [
      { values: { name: "one", amount: "0.1" } },
      { values: { name: "two", amount: 101 } },
      { values: { name: "five", amount: 5 } }
    ]
    const outcomes = await server.get(at("/rows"), { json: { rows, mode: "upsert" } })
    expect(outcomes.map(({ status }: Loose) => status)).toEqual(["unchanged", "updated", "created"])
    expect(outcomes.slice(0, 2).map(({ id }: Loose) => id)).toEqual([ids["one"], ids["two"]])
    ids = { ...ids, five: outcomes[2].id }
    expect((await server.get(at(`/rows/${ids["two"]}`))).values).toMatchObject({ amount: 101, state: "paid" })
  })

  it("are not inserted twice under one external key", async () => {
    const { body, status } = await server.ask(at("/rows"), {
      json: { rows: [{ values: { name: "again" }, externalKey: "k3" }] }
    })
    expect([status, body.code]).toEqual([409, "ALREADY_EXISTS"])
  })
})

describe("filters", () => {
  it.each<readonly [unknown, ReadonlyArray<string>]>([
    [{ field: "name", op: "eq", value: "ONE" }, ["one"]],
    [{ field: "name", op: "in", value: ["two", "five"] }, ["five", "two"]],
    [{ field: "name", op: "contains", value: "e" }, ["five", "one", "three"]],
    [{ field: "name", op: "matches", value: "^t" }, ["three", "two"]],
    [{ field: "amount", op: "eq", value: 0.1 }, ["one"]],
    [{ field: "amount", op: "gte", value: "5.0" }, ["five", "two"]],
    [{ field: "amount", op: "between", value: { min: -8, max: "0.1" } }, ["one", "three"]],
    [{ field: "amount", op: "is-null" }, ["four"]],
    [{ field: "price", op: "gt", value: "12345678901234567890.11" }, ["one"]],
    [{ field: "due", op: "lt", value: "2026-02-01" }, ["one"]],
    [{ field: "due", op: "between", value: { start: "2026-02-01", end: "2026-02-28" } }, ["two"]],
    [{ field: "due", op: "in", value: ["2026-01-31"] }, ["one"]],
    [{ field: "due", op: "has-passed" }, ["one", "two"]],
    [{ field: "seen", op: "eq", value: "2026-01-31" }, ["one"]],
    [{ field: "seen", op: "eq", value: { rel: "today" } }, []],
    [{ field: "done", op: "eq", value: false }, ["two"]],
    [{ field: "state", op: "eq", value: "Paid" }, ["two"]],
    [{ field: "state", op: "neq", value: "paid" }, ["one"]],
    [{ field: "tags", op: "contains", value: "b" }, ["one", "three"]],
    [{ field: "mail", op: "ends-with", value: "@EXAMPLE.com" }, ["one"]],
    [{ field: "owner.name", op: "eq", value: "desk" }, ["one"]],
    [{ field: "team.name", op: "eq", value: "lamp" }, ["one"]],
    [{ field: "constructor", op: "eq", value: "plain" }, ["one"]],
    [{ field: "constructor", op: "is-null" }, ["five", "four", "three", "two"]],
    [{ field: "constructor", op: "matches", value: "." }, ["one"]],
    [{ field: "extra", op: "eq", value: "text" }, ["three"]],
    [{ field: "amount", op: "eq", value: { $field: "price" } }, []],
    [{ field: "amount", op: "eq", value: { $param: "wanted" } }, ["two"]],
    [{ logic: "and", conditions: [] }, ["five", "four", "one", "three", "two"]],
    [{ logic: "or", conditions: [] }, []],
    [{ logic: "not", condition: { field: "amount", op: "gt", value: 0 } }, ["three"]],
    [
      {
        logic: "or",
        conditions: [
          { field: "done", op: "eq", value: true },
          { logic: "not", condition: { field: "name", op: "contains", value: "o" } }
        ]
      },
      ["five", "one", "three"]
    ]
  ])("find the rows they mean: %j", async (filter, expected) => {
    expect(await found(filter, { params: { wanted: 101 } })).toEqual(expected)
    const query = new URLSearchParams({ filter: JSON.stringify(filter), sort: "name" })
    // Only posted queries have parameters.
    if (JSON.stringify(filter).includes("$param")) return
    expect(names(await server.get(at(`/rows?${query}`)))).toEqual(expected)
  })

  it.each<readonly [unknown, string, string]>([
    [{ field: "nope", op: "is-null" }, "FILTER_INVALID", "filter.field"],
    [
      { logic: "and", conditions: [{ field: "due", op: "gt", value: "soon" }] },
      "FILTER_INVALID",
      "filter.conditions[0].value"
    ],
    [{ logic: "and", conditions: [{ field: "a", op: "like", value: 1 }] }, "FILTER_INVALID", "filter.conditions[0].op"],
    [{ field: "done", op: "gt", value: true }, "FILTER_INVALID", "filter.op"],
    [{ field: "name", op: "matches", value: "(?=x)" }, "UNSAFE_PATTERN", "filter.value"],
    [{ field: "name", op: "eq", value: { $param: "gone" } }, "PARAM_REQUIRED", "filter.value"]
  ])("are refused with the place of the fault: %j", async (filter, code, field) => {
    const { body, status, text } = await server.ask(at("/rows/query"), { json: { filter } })
    expect([status, body.code], text).toEqual([422, code])
    expect(body.details.map((detail: Loose) => detail.field)).toContain(field)
  })
})

describe("pages", () => {
  it("come in order, with rows without a value last, and go on by the cursor alone", async () => {
    const read: Array<string> = []
    let path = at("/rows?sort=-amount,name&limit=2&fields=name,amount")
    for (let page = 0; page < 9; page++) {
      const { body, status, text } = await server.ask(path)
      expect(status, text).toBe(200)
      for (const row of body.data) {
        read.push(row.values.name)
        expect(Object.keys(row.values).every((key) => key === "name" || key === "amount")).toBe(true)
      }
      if (body.meta.hasMore !== true) break
      expect(body.links.next).toContain("cursor=")
      path = at(`/rows?cursor=${encodeURIComponent(body.meta.cursor)}&limit=2`)
    }
    expect(read).toEqual(["two", "five", "one", "three", "four"])
  })

  it("count the rows of the whole query", async () => {
    const json = { filter: { field: "amount", op: "gt", value: 0 }, limit: 1, includeTotal: true }
    const first = (await server.ask(at("/rows/query"), { json })).body
    expect(first.meta).toMatchObject({ count: 1, hasMore: true, total: 3 })
    const second = (await server.ask(at("/rows/query"), { json: { cursor: first.meta.cursor } })).body
    expect(second.meta).toMatchObject({ count: 2, hasMore: false })
    expect(second.meta).not.toHaveProperty("total")
  })

  it("are refused where the cursor is another table's or none", async () => {
    const { cursor } = (await server.ask(at("/rows?limit=1"))).body.meta
    for (const path of [`/${people.id}/rows?cursor=${cursor}`, at("/rows?cursor=garbage")]) {
      const { body, status } = await server.ask(path)
      expect([status, body.code]).toEqual([400, "INVALID_CURSOR"])
    }
  })

  it("are refused where the order cannot be", async () => {
    for (const sort of ["nope", "name,amount,due,done", "tags"]) {
      const { status, text } = await server.ask(at(`/rows?sort=${sort}`))
      expect(status, text).toBe(422)
    }
  })
})

describe("changes", () => {
  it("merge values, clear with null and count versions", async () => {
    const path = at(`/rows/${ids["one"]}`)
    const changed = await server.get(path, { ...put, json: { values: { amount: 3, due: null }, version: 1 } })
    expect(changed).toMatchObject({ version: 2, values: { name: "one", amount: 3, state: "open" } })
    expect(changed.values.due ?? null).toBeNull()
  })

  it("are refused when they are about another version", async () => {
    const path = at(`/rows/${ids["one"]}`)
    const stale = await server.ask(path, { ...put, json: { values: {} }, headers: { "if-match": '"1"' } })
    expect([stale.status, stale.body.code]).toEqual([412, "PRECONDITION_FAILED"])
    const behind = await server.ask(path, { ...put, json: { values: {}, version: 1 } })
    expect([behind.status, behind.body.code]).toEqual([409, "INVALID_STATE"])
    const table1 = await server.ask(at(""), { ...put, json: { name: "X" }, headers: { "if-match": '"999"' } })
    expect(table1.status).toBe(412)
    const known = await server.ask(path, { headers: { "if-none-match": '"2"' } })
    expect([known.status, known.text]).toEqual([304, ""])
  })

  it("of many rows happen all or not at all", async () => {
    const rows = (version: number) => [
      { id: ids["two"], values: { amount: 7 } },
      { id: ids["one"], values: { amount: 8 }, version }
    ]
    const refused = await server.ask(at("/rows"), { ...put, json: { rows: rows(1) } })
    expect([refused.status, refused.body.code]).toEqual([409, "INVALID_STATE"])
    expect((await server.get(at(`/rows/${ids["two"]}`))).values.amount).toBe(101)
    const done = await server.get(at("/rows"), { ...put, json: { rows: rows(2) } })
    expect(done.map(({ values }: Loose) => values.amount)).toEqual([7, 8])
    const unknown = await server.ask(at("/rows"), { ...put, json: { rows: [{ id: "row_x", values: {} }] } })
    expect([404, 422]).toContain(unknown.status)
  })

  it("of fields keep the rows right", async () => {
    const taken = await server.ask(at("/fields"), { json: { key: "name", name: "N", type: "text" } })
    expect([taken.status, taken.body.code]).toEqual([409, "KEY_TAKEN"])
    const code = await server.get(at("/fields"), { json: { name: "Post code", type: "text" } })
    expect(code).toMatchObject({ key: "postCode", type: "text", origin: "user" })
    const path = at(`/fields/${code.id}`)
    await server.get(at(`/rows/${ids["one"]}`), { ...put, json: { values: { postCode: "x1" } } })
    const refused = await server.ask(path, { ...put, json: { type: "number" } })
    expect(refused.status, refused.text).toBe(422)
    await server.get(at(`/rows/${ids["one"]}`), { ...put, json: { values: { postCode: "10115" } } })
    expect(await server.get(path, { ...put, json: { type: "number", position: 0 } })).toMatchObject({ position: 0 })
    expect((await server.get(at(`/rows/${ids["one"]}`))).values.postCode).toBe(10115)
    expect(await server.get(path, remove)).toEqual({ deleted: true })
    expect((await server.get(at(`/rows/${ids["one"]}`))).values).not.toHaveProperty("postCode")
    const { id: keyId } = (await server.get(at(""))).fields.find(({ key }: Loose) => key === "name")
    const inUse = await server.ask(at(`/fields/${keyId}`), remove)
    expect([inUse.status, inUse.body.code]).toEqual([409, "FIELD_IN_USE"])
  })
})

describe("the trash", () => {
  it("takes rows and gives them back", async () => {
    const path = at(`/rows/${ids["four"]}`)
    expect(await server.get(path, remove)).toEqual({ deleted: true })
    expect((await server.ask(path)).status).toBe(404)
    expect((await server.ask(path, remove)).status).toBe(404)
    expect(names(await server.get(at("/rows?trashed=true")))).toEqual(["four"])
    expect(await server.get(`${path}/restore`, post)).toMatchObject({ trashedAt: null, values: { name: "four" } })
    const live = await server.ask(`${path}/restore`, post)
    expect([live.status, live.body.code]).toEqual([409, "INVALID_STATE"])
  })

  it("takes many rows or none", async () => {
    const gone = await server.ask(at("/rows/delete"), { json: { ids: [ids["four"], "row_x"] } })
    expect(gone.status).toBe(404)
    expect((await server.ask(at(`/rows/${ids["four"]}`))).status).toBe(200)
    expect(await server.get(at("/rows/delete"), { json: { ids: [ids["four"], ids["five"]] } })).toEqual({
      deleted: true
    })
    expect((await server.get(at(""))).rowCount).toBe(3)
  })

  it("takes tables, gives them back under a free name, and lets them go for good", async () => {
    const made = await server.get("", { json: { name: "Gone", fields: [] } })
    const path = `/${made.id}`
    const early = await server.ask(`${path}?permanent=true`, remove)
    expect([early.status, early.body.code]).toEqual([409, "INVALID_STATE"])
    expect(await server.get(path, remove)).toEqual({ deleted: true })
    expect((await server.ask(path)).status).toBe(404)
    expect((await server.ask(`${path}/rows`)).status).toBe(404)
    const [trashed] = await server.get("?trashed=true")
    expect(trashed).toMatchObject({ id: made.id, name: "Gone" })
    expect(Date.parse(trashed.purgeAt) - Date.parse(trashed.trashedAt)).toBe(30 * 86_400_000)
    await server.get("", { json: { name: "Gone", fields: [] } })
    expect(await server.get(`${path}/restore`, post)).toMatchObject({ name: "Gone (restored)", trashedAt: null })
    await server.get(path, remove)
    expect(await server.get(`${path}?permanent=true`, remove)).toEqual({ deleted: true })
    expect((await server.ask(`${path}/restore`, post)).status).toBe(404)
  })
})
