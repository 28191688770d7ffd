/** The operations of tables, with requests that succeed. */
import type { Sample } from "./Operations.ts"
import * as Records from "./Records.ts"

const reads = ["tables:read"] as const
const writes = ["tables:write"] as const
const byId = "/v1/tables/{table_id}"
const fields = `${byId}/fields`
const rows = `${byId}/rows`
const rowById = `${rows}/{row_id}`

const long = "x".repeat(201)
const flags = ["yes", "1", "", "TRUE"]
const limit = { limit: ["0", "-1", "1.5", "x", "", "1e2"] }
const cursors = { cursor: ["garbage", "old"] }
const options = [1, "x", []]

const newTable = { name: "T", icon: null, fields: [{ name: "Amount", type: "currency" }], other: [1] }
const newField = { name: "Kind", type: "select", options: { choices: [{ label: "A" }], other: 1 }, default: 1.5 }
const values = { amount: 0.1, memo: null, extra: { a: [1] } }

const traits = {
  options,
  required: [1, null, "true"],
  unique: ["x"],
  indexed: [0],
  description: [1, "x".repeat(2_001)]
}

const tooMany = Array.from({ length: 501 }, () => ({ values: {} }))

export const tableOperations: ReadonlyArray<Sample> = [
  {
    id: "createTable",
    method: "POST",
    template: "/v1/tables",
    status: 201,
    scopes: writes,
    body: newTable,
    faults: {
      name: [null, "", 5, long],
      icon: [1],
      description: [{}],
      folderId: [1],
      keyFields: [null, "a", {}],
      "keyFields[0]": [[1], [""]],
      fields: [null, {}, "x"],
      "fields[0]": [[null]],
      "fields[0].name": [[{ type: "text" }], [{ name: "", type: "text" }]],
      "fields[0].type": [[{ name: "a" }], [{ name: "a", type: "money" }]],
      "fields[0].key": [[{ name: "a", type: "text", key: "1a" }], [{ name: "a", type: "text", key: null }]],
      "fields[0].options.scale": [[{ name: "a", type: "number", options: { scale: "2" } }]],
      "fields[0].required": [[{ name: "a", type: "number", required: null }]]
    },
    required: ["name", "fields"]
  },
  {
    id: "listTables",
    method: "GET",
    template: "/v1/tables",
    status: 200,
    scopes: reads,
    faults: { trashed: flags, folderId: [""] },
    query: { trashed: ["true", "false"], folderId: ["fol_1"] }
  },
  { id: "getTable", method: "GET", template: byId, status: 200, scopes: reads },
  {
    id: "updateTable",
    method: "PUT",
    template: byId,
    status: 200,
    scopes: writes,
    body: { name: "New", description: null, fieldOrder: ["memo", "amount"] },
    faults: {
      name: [null, "", 5, long],
      icon: [1],
      keyFields: [null, "a"],
      fieldOrder: [null, 1],
      "fieldOrder[1]": [["a", 1]]
    }
  },
  {
    id: "deleteTable",
    method: "DELETE",
    template: byId,
    status: 200,
    scopes: writes,
    faults: { permanent: flags },
    query: { permanent: ["true", "false"] }
  },
  { id: "restoreTable", method: "POST", template: `${byId}/restore`, status: 200, scopes: writes },
  {
    id: "createField",
    method: "POST",
    template: fields,
    status: 201,
    scopes: writes,
    body: newField,
    faults: { key: ["A", "a b", "a".repeat(65), null], name: [null, "", long], type: ["money", null], ...traits },
    required: ["name", "type"]
  },
  {
    id: "updateField",
    method: "PUT",
    template: `${fields}/{field_id}`,
    status: 200,
    scopes: writes,
    body: { name: "New", options: null, default: null },
    faults: { name: [null, "", long], type: ["money", null], position: [-1, 1.5, "1", null], ...traits }
  },
  { id: "deleteField", method: "DELETE", template: `${fields}/{field_id}`, status: 200, scopes: writes },
  {
    id: "listRows",
    method: "GET",
    template: rows,
    status: 200,
    scopes: reads,
    faults: {
      ...limit,
      ...cursors,
      trashed: flags,
      sort: ["", ",", "a,", "-", "--a", "a,-"],
      fields: ["", ",a", "a,,b"],
      filter: [
        "",
        "{",
        "x",
        '{"field":"a","field":"b"}',
        "[1] 2",
        `"${"x".repeat(6_144)}"`,
        "[".repeat(33) + "]".repeat(33)
      ]
    },
    query: {
      limit: ["1", "999999999999999999999"],
      cursor: ["next"],
      trashed: ["true"],
      sort: ["amount", "-amount,memo"],
      fields: ["amount", "amount,memo"],
      filter: ['{"field":"amount","op":"gt","value":12345678901234567890.12}', '{"logic":"and","conditions":[]}']
    }
  },
  {
    id: "queryRows",
    method: "POST",
    template: `${rows}/query`,
    status: 200,
    scopes: reads,
    body: {
      filter: { field: "amount", op: "gt", value: 1 },
      sort: [{ field: "amount", desc: true }],
      limit: 5,
      other: 1
    },
    faults: {
      limit: [0, -1, 1.5, "5", null],
      cursor: ["garbage", "old", 1],
      sort: [null, "amount", {}],
      "sort[0]": [["amount"]],
      "sort[0].field": [[{}], [{ field: 1 }]],
      "sort[0].desc": [[{ field: "a", desc: "true" }]],
      fields: [null, "a"],
      "fields[0]": [[1], [""]],
      params: [null, 1, []],
      timezone: [1, ""],
      includeTotal: ["true", null]
    }
  },
  { id: "getRow", method: "GET", template: rowById, status: 200, scopes: reads },
  {
    id: "createRows",
    method: "POST",
    template: rows,
    status: 201,
    scopes: writes,
    body: {
      rows: [
        { values, externalKey: null },
        { values: {}, externalKey: "k" }
      ],
      mode: "upsert"
    },
    faults: {
      rows: [null, {}, [], tooMany],
      "rows[0]": [[null], [1]],
      "rows[0].values": [[{}], [{ values: null }], [{ values: [] }], [{ values: "x" }]],
      "rows[0].externalKey": [[{ values: {}, externalKey: "" }], [{ values: {}, externalKey: "x".repeat(257) }]],
      mode: ["replace", null]
    },
    required: ["rows"]
  },
  {
    id: "updateRows",
    method: "PUT",
    template: rows,
    status: 200,
    scopes: writes,
    body: { rows: [{ id: Records.row.id, values, version: 5, release: ["amount"] }] },
    faults: {
      rows: [null, [], tooMany.map((row) => ({ id: "x", ...row }))],
      "rows[0].id": [[{ values: {} }], [{ id: 1, values: {} }]],
      "rows[0].values": [[{ id: "x" }]],
      "rows[0].version": [[{ id: "x", values: {}, version: "1" }]],
      "rows[0].release": [[{ id: "x", values: {}, release: "a" }]]
    },
    required: ["rows"]
  },
  {
    id: "deleteRows",
    method: "POST",
    template: `${rows}/delete`,
    status: 200,
    scopes: writes,
    body: { ids: [Records.row.id] },
    faults: { ids: [null, [], {}, Array.from({ length: 501 }, () => "x")], "ids[0]": [[1]] },
    required: ["ids"]
  },
  {
    id: "updateRow",
    method: "PUT",
    template: rowById,
    status: 200,
    scopes: writes,
    body: { values, version: 5 },
    faults: { values: [null, [], "x"], version: ["5", 1.5, null], release: [null, "a"] },
    required: ["values"]
  },
  { id: "deleteRow", method: "DELETE", template: rowById, status: 200, scopes: writes },
  { id: "restoreRow", method: "POST", template: `${rowById}/restore`, status: 200, scopes: writes }
]
