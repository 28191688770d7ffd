/** What the use cases of tables are asked, and under which conditions (decisions 1.3, 1.10 and 5.7). */
import { afterAll, describe, expect, it } from "vitest"
import { pathOf } from "./fakes/Operations.ts"
import * as Records from "./fakes/Records.ts"
import * as Server from "./fakes/Server.ts"

const server = Server.make()
afterAll(() => server.dispose())

const table = pathOf("/v1/tables/{table_id}")
const row = pathOf("/v1/tables/{table_id}/rows/{row_id}")

const asked = (operation: string): Server.Loose => server.calls[operation]?.at(-1)
/** With the digits of raw numbers, which no comparison sees. */
const written = (operation: string): string => JSON.stringify(asked(operation))
const send = (method: string, path: string, body: string) => server.call(method, path, { body })

const detailsOf = async (filter: string) =>
  (await server.call("GET", `${table}/rows?filter=${encodeURIComponent(filter)}`)).body.details

describe("numbers in values", () => {
  const numbers =
    '{"a":0.1,"b":12345678901234567890.12,"c":1e2,"d":{"deep":[0.10000000000000000001,"0.1"]},"e":-0.30,"f":1e999}'
  const kept =
    '{"a":0.1,"b":12345678901234567890.12,"c":100,"d":{"deep":[0.10000000000000000001,"0.1"]},"e":-0.3,"f":1e999}'

  it("reach the kernel with every digit, in new rows", async () => {
    const answer = await send("POST", `${table}/rows`, `{"rows":[{"values":{}},{"values":${numbers}}]}`)
    expect(answer.status, answer.text).toBe(201)
    expect(written("createRows")).toBe(`{"rows":[{"values":{}},{"values":${kept}}],"mode":"insert"}`)
    expect(answer.body).toEqual({
      success: true,
      data: [{ id: Records.row.id, status: "created" }],
      meta: { count: 1, hasMore: false },
      links: { self: `${table}/rows` }
    })
  })

  it("reach the kernel with every digit, in changed rows", async () => {
    await send("PUT", row, `{"values":${numbers},"version":3}`)
    expect(written("updateRow")).toBe(`{"values":${kept},"version":3}`)
    await send("PUT", `${table}/rows`, `{"rows":[{"id":"x","values":${numbers},"other":1}]}`)
    expect(written("updateRows")).toBe(`[{"id":"x","values":${kept}}]`)
  })

  it("reach the kernel with every digit, as defaults of fields", async () => {
    await send("POST", `${table}/fields`, '{"name":"N","type":"number","default":12345678901234567890.12}')
    expect(written("createField")).toBe('{"name":"N","type":"number","default":12345678901234567890.12}')
    await send("PUT", pathOf("/v1/tables/{table_id}/fields/{field_id}"), '{"default":0.10000000000000000001}')
    expect(written("updateField")).toBe('{"default":0.10000000000000000001}')
    const fields = '[{"name":"A","type":"text","default":null},{"name":"N","type":"number","default":1.50}]'
    await send("POST", "/v1/tables", `{"name":"T","fields":${fields}}`)
    expect(written("createTable")).toBe(
      '{"name":"T","fields":[{"name":"A","type":"text"},{"name":"N","type":"number","default":1.5}]}'
    )
  })

  it("reach the kernel with every digit, in filters and their parameters", async () => {
    const filter = '{"field":"a","op":"gt","value":12345678901234567890.12}'
    await server.call("GET", `${table}/rows?filter=${encodeURIComponent(filter)}`)
    expect(written("queryRows")).toBe(`{"filter":${filter}}`)
    const body = `{"filter":${filter},"params":{"p":[9007199254740993,"9007199254740993"]}}`
    await send("POST", `${table}/rows/query`, body)
    expect(written("queryRows")).toBe(body)
  })

  it("are never taken for a name, however many digits they have", async () => {
    for (const number of ["12", "9007199254740993", "0.1000000000000000055511151231257828", "1e400"]) {
      for (const [path, field, body] of [
        ["/v1/tables", "name", `{"name":${number},"fields":[]}`],
        [`${table}/fields`, "key", `{"key":${number},"name":"N","type":"text"}`],
        [`${table}/rows`, "rows[0].externalKey", `{"rows":[{"values":{},"externalKey":${number}}]}`],
        [`${table}/rows/query`, "sort[0].field", `{"sort":[{"field":${number}}]}`],
        [`${table}/rows/query`, "fields[0]", `{"fields":[${number}]}`],
        [`${table}/rows/query`, "filter.field", `{"filter":{"field":${number},"op":"eq","value":1}}`],
        [
          `${table}/rows/query`,
          "filter.value.$param",
          `{"filter":{"field":"a","op":"eq","value":{"$param":${number}}}}`
        ]
      ] as const) {
        const answer = await send("POST", path, body)
        expect([answer.status >= 400 && answer.status < 500, answer.body.details?.[0]?.field], answer.text).toEqual([
          true,
          field
        ])
      }
    }
  })

  it("are refused where something else belongs", async () => {
    const answer = await send("PUT", row, '{"values":{},"version":12345678901234567890}')
    expect([answer.status, answer.body.details[0].field]).toEqual([400, "version"])
  })
})

describe("values", () => {
  it("keep names that mean something to JavaScript as plain names", async () => {
    await send("POST", `${table}/rows`, '{"rows":[{"values":{"__proto__":{"x":1},"constructor":2,"toString":null}}]}')
    const { values } = asked("createRows").rows[0]
    expect(Object.keys(values)).toEqual(["__proto__", "constructor", "toString"])
    expect(Object.getPrototypeOf(values)).toBe(Object.prototype)
    await send("POST", `${table}/rows/query`, '{"params":{"__proto__":1}}')
    expect(Object.keys(asked("queryRows").params)).toEqual(["__proto__"])
  })
})

describe("queries of rows", () => {
  it("read sort and fields from lists", async () => {
    await server.call("GET", `${table}/rows?sort=-amount,memo,account.name&fields=memo,amount&limit=7&trashed=true`)
    expect(asked("queryRows")).toEqual({
      sort: [{ field: "amount", desc: true }, { field: "memo" }, { field: "account.name" }],
      fields: ["memo", "amount"],
      limit: 7,
      trashed: true
    })
  })

  it("need no body, and tell the total only where it was asked for", async () => {
    const plain = await server.call("POST", `${table}/rows/query`)
    expect([plain.status, plain.body.meta]).toEqual([200, { count: 1, hasMore: false }])
    const counted = await server.json("POST", `${table}/rows/query`, { includeTotal: true, limit: 1 })
    expect(counted.body.meta).toEqual({ count: 1, hasMore: true, cursor: "next", nextCursor: "next", total: 7 })
    expect(counted.body.links).toEqual({ self: `${table}/rows/query` })
  })

  it("are refused with the place of each fault in the filter", async () => {
    const filter = {
      logic: "and",
      conditions: [
        { field: "a", op: "is-null" },
        { field: "a", op: "like", value: 1 }
      ]
    }
    const posted = await server.json("POST", `${table}/rows/query`, { filter })
    const got = await server.call("GET", `${table}/rows?filter=${encodeURIComponent(JSON.stringify(filter))}`)
    for (const answer of [posted, got]) {
      expect(answer.status).toBe(422)
      expect(answer.body).toMatchObject({ code: "FILTER_INVALID", details: [{ field: "filter.conditions[1].op" }] })
    }
  })

  it("are refused with a reason where the filter is no JSON or too long", async () => {
    expect(await detailsOf("{")).toEqual([{ field: "filter", message: "must be a filter as JSON" }])
    expect(await detailsOf(`"${"x".repeat(6_143)}"`)).toEqual([
      { field: "filter", message: "must be JSON of at most 6144 bytes; longer ones can be posted" }
    ])
  })
})

describe("faults of shape", () => {
  it("are told in words, each at its place", async () => {
    const rows = [{ values: [1] }, { values: {}, externalKey: 1 }]
    const { body } = await server.json("POST", `${table}/rows`, { rows, mode: "replace" })
    expect(body.details).toEqual([
      { field: "rows[0].values", message: "must be an object" },
      { field: "rows[1].externalKey", message: "must be text or null" },
      { field: "mode", message: "must be one of insert, upsert" }
    ])
  })
})

describe("versions", () => {
  it.each([
    ["updateTable", "PUT", table, "{}", Records.table.version],
    ["deleteTable", "DELETE", table, "", Records.table.version],
    ["updateField", "PUT", pathOf("/v1/tables/{table_id}/fields/{field_id}"), "{}", Records.table.version],
    ["deleteField", "DELETE", pathOf("/v1/tables/{table_id}/fields/{field_id}"), "", Records.table.version],
    ["updateRow", "PUT", row, '{"values":{}}', Records.row.version],
    ["deleteRow", "DELETE", row, "", Records.row.version]
  ] as const)("are demanded with If-Match: %s", async (_, method, path, body, version) => {
    const status = async (ifMatch: string) =>
      (await server.call(method, path, { ...(body === "" ? {} : { body }), headers: { "if-match": ifMatch } })).status
    expect(await status(`"${version}"`)).toBe(200)
    expect(await status("*")).toBe(200)
    expect(await status(`"${version - 1}"`)).toBe(412)
    expect(await status("nonsense")).toBe(412)
  })

  it.each([
    ["table", table, Records.table.version],
    ["row", row, Records.row.version]
  ] as const)("are told with a %s, and spare its body", async (_, path, version) => {
    const etag = `"${version}"`
    expect((await server.call("GET", path)).headers.get("etag")).toBe(etag)
    const known = await server.call("GET", path, { headers: { "if-none-match": etag } })
    expect([known.status, known.text]).toEqual([304, ""])
  })
})

describe("the trash", () => {
  it("is what deletions go to, unless they are permanent", async () => {
    const answer = await server.call("DELETE", table)
    expect(answer.body).toEqual({ success: true, data: { deleted: true } })
    expect(asked("deleteTable")).toEqual({ permanent: false, ifVersion: undefined })
    await server.call("DELETE", `${table}?permanent=true`)
    expect(asked("deleteTable")).toEqual({ permanent: true, ifVersion: undefined })
    await server.call("GET", "/v1/tables?trashed=true&folderId=fol_1")
    expect(asked("listTables")).toEqual({ trashed: true, folderId: "fol_1" })
  })
})

describe("changes", () => {
  it("hand on null as what clears, and leave out what was not given", async () => {
    await server.json("PUT", table, { icon: null, description: null, name: "N", rowCount: 9 })
    expect(asked("updateTable")).toEqual({ icon: null, description: null, name: "N" })
    await server.json("PUT", pathOf("/v1/tables/{table_id}/fields/{field_id}"), {
      default: null,
      options: null,
      key: "z"
    })
    expect(asked("updateField")).toEqual({ default: null, options: null })
  })
})
