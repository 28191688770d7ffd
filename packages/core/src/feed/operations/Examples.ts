import { authorExample, exampleCreated, exampleIds, exampleTime } from "../../operation/Examples.ts"

export const newFeedExample = {
  name: "Transactions to a table",
  source: "sync",
  dataType: "transactions",
  sourceConfig: { type: "sync", accounts: [{ bankId: exampleIds.bank, accountId: exampleIds.account }] },
  destinationConfig: { type: "table", tableId: exampleIds.table },
  fieldMappings: [
    { sourceField: "date", destinationField: "date" },
    { sourceField: "amount", destinationField: "amount" }
  ],
  schedule: { enabled: true, frequency: "daily", timeOfDay: "06:00" }
}

export const feedExample = {
  id: exampleIds.feed,
  ...newFeedExample,
  dataTypeOptions: { dataType: "transactions", pendingMode: "track_and_update", lookbackDays: 7 },
  state: {
    status: "ready",
    reason: null,
    activeJobId: null,
    lastJobId: exampleIds.job,
    lastSuccessAt: exampleTime,
    nextRunAt: "2026-03-05T06:00:00.000Z",
    consecutiveFailures: 0,
    dataThrough: "2026-03-04",
    warnings: []
  },
  order: 1,
  createdBy: authorExample,
  version: 3,
  createdAt: exampleCreated,
  updatedAt: exampleTime
}
