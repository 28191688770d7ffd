import * as Effect from "effect/Effect"
import type { Job } from "@millrace/core/job"
import { Jobs } from "@millrace/core/kernel"
import { many, one } from "../api/Envelope.ts"
import { serve } from "./Serve.ts"

/** A job as it is sent. Names every field, so that nothing internal can slip through. */
const toWire = (job: Job) => {
  const { startDate, endDate, ...options } = job.options
  return {
    id: job.id,
    userId: job.userId,
    feedId: job.feedId,
    workspaceId: job.workspaceId,
    status: job.status,
    type: job.type,
    mode: job.mode,
    ...(startDate === undefined ? {} : { startDate }),
    ...(endDate === undefined ? {} : { endDate }),
    options,
    transactionsProcessed: job.counts.read,
    transactionsWritten: job.counts.created + job.counts.updated + job.counts.removed,
    counts: job.counts,
    errors: job.errors,
    ...(job.errorCategory === undefined ? {} : { errorCategory: job.errorCategory }),
    ...(job.pauseReason === undefined ? {} : { pauseReason: job.pauseReason }),
    ...(job.resumeAt === undefined ? {} : { resumeAt: job.resumeAt }),
    attempt: job.attempt,
    ...(job.retry === undefined ? {} : { retry: job.retry }),
    startedBy: job.startedBy,
    createdAt: job.createdAt,
    updatedAt: job.updatedAt,
    ...(job.startedAt === undefined ? {} : { startedAt: job.startedAt }),
    ...(job.completedAt === undefined ? {} : { completedAt: job.completedAt })
  }
}

const shown = (job: Job) => one(toWire(job))

export const layer = serve(
  "jobs",
  Effect.gen(function* () {
    const jobs = yield* Jobs
    return {
      triggerSync: ({ caller, ids, payload }) => Effect.map(jobs.trigger(caller, ids.feed, payload), shown),
      listJobs: Effect.fnUntraced(function* ({ caller, ids, query: { status, ...paging }, self }) {
        const of = status === "queued" ? "created" : status
        const page = yield* jobs.list(caller, ids.feed, { ...paging, ...(of === undefined ? {} : { status: of }) })
        return many(self, page.rows.map(toWire), page)
      }),
      getJob: ({ caller, ids }) => Effect.map(jobs.get(caller, ids.feed, ids.job), shown),
      cancelJob: ({ caller, ids }) => Effect.map(jobs.cancel(caller, ids.feed, ids.job), shown),
      pauseJob: ({ caller, ids }) => Effect.map(jobs.pause(caller, ids.feed, ids.job), shown),
      resumeJob: ({ caller, ids }) => Effect.map(jobs.resume(caller, ids.feed, ids.job), shown)
    }
  })
)
