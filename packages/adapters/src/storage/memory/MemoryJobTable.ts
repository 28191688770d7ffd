/** Jobs in memory, and the steps that all calls on them are made of. */
import type { ActorRef } from "@millrace/core/access"
import type { BankId } from "@millrace/core/bank"
import type { FeedId } from "@millrace/core/feed"
import {
  isActive,
  type Job,
  type JobCounts,
  type JobError,
  jobEvent,
  type JobEvent,
  type JobId,
  noCounts,
  transition
} from "@millrace/core/job"
import { type Fence, holderOf, type Progress } from "@millrace/core/storage"
import { Timestamp } from "@millrace/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import { frozen } from "./Frozen.ts"
import { EventTable } from "./MemoryEventTable.ts"
import { LeaseTable, type StoredLease } from "./MemoryLeases.ts"
import { Memory } from "./MemoryTransactor.ts"
import { ascending } from "./Order.ts"

export interface StoredJob {
  readonly job: Job
  readonly epoch: number
  /** Milliseconds; `undefined` when nobody works on it. */
  readonly heartbeat: number | undefined
  /** When it was handed out to a runner that has not claimed it, in milliseconds. */
  readonly pokedAt: number | undefined
  /** The connections it is expected to need. */
  readonly banks: ReadonlyArray<BankId>
  /** What a run that left in good order wrote down for the next one. */
  readonly resumeSnapshot?: string | undefined
  /** Who makes the next change of status; where it is absent the run of the job does. */
  readonly cause?: ActorRef | undefined
}

const counted = (counts: JobCounts, { add, atLeast }: Progress): JobCounts => {
  const next: { -readonly [K in keyof JobCounts]: number } = { ...counts }
  for (const key of Object.keys(noCounts) as Array<keyof JobCounts>) {
    next[key] = Math.max(next[key] + (add?.[key] ?? 0), atLeast?.[key] ?? -Infinity)
  }
  return Object.freeze(next)
}

/** The job with the progress applied. */
export const progressed = (job: Job, progress: Progress, at: Timestamp.Timestamp): Job => {
  const errors = progress.errors ?? []
  return {
    ...job,
    counts: progress.add === undefined && progress.atLeast === undefined ? job.counts : counted(job.counts, progress),
    errors: errors.length === 0 ? job.errors : [...job.errors, ...frozen(errors)],
    ...(progress.cursorsReset === true ? { cursorsReset: true } : {}),
    updatedAt: at
  }
}

/** The job with these errors, the first fatal one naming the category. */
export const faulted = (job: Job, errors: ReadonlyArray<JobError>, at: Timestamp.Timestamp): Job => {
  const cause = errors.find(({ severity }) => severity === "fatal") ?? errors[0]
  return {
    ...progressed(job, { errors }, at),
    ...(cause === undefined ? {} : { errorCategory: cause.category })
  }
}

/** What ends a job that no run can report on itself. */
export class JobTable extends Context.Service<
  JobTable,
  {
    readonly jobs: ReadonlyMap<JobId, StoredJob>
    readonly active: ReadonlyMap<FeedId, JobId>
    readonly leases: ReadonlyMap<string, StoredLease>
    /** Newest first. */
    readonly ofFeed: (id: FeedId) => ReadonlyArray<Job>
    /** A change of status, and a new job, is reported in the log of events. */
    readonly put: (stored: StoredJob) => void
    /** The job of a fence that still holds. */
    readonly held: (fence: Fence) => StoredJob | undefined
    /** Follows the life cycle: `undefined`, and nothing has changed, where the pair is refused. */
    readonly move: (
      stored: StoredJob,
      event: JobEvent,
      at: Timestamp.Timestamp,
      change?: Partial<Pick<StoredJob, "heartbeat">> & { readonly job?: Partial<Job> }
    ) => StoredJob | undefined
    /** Takes or prolongs all these leases; `false`, and nothing has changed, when one is busy. */
    readonly take: (resources: ReadonlyArray<string>, holder: string, now: number, until: number) => boolean
    readonly prolong: (holder: string, until: number) => void
    readonly free: (holder: string) => void
    /** Has an element when a job may have become due. */
    readonly arrivals: PubSub.PubSub<void>
    /** Removes a job that has ended. */
    readonly forget: (feedId: FeedId, id: JobId) => void
  }
>()("@millrace/adapters/storage/memory/MemoryJobTable/JobTable") {
  static readonly layer: Layer.Layer<JobTable, never, Memory | EventTable | LeaseTable> = Layer.effect(
    JobTable,
    Effect.gen(function* () {
      const { set, remove, feedRemoved } = yield* Memory
      const events = yield* EventTable
      const jobs = new Map<JobId, StoredJob>()
      const active = new Map<FeedId, JobId>()
      const byFeed = new Map<FeedId, Map<JobId, true>>()
      const { free, leases, prolong, take } = yield* LeaseTable
      // Who has not looked yet needs to be told once.
      const arrivals = yield* PubSub.sliding<void>(1)

      const put = (stored: StoredJob): void => {
        const { id, feedId, status } = stored.job
        const before = jobs.get(id)?.job.status
        const isMoved = before !== status
        set(jobs, id, { ...stored, job: Object.freeze(stored.job), cause: isMoved ? undefined : stored.cause })
        if (isMoved) events.append(jobEvent(before, stored.job, stored.cause), stored.job.updatedAt)
        if (
          stored.heartbeat === undefined &&
          stored.pokedAt === undefined &&
          (status === "created" || status === "in_progress")
        ) {
          PubSub.publishUnsafe(arrivals, undefined)
        }
        if (isActive(status)) set(active, feedId, id)
        else if (active.get(feedId) === id) remove(active, feedId)
        let ids = byFeed.get(feedId)
        if (ids === undefined) set(byFeed, feedId, (ids = new Map()))
        if (!ids.has(id)) set(ids, id, true)
      }

      feedRemoved.push((feedId) => {
        for (const id of byFeed.get(feedId)?.keys() ?? []) {
          const stored = jobs.get(id)
          if (stored !== undefined) free(holderOf({ jobId: id, epoch: stored.epoch }))
          remove(jobs, id)
        }
        remove(byFeed, feedId)
        remove(active, feedId)
      })

      return {
        jobs,
        active,
        leases,
        arrivals,
        put,
        free,
        forget: (feedId, id) => {
          remove(jobs, id)
          const ids = byFeed.get(feedId)
          if (ids !== undefined) remove(ids, id)
        },
        ofFeed: (id) =>
          Array.from(byFeed.get(id)?.keys() ?? [], (jobId) => jobs.get(jobId)!.job).toSorted((a, b) =>
            ascending(b.id, a.id)
          ),
        held: ({ jobId, epoch }) => {
          const stored = jobs.get(jobId)
          return stored?.epoch === epoch && stored.job.status === "in_progress" ? stored : undefined
        },
        move: (stored, event, at, { job: changed, ...change } = {}) => {
          const row = transition(stored.job.status, event)
          if (row === undefined) return undefined
          free(holderOf({ jobId: stored.job.id, epoch: stored.epoch }))
          const { pauseReason: _, resumeAt: _at, ...job } = stored.job
          const next: StoredJob = {
            job: {
              ...job,
              status: row.to,
              updatedAt: at,
              ...(isActive(row.to) ? {} : { completedAt: at }),
              ...changed
            },
            epoch: stored.epoch + (row.newEpoch ? 1 : 0),
            heartbeat: undefined,
            pokedAt: undefined,
            banks: stored.banks,
            resumeSnapshot: isActive(row.to) ? stored.resumeSnapshot : undefined,
            cause: stored.cause,
            ...change
          }
          put(next)
          return next
        },
        prolong,
        take: (resources, holder, now, until) => take(resources, holder, now, until) !== undefined
      }
    })
  )
}
