/** Jobs, the feed lock and leases in memory. */
import type { BankId } from "@millrace/core/bank/Bank"
import type { Job, JobId } from "@millrace/core/job/Job"
import { capacityOf, type Dispatched, type RunnerSlots, runnerSilence } from "@millrace/core/job/Dispatch"
import { JobLease, pokeLease } from "@millrace/core/job/JobLease"
import { Fenced, FeedLocked, holderOf, JobStateConflict, JobStore, type Fence } from "@millrace/core/job/JobStore"
import { limits } from "@millrace/core/shared/Limits"
import * as Timestamp from "@millrace/core/shared/Timestamp"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import { UpstreamTurns, wholeLine } from "../../rate/MemoryUpstreamBudget.ts"
import { frozen } from "./Frozen.ts"
import { BankTable } from "./MemoryBankTable.ts"
import { faulted, JobTable, ownError, progressed, type StoredJob } from "./MemoryJobTable.ts"
import { Memory } from "./MemoryTransactor.ts"
import { ascending } from "./Order.ts"

export const layer: Layer.Layer<JobStore, never, Memory | JobTable | BankTable | UpstreamTurns> = Layer.effect(
  JobStore,
  Effect.gen(function* () {
    const { call, attempt } = yield* Memory
    const table = yield* JobTable
    const lease = (yield* JobLease) * 1000
    const { banks: allBanks } = yield* BankTable
    const turns = yield* UpstreamTurns
    const runners = new Map<string, { readonly slots: number; readonly beatAt: number }>()

    const isFresh = ({ heartbeat }: StoredJob, now: number): boolean =>
      heartbeat !== undefined && heartbeat + lease > now

    const isRunnable = ({ job }: StoredJob): boolean => job.status === "created" || job.status === "in_progress"

    const isFree = (stored: StoredJob, now: number): boolean => isRunnable(stored) && !isFresh(stored, now)

    const isPoked = ({ pokedAt }: StoredJob, now: number): boolean =>
      pokedAt !== undefined && pokedAt + pokeLease * 1000 > now

    const slotsAt = (now: number): number => {
      let sum = 0
      for (const { beatAt, slots } of runners.values()) if (beatAt + runnerSilence * 1000 > now) sum += slots
      return sum
    }

    /** What is under way, what waits, and which connections cannot be had. */
    const survey = (now: number) => {
      const flight: Array<StoredJob> = []
      const due: Array<StoredJob> = []
      for (const id of table.active.values()) {
        const stored = table.jobs.get(id)!
        if (!isRunnable(stored)) continue
        if (isFresh(stored, now) || isPoked(stored, now)) flight.push(stored)
        else due.push(stored)
      }
      const busy = new Set(flight.flatMap(({ banks }) => banks))
      for (const [bank, { until }] of table.leases) if (until > now) busy.add(bank)
      const needsBusy = ({ banks }: StoredJob): boolean =>
        banks.some((bank) => {
          const instance = allBanks.get(bank)?.providerInstanceId
          const turn = instance === undefined ? undefined : turns.get(instance)?.get(wholeLine)
          return busy.has(bank) || (turn !== undefined && turn.nextAt > now + 1_000)
        })
      return { flight, due, needsBusy }
    }

    /** Whose turn it is: who has the least under way comes first, then the oldest. */
    const inTurn = (flight: ReadonlyArray<StoredJob>, due: ReadonlyArray<StoredJob>): ReadonlyArray<StoredJob> => {
      const oldestFirst = due.toSorted(
        (a, b) => ascending(a.job.createdAt, b.job.createdAt) || ascending(a.job.id, b.job.id)
      )
      const seen = new Set<BankId>()
      const under = new Map<string, number>()
      for (const { job } of flight) under.set(job.workspaceId, (under.get(job.workspaceId) ?? 0) + 1)
      return oldestFirst
        .filter(({ banks: [bank] }) => {
          const first = bank === undefined || !seen.has(bank)
          if (bank !== undefined) seen.add(bank)
          return first
        })
        .map((stored) => {
          const turn = (under.get(stored.job.workspaceId) ?? 0) + 1
          under.set(stored.job.workspaceId, turn)
          return { stored, turn }
        })
        .toSorted((a, b) => a.turn - b.turn)
        .map(({ stored }) => stored)
    }

    const failed = (
      stored: StoredJob,
      code: "WORKER_LOST" | "PAUSE_EXPIRED" | "QUEUE_TIMEOUT",
      message: string,
      now: number
    ) => {
      const at = Timestamp.fromMillis(now)
      table.move({ ...stored, job: faulted(stored.job, [ownError(code, message, at)], at) }, "fail", at)
    }

    /** A change by a run, refused when its fence does not hold. */
    const guarded = (fence: Fence, change: (held: StoredJob, at: Timestamp.Timestamp, now: number) => void) =>
      attempt((now): Exit.Exit<void, Fenced> => {
        const held = table.held(fence)
        if (held === undefined) return Exit.fail(new Fenced({ jobId: fence.jobId }))
        change(held, Timestamp.fromMillis(now), now)
        return Exit.void
      })

    return JobStore.of({
      create: (job, { banks = [], replacing }) =>
        attempt((now) => {
          const activeId = table.active.get(job.feedId)
          if (activeId !== undefined && !replacing) return Exit.fail(new FeedLocked({ jobId: activeId }))
          if (activeId !== undefined) table.move(table.jobs.get(activeId)!, "forceCancel", Timestamp.fromMillis(now))
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

      dispatch: (limit) =>
        call((now): Dispatched => {
          const { due, flight, needsBusy } = survey(now)
          const capacity = capacityOf(slotsAt(now))
          const room = Math.max(0, Math.min(limit, capacity - flight.length))
          const free = due.filter((stored) => !needsBusy(stored))
          const chosen = inTurn(flight, free).slice(0, room)
          for (const stored of chosen) table.put({ ...stored, pokedAt: now })
          return {
            jobs: chosen.map(({ job }) => ({ jobId: job.id, feedId: job.feedId })),
            inFlight: flight.length,
            full: flight.length + chosen.length >= capacity,
            more: due.length > chosen.length
          }
        }),
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
          if (stored === undefined || !isFree(stored, now)) return Option.none()
          const lost = stored.heartbeat !== undefined
          if (lost && stored.job.attempt >= limits.jobAttempts) {
            const message = `The worker stopped answering ${stored.job.attempt} times; the job was given up.`
            failed(stored, "WORKER_LOST", message, now)
            return Option.none()
          }
          const fence = { jobId, epoch: stored.epoch + 1 }
          table.free(holderOf({ jobId, epoch: stored.epoch }))
          if (!table.take(banks, holderOf(fence), now, now + lease)) {
            table.put({ ...stored, pokedAt: undefined, banks: [...banks] })
            return Option.none()
          }
          const at = Timestamp.fromMillis(now)
          const { job } = table.move(stored, "dispatch", at, { heartbeat: now })!
          const claimed: Job = {
            ...job,
            attempt: lost ? job.attempt + 1 : Math.max(1, job.attempt),
            startedAt: job.startedAt ?? at
          }
          table.put({ job: claimed, epoch: fence.epoch, heartbeat: now, pokedAt: undefined, banks: [...banks] })
          const { handover } = stored
          return Option.some({ job: claimed, fence, ...(handover === undefined ? {} : { handover }) })
        }),
      beat: (fences, runner?: RunnerSlots) =>
        call((now) => {
          if (runner !== undefined) runners.set(runner.name, { slots: runner.slots, beatAt: now })
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
      handOver: (fence, text) => guarded(fence, (held) => table.put({ ...held, handover: text })),
      leave: (runner) => call(() => void runners.delete(runner)),
      release: (fence) =>
        call((now) => {
          const held = table.held(fence)
          if (held === undefined) return
          table.free(holderOf(fence))
          const job = { ...held.job, updatedAt: Timestamp.fromMillis(now) }
          table.put({ ...held, job, epoch: held.epoch + 1, heartbeat: undefined, pokedAt: undefined })
        }),
      fence: (fence, progress) =>
        guarded(fence, (held, at, now) =>
          table.put({ ...held, job: progressed(held.job, progress, at), heartbeat: now })
        ),

      complete: (fence, progress) =>
        guarded(fence, (held, at) => {
          table.move({ ...held, job: progressed(held.job, progress, at) }, "complete", at)
        }),
      fail: (fence, errors) =>
        guarded(fence, (held, at) => {
          table.move({ ...held, job: faulted(held.job, errors, at) }, "fail", at)
        }),
      pause: (fence, reason, resumeAfter) =>
        guarded(fence, (held, at, now) => {
          const paused = table.move(held, "pause", at)!
          const resumeAt = resumeAfter === undefined ? {} : { resumeAt: Timestamp.fromMillis(now + resumeAfter * 1000) }
          table.put({ ...paused, job: { ...paused.job, pauseReason: reason, ...resumeAt } })
        }),
      cancel: (jobId, event) =>
        attempt((now) => {
          const stored = table.jobs.get(jobId)
          const moved = stored === undefined ? undefined : table.move(stored, event, Timestamp.fromMillis(now))
          if (moved !== undefined) return Exit.succeed(moved.job)
          return Exit.fail(new JobStateConflict({ jobId, status: stored?.job.status ?? "missing", event }))
        }),
      sweep: call((now) => {
        const at = Timestamp.fromMillis(now)
        const isOlder = (since: Timestamp.Timestamp, minutes: number) =>
          now - Timestamp.toMillis(since) > minutes * 60_000
        const { flight, needsBusy } = survey(now)
        const idle = slotsAt(now) > flight.length
        for (const id of table.active.values()) {
          const stored = table.jobs.get(id)!
          const { status, resumeAt, createdAt, updatedAt } = stored.job
          if (status === "created" && isOlder(createdAt, limits.queueMinutes) && idle && !needsBusy(stored)) {
            failed(stored, "QUEUE_TIMEOUT", `No worker was free for ${limits.queueMinutes} minutes.`, now)
          } else if (status === "paused" && resumeAt !== undefined && resumeAt <= at) {
            table.move(stored, "resume", at)
          } else if (status === "paused" && resumeAt === undefined && isOlder(updatedAt, limits.userPauseHours * 60)) {
            failed(stored, "PAUSE_EXPIRED", `Nobody resumed it within ${limits.userPauseHours} hours.`, now)
          }
        }
      }),

      lease: (banks, holder, seconds) => call((now) => table.take(banks, holder, now, now + seconds * 1000)),
      unlease: (holder) => call(() => table.free(holder)),
      holdsLease: (bank, holder) =>
        call((now) => {
          const held = table.leases.get(bank)
          return held !== undefined && held.holder === holder && held.until > now
        })
    })
  })
)
