/** Jobs and the feed lock in memory. */
import type { ActorRef } from "@millrace/core/access"
import { bankLease } from "@millrace/core/bank"
import { feedLease } from "@millrace/core/feed"
import {
  isActive,
  type Job,
  type JobError,
  type JobEvent,
  type JobId,
  pauseExpired,
  queueTimeout,
  systemCauses,
  workerLost
} from "@millrace/core/job"
import {
  FeedLocked,
  type Fence,
  Fenced,
  holderOf,
  JobLease,
  JobStateConflict,
  JobStore,
  LeaseLost
} from "@millrace/core/storage"
import { limits, Timestamp } from "@millrace/core"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import { UpstreamTurns } from "../../rate/MemoryUpstreamBudget.ts"
import { frozen } from "./Frozen.ts"
import { BankTable } from "./MemoryBankTable.ts"
import { makeJobDispatch } from "./MemoryJobDispatch.ts"
import { faulted, JobTable, progressed, type StoredJob } from "./MemoryJobTable.ts"
import { Memory } from "./MemoryTransactor.ts"
import { ascending } from "./Order.ts"

export const layer: Layer.Layer<JobStore, never, Memory | JobTable | BankTable | UpstreamTurns> = Layer.effect(
  JobStore,
  Effect.gen(function* () {
    const { call, attempt } = yield* Memory
    const table = yield* JobTable
    const lease = (yield* JobLease) * 1000
    const dispatching = yield* makeJobDispatch(lease)

    const pausedByUser = (stored: StoredJob, at: Timestamp.Timestamp) => {
      table.move(stored, "pause", at, { job: { pauseReason: "user" } })
    }

    const failed = (stored: StoredJob, error: JobError, cause: ActorRef) =>
      table.move({ ...stored, job: faulted(stored.job, [error], error.timestamp), cause }, "fail", error.timestamp)

    /** A change by a run, refused when its fence does not hold. */
    const guarded = <A>(fence: Fence, change: (held: StoredJob, at: Timestamp.Timestamp, now: number) => A) =>
      attempt((now): Exit.Exit<A, Fenced> => {
        const held = table.held(fence)
        if (held === undefined) return Exit.fail(new Fenced({ jobId: fence.jobId }))
        return Exit.succeed(change(held, Timestamp.fromMillis(now), now))
      })

    const conflict = (jobId: JobId, event: JobEvent) =>
      Exit.fail(new JobStateConflict({ jobId, status: table.jobs.get(jobId)?.job.status ?? "missing", event }))

    return JobStore.of({
      create: (job, { banks = [], replacing }) =>
        attempt((now) => {
          const activeId = table.active.get(job.feedId)
          if (activeId !== undefined && !replacing) return Exit.fail(new FeedLocked({ jobId: activeId }))
          if (activeId !== undefined) {
            const stored = { ...table.jobs.get(activeId)!, cause: job.startedBy }
            table.move(stored, "forceCancel", Timestamp.fromMillis(now))
          }
          table.put({ job: frozen(job), epoch: 0, heartbeat: undefined, pokedAt: undefined, banks: [...banks] })
          return Exit.succeed({ cancelled: Option.fromUndefinedOr(activeId) })
        }),
      get: (workspaceId, feedId, id) =>
        call(() =>
          Option.fromUndefinedOr(table.jobs.get(id)?.job).pipe(
            Option.filter((job) => job.workspaceId === workspaceId && job.feedId === feedId)
          )
        ),
      active: (feedId) =>
        call(() => Option.map(Option.fromUndefinedOr(table.active.get(feedId)), (id) => table.jobs.get(id)!.job)),
      list: (workspaceId, feedId, { status, limit, before }) =>
        call(() =>
          table
            .ofFeed(feedId)
            .filter(
              (job) =>
                job.workspaceId === workspaceId &&
                (status === undefined || job.status === status) &&
                (before === undefined || job.id < before)
            )
            .slice(0, limit)
        ),

      dispatch: (limit) => call((now) => dispatching.dispatch(limit, now)),
      decline: (jobId) =>
        call(() => {
          const stored = table.jobs.get(jobId)
          if (stored?.pokedAt !== undefined) table.put({ ...stored, pokedAt: undefined })
        }),
      arrivals: Stream.unwrap(
        Effect.map(PubSub.subscribe(table.arrivals), (arrived) =>
          Stream.prepend(Stream.fromSubscription(arrived), [undefined])
        )
      ),
      claim: (jobId, banks) =>
        call((now) => {
          const stored = table.jobs.get(jobId)
          if (stored === undefined || !dispatching.isFree(stored, now)) return Option.none()
          const lost = stored.heartbeat !== undefined
          if (lost && stored.job.attempt >= limits.jobAttempts) {
            failed(stored, workerLost(stored.job.attempt, Timestamp.fromMillis(now)), systemCauses.workerLost)
            return Option.none()
          }
          const fence = { jobId, epoch: stored.epoch + 1 }
          table.free(holderOf({ jobId, epoch: stored.epoch }))
          const resources = [feedLease(stored.job.feedId), ...banks.map(bankLease)]
          if (!table.take(resources, holderOf(fence), now, now + lease)) {
            table.put({ ...stored, pokedAt: undefined, banks: [...banks] })
            return Option.none()
          }
          const at = Timestamp.fromMillis(now)
          const { attempt: before, startedAt = at } = stored.job
          const { job: claimed } = table.move({ ...stored, cause: undefined }, "dispatch", at, {
            heartbeat: now,
            job: { attempt: lost ? before + 1 : Math.max(1, before), startedAt }
          })!
          table.put({ job: claimed, epoch: fence.epoch, heartbeat: now, pokedAt: undefined, banks: [...banks] })
          const { resumeSnapshot } = stored
          return Option.some({ job: claimed, fence, ...(resumeSnapshot === undefined ? {} : { resumeSnapshot }) })
        }),
      beat: (fences, runner) =>
        call((now) => {
          if (runner !== undefined) dispatching.beat(runner, now)
          const held: Array<JobId> = []
          for (const fence of fences) {
            const stored = table.held(fence)
            if (stored === undefined) continue
            table.put({ ...stored, heartbeat: now })
            table.prolong(holderOf(fence), now + lease)
            held.push(fence.jobId)
          }
          return held
        }),
      saveResumeSnapshot: (fence, text) => guarded(fence, (held) => table.put({ ...held, resumeSnapshot: text })),
      leave: (runner) => call(() => dispatching.leave(runner)),
      release: (fence) =>
        call((now) => {
          const held = table.held(fence)
          if (held === undefined) return
          if (held.job.pauseReason !== undefined) return pausedByUser(held, Timestamp.fromMillis(now))
          table.free(holderOf(fence))
          const job = { ...held.job, updatedAt: Timestamp.fromMillis(now) }
          table.put({ ...held, job, epoch: held.epoch + 1, heartbeat: undefined, pokedAt: undefined })
        }),
      fence: (fence, progress) =>
        guarded(fence, (held, at, now) => {
          table.put({ ...held, job: progressed(held.job, progress, at), heartbeat: now })
          return held.job.pauseReason !== undefined
        }),

      fenceBank: (fence, bank) =>
        attempt((now): Exit.Exit<boolean, Fenced | LeaseLost> => {
          const held = table.held(fence)
          if (held === undefined) return Exit.fail(new Fenced({ jobId: fence.jobId }))
          if (table.leases.get(bankLease(bank))?.holder !== holderOf(fence)) {
            return Exit.fail(new LeaseLost({ resource: bankLease(bank) }))
          }
          table.put({ ...held, job: progressed(held.job, {}, Timestamp.fromMillis(now)), heartbeat: now })
          return Exit.succeed(held.job.pauseReason !== undefined)
        }),
      complete: (fence, progress) =>
        guarded(fence, (held, at) => {
          table.move({ ...held, job: progressed(held.job, progress, at), cause: undefined }, "complete", at)
        }),
      fail: (fence, errors) =>
        guarded(fence, (held, at) => {
          table.move({ ...held, job: faulted(held.job, errors, at), cause: undefined }, "fail", at)
        }),
      pause: (fence, reason, resumeAfter) =>
        guarded(fence, (held, at, now) => {
          if (held.job.pauseReason !== undefined) return pausedByUser(held, at)
          const resumeAt = resumeAfter === undefined ? {} : { resumeAt: Timestamp.fromMillis(now + resumeAfter * 1000) }
          table.move(held, "pause", at, { job: { pauseReason: reason, ...resumeAt } })
        }),
      cancel: (jobId, event, cause) =>
        attempt((now) => {
          const stored = table.jobs.get(jobId)
          const moved =
            stored === undefined ? undefined : table.move({ ...stored, cause }, event, Timestamp.fromMillis(now))
          return moved === undefined ? conflict(jobId, event) : Exit.succeed(moved.job)
        }),
      sweep: call((now) => {
        const at = Timestamp.fromMillis(now)
        const isOlder = (since: Timestamp.Timestamp, minutes: number) =>
          now - Timestamp.toMillis(since) > minutes * 60_000
        const couldStart = dispatching.couldStart(now)
        for (const id of table.active.values()) {
          const stored = table.jobs.get(id)!
          const { status, resumeAt, createdAt, pauseReason, updatedAt } = stored.job
          if (status === "created" && isOlder(createdAt, limits.queueMinutes) && couldStart(stored)) {
            failed(stored, queueTimeout(at), systemCauses.queueTimeout)
          } else if (status === "paused" && resumeAt !== undefined && resumeAt <= at) {
            table.move({ ...stored, cause: systemCauses.resumeDue }, "resume", at)
          } else if (status === "in_progress" && pauseReason !== undefined && dispatching.isSilent(stored, now)) {
            pausedByUser(stored, at)
          } else if (status === "paused" && resumeAt === undefined && isOlder(updatedAt, limits.userPauseHours * 60)) {
            failed(stored, pauseExpired(at), systemCauses.pauseExpired)
          }
        }
      }),

      askPause: (jobId, cause) =>
        attempt((now) => {
          const stored = table.jobs.get(jobId)
          if (stored?.job.status !== "in_progress") return conflict(jobId, "pause")
          const job = { ...stored.job, pauseReason: "user" as const, updatedAt: Timestamp.fromMillis(now) }
          table.put({ ...stored, job, cause })
          return Exit.succeed(job)
        }),
      pauseAsked: (fence) =>
        guarded(fence, (held, at) => {
          const asked = held.job.pauseReason !== undefined
          if (asked) pausedByUser(held, at)
          return asked
        }),
      resume: (jobId, cause) =>
        attempt((now) => {
          const stored = table.jobs.get(jobId)
          const at = Timestamp.fromMillis(now)
          if (stored?.job.status === "in_progress" && stored.job.pauseReason !== undefined) {
            const { pauseReason: _, ...job } = stored.job
            table.put({ ...stored, job: { ...job, updatedAt: at }, cause: undefined })
            return Exit.succeed(table.jobs.get(jobId)!.job)
          }
          const moved = stored === undefined ? undefined : table.move({ ...stored, cause }, "resume", at)
          return moved === undefined ? conflict(jobId, "resume") : Exit.succeed(moved.job)
        }),
      purge: (limit) =>
        call((now) => {
          const oldest = Timestamp.fromMillis(now - limits.jobHistoryDays * 86_400_000)
          const feeds = new Set(Array.from(table.jobs.values(), ({ job }) => job.feedId))
          const doomed: Array<Job> = []
          for (const feedId of feeds) {
            const jobs = table.ofFeed(feedId)
            const success = jobs.find(({ status }) => status === "completed")?.id
            for (const [n, job] of jobs.entries()) {
              const isOld = (job.completedAt !== undefined && job.completedAt < oldest) || n >= limits.jobHistory
              if (isOld && n > 0 && job.id !== success && !isActive(job.status)) doomed.push(job)
            }
          }
          const gone = doomed.toSorted((a, b) => ascending(a.id, b.id)).slice(0, limit)
          for (const { feedId, id } of gone) table.forget(feedId, id)
          return gone.length
        }),
      now: call(Timestamp.fromMillis)
    })
  })
)
