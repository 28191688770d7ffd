import { exampleIds, exampleTime, transactionExample } from "../../operation/Examples.ts"

const otherTransactionExample = {
  ...transactionExample,
  id: exampleIds.otherTransaction,
  description: "Gym membership"
}

const evidenceExample = { tier: "cost", cost: 142, parts: { date: 72, text: 70 }, margin: 310 }

export const matchExample = {
  id: exampleIds.match,
  accountId: exampleIds.account,
  recordId: exampleIds.transaction,
  separateId: null,
  state: "made",
  secondSource: false,
  evidence: evidenceExample,
  before: { ...transactionExample, pending: true },
  observed: transactionExample,
  jobId: exampleIds.job,
  createdAt: exampleTime,
  decidedBy: null,
  decidedAt: null
}

export const suggestionExample = {
  id: exampleIds.suggestion,
  accountId: exampleIds.account,
  recordId: exampleIds.transaction,
  observedId: exampleIds.otherTransaction,
  state: "open",
  evidence: { ...evidenceExample, cost: 518 },
  record: transactionExample,
  observed: otherTransactionExample,
  jobId: exampleIds.job,
  createdAt: exampleTime,
  decidedBy: null,
  decidedAt: null
}
