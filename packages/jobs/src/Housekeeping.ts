/**
 * What has to happen now and then on one process of an installation, as recurring tasks: `TaskKinds.layer(...housekeeping)`
 * runs all of it.
 */
import {
  AnswerCache,
  TokenBudget,
  AuditStore,
  CursorStore,
  EventStore,
  IdempotencyStore,
  JobStore,
  Leases,
  RecordChangeStore,
  OutboxStore,
  ReceivedWebhooks,
  StageStore,
  TaskStore,
  UploadStore
} from "@millrace/core/storage"
import { Audit } from "@millrace/core/audit"
import { Collections } from "@millrace/core/collection"
import { BankRemovals, Corrections, Jobs, Tables, WaitingUploads } from "@millrace/core/kernel"
import { recurringTask } from "@millrace/core/task"
import { UploadSettings } from "@millrace/core/upload"
import * as Effect from "effect/Effect"

/** Seconds within which what is due is found in an installation where nothing else happens. */
const dueSeconds = 15
const minute = 60
const day = 86_400
/** Things removed in one go; the rest goes with the next runs. */
const batch = 1_000
const fileBatch = 100

/** Jobs for the feeds whose schedule is due, and for runs that are tried again. */
export const schedules = Effect.map(Jobs, ({ scheduleDue }) => recurringTask("schedules", dueSeconds, scheduleDue))

/** The same, and for feeds with uploaded files that no job has come for. One task, since both look often. */
export const dueFeeds = Effect.map(Effect.all([Jobs, WaitingUploads]), ([{ scheduleDue }, { takeUp }]) =>
  recurringTask(
    "due_feeds",
    dueSeconds,
    Effect.zipWith(scheduleDue, takeUp, (due, waiting) => due + waiting)
  )
)

/** Removes the contents of uploaded files that were kept as long as the operator wants. */
export const uploadFiles = Effect.gen(function* () {
  const { keepDays } = yield* UploadSettings
  const { removeFiles } = yield* UploadStore
  return keepDays === undefined
    ? recurringTask("upload_files", day, Effect.succeed(0))
    : recurringTask("upload_files", minute, removeFiles(keepDays, fileBatch))
})

/** Removes what has been in the trash for its time. */
const trash = Effect.map(Effect.all([Tables, Collections]), ([tables, collections]) =>
  recurringTask(
    "trash",
    5 * minute,
    Effect.zipWith(tables.purge, collections.purge, (some, more) => some + more)
  )
)

/** Takes up the banks whose month has come. */
const bankCleanup = Effect.map(BankRemovals, ({ purge }) => recurringTask("bank_cleanup", 15 * minute, purge))

/** Forgets corrections that are too long ago to be taken back. */
const correctionHistory = Effect.map(Corrections, ({ purge }) => recurringTask("correction_history", 5 * minute, purge))

/** Forgets parts of cursors that are no longer valid. */
const cursorParts = Effect.map(CursorStore, ({ purge }) => recurringTask("cursor_parts", 5 * minute, purge(batch)))

/** Forgets requests with an idempotency key whose answers need not be told again. */
const idempotencyKeys = Effect.map(IdempotencyStore, ({ purge }) =>
  recurringTask("idempotency_keys", 5 * minute, purge(batch))
)

/** Forgets events that are too old to be told. */
const eventHistory = Effect.map(EventStore, ({ purge }) => recurringTask("event_history", 5 * minute, purge(batch)))

/** Gives entries of the audit their place in the chain, also where nobody looks, and forgets those that are too old. */
const auditHistory = Effect.map(AuditStore, ({ purge, seal }) =>
  recurringTask("audit_history", 5 * minute, Effect.andThen(seal, purge(batch)))
)

/** Checks once a day that no entry of the audit was changed or removed. */
const auditCheck = Effect.map(Audit, ({ checkAll }) => recurringTask("audit_check", day, Effect.as(checkAll, 0)))

/** Forgets messages to people that nobody can be told again. */
const messageHistory = Effect.map(OutboxStore, ({ purge }) =>
  recurringTask("message_history", 10 * minute, purge(batch))
)

/** Forgets jobs that ended long ago. */
const jobHistory = Effect.map(JobStore, ({ purge }) => recurringTask("job_history", 10 * minute, purge(batch)))

/** Forgets the history of records that are gone long ago. */
const recordHistory = Effect.map(RecordChangeStore, ({ purge }) =>
  recurringTask("record_history", 10 * minute, purge(batch))
)

/** Forgets callbacks that no provider sends again. */
const receivedWebhooks = Effect.map(ReceivedWebhooks, ({ purge }) =>
  recurringTask("received_webhooks", 10 * minute, purge(batch))
)

/** Forgets leases that ran out long ago. */
const oldLeases = Effect.map(Leases, ({ purge }) => recurringTask("old_leases", 10 * minute, purge(batch)))

/** Forgets pages that runs which died had put aside. */
const abandonedPages = Effect.map(StageStore, ({ purge }) => recurringTask("abandoned_pages", minute, purge(fileBatch)))

/** Forgets tasks that were given up long ago. */
const taskHistory = Effect.map(TaskStore, ({ purge }) => recurringTask("task_history", 10 * minute, purge(batch)))

/** Forgets answers of models that expired or are too many, and what was used of budgets long ago. */
const modelAnswers = Effect.gen(function* () {
  const answers = yield* AnswerCache
  const budget = yield* TokenBudget
  const forget = Effect.zipWith(answers.purge(batch), budget.purge(batch), (some, more) => some + more)
  return recurringTask("model_answers", 10 * minute, forget)
})

export const housekeeping = [
  dueFeeds,
  uploadFiles,
  trash,
  bankCleanup,
  correctionHistory,
  cursorParts,
  idempotencyKeys,
  eventHistory,
  auditHistory,
  auditCheck,
  messageHistory,
  jobHistory,
  recordHistory,
  receivedWebhooks,
  oldLeases,
  abandonedPages,
  taskHistory,
  modelAnswers
] as const
