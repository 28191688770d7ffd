import { authorExample, exampleIds, exampleTime } from "../../operation/Examples.ts"

const countsExample = {
  read: 120,
  vanished: 1,
  carried: 0,
  created: 12,
  updated: 3,
  removed: 1,
  unchanged: 105,
  filtered: 0,
  failed: 0,
  quarantined: 0,
  differs: 0
}

export const jobExample = {
  id: exampleIds.job,
  userId: exampleIds.user,
  feedId: exampleIds.feed,
  workspaceId: exampleIds.workspace,
  status: "completed",
  type: "manual",
  mode: "incremental",
  options: { forceCancelActive: false, resetCursors: false, skipDedup: false },
  transactionsProcessed: 120,
  transactionsWritten: 16,
  counts: countsExample,
  errors: [],
  attempt: 1,
  startedBy: authorExample,
  createdAt: exampleTime,
  updatedAt: exampleTime,
  startedAt: exampleTime,
  completedAt: exampleTime
}

const noneExample = { read: 0, vanished: 0, created: 0, updated: 0, removed: 0, unchanged: 0 }

/** A job that was just made. */
export const newJobExample = {
  id: exampleIds.job,
  userId: exampleIds.user,
  feedId: exampleIds.feed,
  workspaceId: exampleIds.workspace,
  status: "created",
  type: "manual",
  mode: "incremental",
  options: jobExample.options,
  transactionsProcessed: 0,
  transactionsWritten: 0,
  counts: { ...countsExample, ...noneExample },
  errors: [],
  attempt: 0,
  startedBy: authorExample,
  createdAt: exampleTime,
  updatedAt: exampleTime
}
