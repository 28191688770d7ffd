import { exampleIds, exampleTime } from "../../operation/Examples.ts"

export const personExample = { kind: "user", userId: exampleIds.user }

export const seriesExample = {
  id: "ser_3k7f1m9p2q4r6s8t0v2w4x6y80",
  name: null,
  merchant: "green energy",
  direction: "out",
  cadence: "monthly",
  schedule: "monthly/3/none",
  state: "mature",
  first: "2025-03-03",
  last: "2026-03-03",
  expected: "2026-04-03",
  recordIds: [exampleIds.transaction, exampleIds.otherTransaction]
}

export const decisionExample = {
  id: exampleIds.fact,
  kind: "note",
  sentence: 'Named "Rent"',
  field: "recurring.name",
  value: "Rent",
  recordIds: [exampleIds.transaction],
  by: personExample,
  at: exampleTime
}

export const wordsExample = {
  recordId: exampleIds.transaction,
  words: [
    {
      id: exampleIds.fact,
      kind: "set",
      recordId: exampleIds.transaction,
      field: "category",
      value: "Gifts",
      by: personExample,
      at: exampleTime
    }
  ],
  shadows: [
    {
      field: "category",
      value: "Food",
      enrichmentId: exampleIds.enrichment,
      feedId: exampleIds.feed,
      rowId: exampleIds.transaction
    }
  ]
}

export const simulationExample = {
  records: 1204,
  fields: [
    {
      field: "category",
      added: 0,
      changed: 0,
      removed: 12,
      samples: [
        {
          feedId: exampleIds.feed,
          recordId: exampleIds.transaction,
          before: "Drinks",
          after: null,
          authority: "provider",
          sentence: "The provider says so"
        }
      ]
    }
  ],
  lines: { added: 0, removed: 0 },
  links: { made: 0, broken: 0 },
  findings: { opened: 0, closed: 0 },
  cases: { opened: 0, closed: 0 },
  series: { found: 0, changed: 0, gone: 0 },
  budgets: [
    {
      enrichmentId: exampleIds.enrichment,
      from: "2026-03-01",
      line: "drinks",
      currency: "EUR",
      before: { planned: 100, spent: 38.4, left: 61.6 },
      after: { planned: 100, spent: 0, left: 100 }
    }
  ],
  messages: { told: 0, untold: 0 },
  aiPending: [],
  deliveries: [
    {
      feedId: exampleIds.feed,
      destination: "table",
      create: 0,
      update: 12,
      remove: 0,
      now: { create: 0, update: 4, remove: 0 }
    }
  ],
  shadows: 0,
  faults: []
}

export const simulationStateExample = {
  id: exampleIds.simulation,
  status: "running",
  stage: "comparing",
  records: 45_500,
  createdBy: { kind: "user", userId: exampleIds.user },
  createdAt: "2026-03-14T09:00:00.000Z",
  startedAt: "2026-03-14T09:00:01.000Z"
}
