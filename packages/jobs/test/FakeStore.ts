/**
 * A job store in memory that follows the port for what an engine calls, with an outage at the flick of a
 * switch. It is deliberately smaller than the real one: the engine's tests must not depend on an adapter.
 */
import type { BankId } from "@millrace/core/bank"
import type { FeedId } from "@millrace/core/feed"
import {
  capacityOf,
  isActive,
  type Job,
  type JobError,
  type JobEvent,
  type JobId,
  noCounts,
  transition
} from "@millrace/core/job"
import {
  type ClaimedJob,
  type Fence,
  Fenced,
  JobLease,
  JobStateConflict,
  JobStore,
  pokeLease,
  StorageUnavailable
} from "@millrace/core/storage"
import { limits, Timestamp } from "@millrace/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

interface Row {
  job: Job
  epoch: number
  beatAt: number | undefined
  pokedAt: number | undefined
  banks: ReadonlyArray<BankId>
}

/** A number as the 26 characters of an id. */
const digits = (n: number): string => String(n).padStart(26, "0")
export const feedId = (n: number): FeedId => `feed_${digits(n)}` as FeedId
export const bankId = (n: number): BankId => `bank_${digits(n)}` as BankId

const unused = (name: string) => () => Effect.die(`the engine must not call ${name}`)

export const makeFakeStore = Effect.gen(function* () {
  const leaseMillis = (yield* JobLease) * 1000
  const rows = new Map<JobId, Row>()
  const leases = new Map<BankId, string>()
  const runners = new Map<string, number>()
  const calls = { dispatch: 0, claim: 0, beat: 0, sweep: 0, release: 0 }
  let away = false
  let full = false
  let serial = 0
  let jump = 0

  /** The store's own clock: not necessarily that of the process. */
  const clock = Effect.map(Clock.currentTimeMillis, (now) => now + jump)

  const reach = Effect.suspend(() =>
    away ? Effect.fail(new StorageUnavailable({ message: "connection refused" })) : Effect.yieldNow
  )
  /** As `reach`, for calls that write: they find no room where the disk is full. */
  const write = Effect.suspend(() =>
    full ? Effect.fail(new StorageUnavailable({ message: "no room", full: true })) : reach
  )
  const isFree = (row: Row, now: number): boolean =>
    (row.job.status === "created" || row.job.status === "in_progress") &&
    (row.beatAt === undefined || now - row.beatAt > leaseMillis)
  const isDue = (row: Row, now: number): boolean =>
    isFree(row, now) && (row.pokedAt === undefined || now - row.pokedAt > pokeLease * 1000)
  const dropLeases = (id: JobId): void => {
    for (const [bank, holder] of leases) if (holder === id) leases.delete(bank)
  }
  const move = (row: Row, event: JobEvent, errors: ReadonlyArray<JobError> = []): boolean => {
    const found = transition(row.job.status, event)
    if (found === undefined) return false
    row.job = { ...row.job, status: found.to, errors: [...row.job.errors, ...errors] }
    if (found.newEpoch) row.epoch++
    if (found.to !== "in_progress") dropLeases(row.job.id)
    return true
  }
  const fenced = (fence: Fence): Effect.Effect<Row, Fenced | StorageUnavailable> =>
    Effect.flatMap(reach, () => {
      const row = rows.get(fence.jobId)
      return row !== undefined && row.epoch === fence.epoch && row.job.status === "in_progress"
        ? Effect.succeed(row)
        : Effect.fail(new Fenced({ jobId: fence.jobId }))
    })

  const add = (feed: FeedId, now: number): JobId => {
    const at = Timestamp.fromMillis(now)
    const id = `job_${digits(++serial)}` as JobId
    const job: Job = {
      id,
      feedId: feed,
      workspaceId: `ws_${digits(1)}` as Job["workspaceId"],
      userId: "usr_1",
      startedBy: { kind: "user", userId: "usr_1" },
      status: "created",
      type: "manual",
      mode: "incremental",
      options: { forceCancelActive: false, resetCursors: false, skipDedup: false },
      counts: noCounts,
      errors: [],
      attempt: 0,
      createdAt: at,
      updatedAt: at
    }
    rows.set(id, { job, epoch: 0, beatAt: undefined, pokedAt: undefined, banks: [] })
    return id
  }

  const resume = (id: JobId): void => {
    const row = rows.get(id)!
    move(row, "resume")
    const { pauseReason: _, resumeAt: _at, ...job } = row.job
    row.job = job
    row.beatAt = undefined
    row.pokedAt = undefined
  }

  const store = JobStore.of({
    create: unused("create"),
    get: unused("get"),
    active: unused("active"),
    list: unused("list"),
    fenceBank: unused("fenceBank"),
    saveResumeSnapshot: unused("saveResumeSnapshot"),
    arrivals: Stream.never,
    leave: (name) => Effect.sync(() => void runners.delete(name)),
    decline: (jobId) => Effect.sync(() => void (rows.get(jobId)!.pokedAt = undefined)),
    dispatch: (limit) =>
      Effect.andThen(
        reach,
        Effect.map(clock, (now) => {
          calls.dispatch++
          const active = [...rows.values()].filter(
            ({ job }) => job.status === "created" || job.status === "in_progress"
          )
          const due = active.filter((row) => isDue(row, now))
          const inFlight = active.length - due.length
          const capacity = capacityOf([...runners.values()].reduce((sum, slots) => sum + slots, 0))
          const free = due.filter(({ banks }) => !banks.some((bank) => leases.has(bank)))
          const chosen = free.slice(0, Math.max(0, Math.min(limit, capacity - inFlight)))
          for (const row of chosen) row.pokedAt = now
          return {
            jobs: chosen.map(({ job }) => ({ jobId: job.id, feedId: job.feedId })),
            inFlight,
            full: inFlight + chosen.length >= capacity,
            more: due.length > chosen.length
          }
        })
      ),
    claim: Effect.fnUntraced(function* (jobId, banks) {
      yield* reach
      calls.claim++
      const now = yield* clock
      const row = rows.get(jobId)
      if (row === undefined || !isFree(row, now)) return Option.none<ClaimedJob>()
      row.banks = banks
      row.pokedAt = undefined
      if (banks.some((bank) => (leases.get(bank) ?? jobId) !== jobId)) return Option.none<ClaimedJob>()
      const lost = row.job.status === "in_progress" && row.beatAt !== undefined
      const attempt = row.job.attempt + (lost || row.job.attempt === 0 ? 1 : 0)
      if (attempt > limits.jobAttempts) {
        move(row, "fail")
        return Option.none<ClaimedJob>()
      }
      move(row, "dispatch")
      for (const bank of banks) leases.set(bank, jobId)
      row.job = { ...row.job, attempt }
      row.beatAt = now
      return Option.some({ job: row.job, fence: { jobId, epoch: row.epoch } })
    }),
    beat: Effect.fnUntraced(function* (fences, runner) {
      yield* reach
      if (runner !== undefined) runners.set(runner.name, runner.slots)
      calls.beat++
      const now = yield* clock
      const kept: Array<JobId> = []
      for (const fence of fences) {
        const row = rows.get(fence.jobId)
        if (row === undefined || row.epoch !== fence.epoch || row.job.status !== "in_progress") continue
        row.beatAt = now
        kept.push(fence.jobId)
      }
      return kept
    }),
    release: (fence) =>
      fenced(fence).pipe(
        Effect.map((row) => {
          calls.release++
          row.epoch++
          row.beatAt = undefined
          row.pokedAt = undefined
          dropLeases(fence.jobId)
        }),
        Effect.catchTag("Fenced", () => Effect.void)
      ),
    fence: (fence) => Effect.as(fenced(fence), false),
    askPause: unused("askPause"),
    pauseAsked: unused("pauseAsked"),
    resume: unused("resume"),
    now: Effect.die("the engine must not call now"),
    purge: unused("purge"),
    complete: (fence) => Effect.map(fenced(fence), (row) => void move(row, "complete")),
    fail: (fence, errors) => Effect.map(fenced(fence), (row) => void move(row, "fail", errors)),
    pause: (fence, pauseReason, resumeAfter) =>
      Effect.gen(function* () {
        yield* write
        const row = yield* fenced(fence)
        const now = yield* clock
        move(row, "pause")
        row.job = {
          ...row.job,
          pauseReason,
          ...(resumeAfter === undefined ? {} : { resumeAt: Timestamp.fromMillis(now + resumeAfter * 1000) })
        }
      }),
    cancel: (jobId, event) =>
      Effect.flatMap(reach, () => {
        const row = rows.get(jobId)
        return row !== undefined && move(row, event)
          ? Effect.succeed(row.job)
          : Effect.fail(new JobStateConflict({ jobId, status: row?.job.status ?? "missing", event }))
      }),
    sweep: Effect.andThen(
      reach,
      Effect.map(clock, (now) => {
        calls.sweep++
        for (const { job } of rows.values()) {
          if (job.status === "paused" && job.resumeAt !== undefined && Timestamp.toMillis(job.resumeAt) <= now)
            resume(job.id)
        }
      })
    )
  })

  return {
    store,
    calls,
    /** A job that waits for a worker. */
    add: (feed: FeedId) => Effect.map(clock, (now) => add(feed, now)),
    clock,
    /** Sets the store's clock ahead, or back. */
    jump: (millis: number): void => {
      jump += millis
    },
    job: (id: JobId): Job => rows.get(id)!.job,
    jobs: (): ReadonlyArray<Job> => [...rows.values()].map((row) => row.job),
    hasActive: (feed: FeedId): boolean =>
      [...rows.values()].some(({ job }) => job.feedId === feed && isActive(job.status)),
    /** Whether it was given back and waits for another worker, with no lease to run out. */
    isReleased: (id: JobId): boolean => {
      const { beatAt, job } = rows.get(id)!
      return job.status === "in_progress" && beatAt === undefined
    },
    /** As if a worker had taken the job and died at once. */
    abandon: (id: JobId) => Effect.orDie(store.claim(id, [])),
    resume,
    /** Whether what is written finds no room; heartbeats and claims do, as in pages that are there already. */
    setFull: (value: boolean): void => {
      full = value
    },
    setAway: (value: boolean): void => {
      away = value
    }
  }
})

export type FakeStore = Effect.Success<typeof makeFakeStore>
