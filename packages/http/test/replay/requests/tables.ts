/** Requests about tables. */
import type { RequestsOf } from "../Request.ts"

export const tables: RequestsOf = (scene) => ({
  listTables: [
    { title: "lists the tables" },
    { title: "lists those that are in the trash", query: "trashed=true" },
    { title: "narrows to a folder", query: "folderId=fol_1" }
  ],
  createTable: [
    {
      title: "makes a table",
      json: {
        name: "Subscriptions",
        icon: "🔁",
        description: "What is paid again and again",
        fields: [
          { name: "Amount", type: "currency", options: { currency: "EUR" }, required: true },
          { name: "Kind", type: "select", options: { choices: [{ label: "A" }, { label: "B" }] } },
          { name: "Paid", type: "boolean", default: false },
          { name: "Extra", type: "json" }
        ],
        keyFields: ["amount"]
      }
    },
    { title: "needs a name and fields", json: {} },
    { title: "refuses a field of no type", json: { name: "T", fields: [{ name: "A", type: "money" }] } },
    {
      title: "gives two fields of one name two keys",
      json: {
        name: "T",
        fields: [
          { name: "A", type: "text" },
          { name: "A", type: "text" }
        ]
      }
    },
    {
      title: "refuses a key of fields that there are none of",
      json: { name: "T", fields: [], keyFields: ["nothing"] }
    },
    { title: "refuses a viewer", json: { name: "T", fields: [] }, as: "person-viewer" },
    { title: "is done by an app", json: { name: "App's", fields: [] }, as: "app-editor" }
  ],
  getTable: [
    { title: "reads a table" },
    { title: "reads one that a feed fills", params: { table_id: scene.table.id } }
  ],
  updateTable: [
    { title: "renames a table", json: { name: "Bills", description: null } },
    { title: "orders its fields", json: { fieldOrder: ["amount", "number"] }, headers: { "if-match": '"2"' } },
    { title: "refuses a version that it no longer has", json: { name: "Late" }, headers: { "if-match": '"1"' } },
    { title: "refuses fields that there are none of", json: { fieldOrder: ["nothing"] } }
  ],
  deleteTable: [
    { title: "moves a table to the trash" },
    { title: "does so again" },
    { title: "refuses one that a feed fills", params: { table_id: scene.table.id } },
    async () => {
      const table = await scene.one("POST", "/v1/tables", { name: "Short-lived", fields: [] })
      await scene.one("DELETE", `/v1/tables/${table.id}`)
      return { title: "deletes for good what is in the trash", params: { table_id: table.id }, query: "permanent=true" }
    },
    { title: "refuses a viewer", as: "person-viewer" }
  ],
  restoreTable: [{ title: "brings a table back" }, { title: "refuses one that is not in the trash" }]
})
