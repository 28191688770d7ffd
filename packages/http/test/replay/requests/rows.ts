/** Requests about rows. */
import type { Told } from "../OwnersRequests.ts"
import type { RequestsOf } from "../Request.ts"

export const rows: RequestsOf = (scene) => {
  const [first, second, third] = scene.rows as [Told, Told, Told]
  return {
    listRows: [
      { title: "lists rows", query: "limit=2" },
      async () => {
        const query = await scene.queryBehind(`/v1/tables/${scene.params["table_id"]}/rows?limit=1&sort=-amount`)
        return { title: "goes on behind a page", query }
      },
      {
        title: "sorts, filters and leaves fields out",
        query: `sort=-amount&fields=number&filter=${encodeURIComponent('{"field":"amount","op":"gt","value":20}')}`
      },
      { title: "lists those that are in the trash", query: "trashed=true" },
      { title: "refuses a field that there is none of", query: "sort=nothing" },
      { title: "lists rows that a feed wrote", params: { table_id: scene.table.id }, query: "limit=2&sort=-date" }
    ],
    createRows: [
      {
        title: "adds rows",
        json: { rows: [{ values: { number: "B-1", amount: 0.1 } }, { values: { number: "B-2" }, externalKey: "k" }] }
      },
      {
        title: "adds or changes rows by their key",
        json: { rows: [{ values: { number: "B-1", amount: 5 } }, { values: { number: "B-3" } }], mode: "upsert" }
      },
      {
        title: "tells for each row what is wrong",
        json: { rows: [{ values: { number: "B-1" } }, { values: { amount: "many" } }, { values: { nothing: 1 } }] }
      },
      { title: "needs rows", json: {} },
      { title: "refuses a viewer", json: { rows: [{ values: { number: "V" } }] }, as: "person-viewer" }
    ],
    updateRows: [
      {
        title: "changes rows",
        json: {
          rows: [
            { id: first.id, values: { amount: 13 }, version: 1 },
            { id: second.id, values: { amount: null } }
          ]
        }
      },
      {
        title: "changes none where one does not exist",
        json: {
          rows: [
            { id: first.id, values: { amount: 1 }, version: 1 },
            { id: "row_00000000000000000000000000", values: {} }
          ]
        }
      },
      { title: "needs rows", json: {} }
    ],
    queryRows: [
      {
        title: "asks for rows",
        json: {
          filter: { field: "amount", op: "gt", value: 1 },
          sort: [{ field: "amount", desc: true }],
          limit: 1,
          includeTotal: true
        }
      },
      { title: "asks for all", json: {} },
      {
        title: "fills in parameters",
        json: {
          filter: { field: "number", op: "eq", value: { param: "n", rel: "param" } },
          params: { n: "A-1" },
          fields: ["number"]
        }
      },
      { title: "refuses a field that there is none of", json: { filter: { field: "nothing", op: "eq", value: 1 } } },
      {
        title: "refuses an operator that there is none of",
        json: { filter: { field: "amount", op: "near", value: 1 } }
      }
    ],
    getRow: [{ title: "reads a row" }],
    updateRow: [
      { title: "changes a row", json: { values: { amount: 49 }, version: 2 } },
      {
        title: "refuses a version that it no longer has",
        json: { values: { amount: 1 } },
        headers: { "if-match": '"1"' }
      },
      { title: "refuses a value of another type", json: { values: { amount: "many" } } },
      { title: "needs values", json: {} }
    ],
    deleteRow: [
      { title: "moves a row to the trash", params: { row_id: third.id } },
      { title: "does so again", params: { row_id: third.id } }
    ],
    deleteRows: [
      { title: "moves rows to the trash", json: { ids: [first.id, second.id] } },
      { title: "moves none where one does not exist", json: { ids: [first.id, "row_00000000000000000000000000"] } },
      { title: "needs ids", json: {} }
    ],
    restoreRow: [{ title: "brings a row back" }, { title: "refuses one that is not in the trash" }]
  }
}
