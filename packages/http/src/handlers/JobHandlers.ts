import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type { Job } from "@millrace/core/job/Job"
import { Jobs } from "@millrace/core/job/Jobs"
import { Api } from "../api/Api.ts"
import { many, one } from "../api/Envelope.ts"
import { answering } from "../errors.ts"
import { principal, target, workspace } from "../middleware/CurrentRequest.ts"
import { identified } from "./Identified.ts"

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

const idsOf = Effect.fnUntraced(function* (params: { readonly feed_id: string; readonly job_id: string }) {
  return [yield* identified("feed", params.feed_id), yield* identified("job", params.job_id)] as const
})

export const layer = HttpApiBuilder.group(
  Api,
  "jobs",
  Effect.fnUntraced(function* (handlers) {
    const jobs = yield* Jobs
    return handlers
      .handle("triggerSync", ({ params, payload }) =>
        answering(
          Effect.gen(function* () {
            const id = yield* identified("feed", params.feed_id)
            return one(toWire(yield* jobs.trigger(yield* principal, id, payload)))
          })
        )
      )
      .handle("listJobs", ({ params, query }) =>
        answering(
          Effect.gen(function* () {
            const id = yield* identified("feed", params.feed_id)
            const { status, ...paging } = query
            const of = status === "queued" ? "created" : status
            const page = yield* jobs.list(yield* workspace, id, {
              ...paging,
              ...(of === undefined ? {} : { status: of })
            })
            return many(yield* target, page.rows.map(toWire), page)
          })
        )
      )
      .handle("getJob", ({ params }) =>
        answering(
          Effect.gen(function* () {
            return one(toWire(yield* jobs.get(yield* workspace, ...(yield* idsOf(params)))))
          })
        )
      )
      .handle("cancelJob", ({ params }) =>
        answering(
          Effect.gen(function* () {
            return one(toWire(yield* jobs.cancel(yield* principal, ...(yield* idsOf(params)))))
          })
        )
      )
      .handle("pauseJob", ({ params }) =>
        answering(
          Effect.gen(function* () {
            return one(toWire(yield* jobs.pause(yield* principal, ...(yield* idsOf(params)))))
          })
        )
      )
      .handle("resumeJob", ({ params }) =>
        answering(
          Effect.gen(function* () {
            return one(toWire(yield* jobs.resume(yield* principal, ...(yield* idsOf(params)))))
          })
        )
      )
  })
)
