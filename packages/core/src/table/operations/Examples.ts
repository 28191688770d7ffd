import { authorExample, exampleCreated, exampleIds, exampleTime } from "../../operation/Examples.ts"

export const newFieldExample = { name: "Amount", type: "currency", options: { currency: "EUR" }, required: true }

export const fieldExample = {
  id: exampleIds.field,
  key: "amount",
  name: "Amount",
  type: "currency",
  options: { currency: "EUR" },
  required: true,
  unique: false,
  indexed: false,
  origin: "user",
  position: 0
}

export const tableExample = {
  id: exampleIds.table,
  name: "Subscriptions",
  icon: null,
  folderId: null,
  fields: [fieldExample],
  keyFields: ["amount"],
  rowCount: 1,
  source: { kind: "manual", id: null },
  createdBy: authorExample,
  version: 1,
  createdAt: exampleCreated,
  updatedAt: exampleTime,
  trashedAt: null,
  purgeAt: null
}

export const rowExample = {
  id: exampleIds.row,
  tableId: exampleIds.table,
  values: { amount: -48.55 },
  externalKey: null,
  held: [],
  createdBy: authorExample,
  updatedBy: authorExample,
  version: 1,
  createdAt: exampleCreated,
  updatedAt: exampleTime,
  trashedAt: null
}
