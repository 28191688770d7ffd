/** Tables with their fields and rows (specification 6). */
import { entriesOf, reads, removes, sets, writes } from "./Operation.ts"

const viewing = { scopes: { anyOf: ["tables:read"] }, role: "viewer", app: "own", idempotency: "read" } as const
const changing = { scopes: { anyOf: ["tables:write"] }, role: "editor", app: "own" } as const

const restored = { absent: "A person takes things out of the trash." }

export const tableOperations = entriesOf("tables", {
  listTables: { ...viewing, summary: "List tables, oldest first", tool: reads("list_tables"), command: "tables list" },
  createTable: {
    ...changing,
    summary: "Create a table",
    idempotency: "key",
    body: "required",
    tool: writes("create_table"),
    command: "tables create"
  },
  getTable: {
    ...viewing,
    summary: "Get a table",
    versioned: true,
    tool: reads("get_table"),
    command: "tables get"
  },
  updateTable: {
    ...changing,
    summary: "Change a table",
    idempotency: "inherent",
    versioned: true,
    body: "required",
    tool: sets("update_table"),
    command: "tables update"
  },
  deleteTable: {
    ...changing,
    summary: "Move a table to the trash for 30 days; permanent=true deletes it from there",
    idempotency: "inherent",
    versioned: true,
    tool: removes("delete_table"),
    command: "tables delete"
  },
  restoreTable: {
    ...changing,
    summary: "Take a table out of the trash",
    idempotency: "key",
    tool: restored,
    command: "tables restore"
  }
})

const structure = { absent: "A person decides about the fields of a table." }

export const fieldOperations = entriesOf("fields", {
  createField: {
    ...changing,
    summary: "Add a field to a table",
    idempotency: "key",
    body: "required",
    tool: structure,
    command: "tables fields add"
  },
  updateField: {
    ...changing,
    summary: "Change a field; its key stays",
    idempotency: "inherent",
    versioned: true,
    body: "required",
    tool: structure,
    command: "tables fields update"
  },
  deleteField: {
    ...changing,
    summary: "Delete a field and its cells",
    idempotency: "inherent",
    versioned: true,
    tool: structure,
    command: "tables fields remove"
  }
})

export const rowOperations = entriesOf("rows", {
  listRows: {
    ...viewing,
    summary: "List the rows of a table, oldest first unless sorted",
    tool: { absent: "The tool query_rows does the same and more." },
    command: "rows list"
  },
  queryRows: {
    ...viewing,
    summary: "Find rows of a table by a filter",
    body: "optional",
    tool: reads("query_rows"),
    command: "rows query"
  },
  getRow: { ...viewing, summary: "Get a row", versioned: true, tool: reads("get_row"), command: "rows get" },
  createRows: {
    ...changing,
    summary: "Create or upsert rows, all or none",
    idempotency: "key",
    body: "required",
    tool: writes("create_rows"),
    command: "rows create"
  },
  updateRows: {
    ...changing,
    summary: "Change rows, all or none",
    idempotency: "inherent",
    body: "required",
    tool: sets("update_rows"),
    command: "rows update"
  },
  deleteRows: {
    ...changing,
    summary: "Move rows to the trash, all or none",
    idempotency: "key",
    body: "required",
    tool: removes("delete_rows"),
    command: "rows delete"
  },
  updateRow: {
    ...changing,
    summary: "Change a row",
    idempotency: "inherent",
    versioned: true,
    body: "required",
    tool: { absent: "The tool update_rows does the same for any number of rows." },
    command: "rows update"
  },
  deleteRow: {
    ...changing,
    summary: "Move a row to the trash",
    idempotency: "inherent",
    versioned: true,
    tool: { absent: "The tool delete_rows does the same for any number of rows." },
    command: "rows delete"
  },
  restoreRow: {
    ...changing,
    summary: "Take a row out of the trash",
    idempotency: "key",
    tool: restored,
    command: "rows restore"
  }
})
