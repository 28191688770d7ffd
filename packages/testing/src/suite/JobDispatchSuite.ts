/** Conformance of `JobStore`: who is handed out, when, and to how many. Every test has a store of its own. */
import type { BankId } from "@millrace/core/bank"
import { BankStore, JobStore, pokeLease } from "@millrace/core/storage"
import { capacityOf, type Dispatched, type Job, type JobId, runnerSilence } from "@millrace/core/job"
import { UpstreamBudget } from "@millrace/core/rate"
import { Ids, limits } from "@millrace/core"
import type { Workspace } from "@millrace/core/workspace"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { describe } from "vitest"
import { storeBank } from "../fixture/Bank.ts"
import { storeFeed } from "../fixture/Feed.ts"
import { makeJob, storeJob } from "../fixture/Job.ts"
import { freeBanks, leaseBank } from "../fixture/Lease.ts"
import { storeWorkspace } from "../fixture/Workspace.ts"
import { StoreClock, type StorageServices, type SuiteOptions } from "./StorageTests.ts"

/** More than the lease of a run. */
const leaseOver = 7

const arrange = Effect.gen(function* () {
  const [store, clock] = [yield* JobStore, yield* StoreClock]
  const workspace = yield* storeWorkspace()
  /** Jobs of as many feeds, in the order in which they are made. */
  const queue = Effect.fnUntraced(function* (
    count: number,
    of: { readonly workspace?: Workspace; readonly banks?: ReadonlyArray<BankId>; readonly type?: Job["type"] } = {}
  ) {
    const made: Array<Job> = []
    for (let n = 0; n < count; n++) {
      const job = yield* makeJob(yield* storeFeed(of.workspace ?? workspace), { type: of.type ?? "manual" })
      yield* store.create(job, { replacing: false, banks: of.banks ?? [] })
      made.push(job)
    }
    return made
  })
  return {
    store,
    clock,
    workspace,
    queue,
    room: (slots: number, name = "a runner") => store.beat([], { name, slots })
  }
})

const idsOf = (list: { readonly jobs: Dispatched["jobs"] } | ReadonlyArray<Job>): ReadonlyArray<JobId> =>
  "jobs" in list ? list.jobs.map(({ jobId }) => jobId) : (list as ReadonlyArray<Job>).map(({ id }) => id)

const many = 1_000

export const suite = <E>(
  name: string,
  storage: Layer.Layer<StorageServices | UpstreamBudget | StoreClock, E>,
  options?: SuiteOptions
): void => {
  const test = options?.liveClock === true ? it.live : it.effect
  const conforms = (
    title: string,
    body: Effect.Effect<void, unknown, StorageServices | UpstreamBudget | StoreClock | Ids>
  ) => test(title, () => Effect.provide(body, Layer.merge(Layer.fresh(storage), Ids.layer)), 60_000)

  describe(name, () => {
    conforms(
      "hands nothing out while nobody reports slots",
      Effect.gen(function* () {
        const { queue, room, store } = yield* arrange
        const jobs = yield* queue(2)
        expect(yield* store.dispatch(many)).toEqual({ jobs: [], inFlight: 0, full: true, more: true })
        yield* room(0)
        expect((yield* store.dispatch(many)).jobs).toEqual([])
        yield* room(2)
        expect(idsOf(yield* store.dispatch(many))).toEqual(idsOf(jobs))
      })
    )

    conforms(
      "hands out the oldest first, no more than asked for and than the slots of all runners leave room for",
      Effect.gen(function* () {
        const { queue, room, store } = yield* arrange
        const jobs = idsOf(yield* queue(12))
        yield* room(2, "one")
        yield* room(4, "other")
        const capacity = capacityOf(6)
        expect(yield* store.dispatch(3)).toMatchObject({ inFlight: 0, full: false, more: true })
        const rest = yield* store.dispatch(many)
        expect(idsOf(rest)).toEqual(jobs.slice(3, capacity))
        expect(rest).toMatchObject({ inFlight: 3, full: true, more: true })
        expect(yield* store.dispatch(many)).toEqual({ jobs: [], inFlight: capacity, full: true, more: true })
      })
    )

    conforms(
      "tells the feed of each job, and that nothing is left",
      Effect.gen(function* () {
        const { queue, room, store } = yield* arrange
        const jobs = yield* queue(2)
        yield* room(10)
        expect(yield* store.dispatch(many)).toEqual({
          jobs: jobs.map(({ feedId, id }) => ({ jobId: id, feedId })),
          inFlight: 0,
          full: false,
          more: false
        })
      })
    )

    conforms(
      "forgets the slots of a runner that says no more, and of one that leaves",
      Effect.gen(function* () {
        const { clock, queue, room, store } = yield* arrange
        yield* queue(3)
        yield* room(1, "silent")
        yield* clock.pass(runnerSilence - 2)
        yield* room(1, "leaving")
        yield* store.leave("leaving")
        yield* store.leave("never seen")
        expect(yield* store.dispatch(1)).toMatchObject({ jobs: [{}] })
        yield* clock.pass(3)
        expect(yield* store.dispatch(many)).toMatchObject({ jobs: [], full: true })
      })
    )

    conforms(
      "hands a job out again that nobody claimed in time, and loses no worker by it",
      Effect.gen(function* () {
        const { clock, queue, room, store } = yield* arrange
        const [job] = yield* queue(1)
        yield* room(4)
        for (let lost = 0; lost < limits.jobAttempts + 1; lost++) {
          expect(idsOf(yield* store.dispatch(many))).toEqual([job!.id])
          expect((yield* store.dispatch(many)).jobs).toEqual([])
          yield* clock.pass(pokeLease + 0.5)
          yield* room(4)
        }
        const claimed = Option.getOrThrow(yield* store.claim(job!.id, []))
        expect(claimed.job.attempt).toBe(1)
        // What was given back and handed out to nobody was not lost, either.
        yield* store.release(claimed.fence)
        for (let lost = 0; lost < 3; lost++) {
          expect(idsOf(yield* store.dispatch(many))).toEqual([job!.id])
          yield* clock.pass(pokeLease + 0.5)
          yield* room(4)
        }
        expect(Option.getOrThrow(yield* store.claim(job!.id, [])).job.attempt).toBe(1)
      })
    )

    conforms(
      "hands the job of a lost worker out once the lease of its run is over, and its claim counts the loss",
      Effect.gen(function* () {
        const { clock, queue, room, store } = yield* arrange
        const [job] = yield* queue(1)
        yield* room(4)
        yield* store.dispatch(many)
        yield* store.claim(job!.id, [])
        yield* clock.pass(pokeLease + 0.5)
        yield* room(4)
        expect(yield* store.dispatch(many)).toEqual({ jobs: [], inFlight: 1, full: false, more: false })
        yield* clock.pass(leaseOver - pokeLease)
        yield* room(4)
        expect(idsOf(yield* store.dispatch(many))).toEqual([job!.id])
        expect((yield* store.dispatch(many)).jobs).toEqual([])
        expect(Option.getOrThrow(yield* store.claim(job!.id, [])).job.attempt).toBe(2)
      })
    )

    conforms(
      "hands a job out at once that was declined or given back",
      Effect.gen(function* () {
        const { queue, room, store } = yield* arrange
        const [job] = yield* queue(1)
        yield* room(4)
        yield* store.dispatch(many)
        yield* store.decline(job!.id)
        expect(idsOf(yield* store.dispatch(many))).toEqual([job!.id])
        const { fence } = Option.getOrThrow(yield* store.claim(job!.id, []))
        // Too late: it runs.
        yield* store.decline(job!.id)
        expect((yield* store.dispatch(many)).jobs).toEqual([])
        yield* store.release(fence)
        expect(idsOf(yield* store.dispatch(many))).toEqual([job!.id])
        yield* store.decline(yield* (yield* Ids).next("job"))
      })
    )

    conforms(
      "gives no job to two of many that ask at once",
      Effect.gen(function* () {
        const { queue, room, store } = yield* arrange
        const jobs = yield* queue(30)
        yield* room(100)
        const answers = yield* Effect.all(
          Array.from({ length: 8 }, () => store.dispatch(many)),
          { concurrency: "unbounded" }
        )
        expect(answers.flatMap(idsOf).toSorted()).toEqual(idsOf(jobs).toSorted())
      })
    )

    conforms(
      "lets workspaces take turns, however many jobs one of them has queued before",
      Effect.gen(function* () {
        const { queue, room, store, workspace } = yield* arrange
        const [busy, other, third] = [workspace, yield* storeWorkspace(), yield* storeWorkspace()]
        const first = idsOf(yield* queue(40, { workspace: busy }))
        yield* room(3)
        // Four of them are under way.
        expect(idsOf(yield* store.dispatch(many))).toEqual(first.slice(0, 4))
        const [o1, o2] = idsOf(yield* queue(2, { workspace: other }))
        const [t1] = idsOf(yield* queue(1, { workspace: third }))
        yield* room(6)
        // Room for four more: those who have nothing under way come first, in the order of age.
        expect(idsOf(yield* store.dispatch(many))).toEqual([o1, t1, o2, first[4]])
      })
    )

    conforms(
      "shares the slots equally between workspaces that both have a long queue",
      Effect.gen(function* () {
        const { queue, room, store } = yield* arrange
        const [one, other] = [yield* storeWorkspace(), yield* storeWorkspace()]
        const ofOne = new Set(idsOf(yield* queue(60, { workspace: one })))
        yield* queue(60, { workspace: other })
        yield* room(6)
        let mine = 0
        for (let round = 0; round < 5; round++) {
          const { jobs } = yield* store.dispatch(many)
          expect(jobs).toHaveLength(capacityOf(6))
          for (const { jobId } of jobs) {
            if (ofOne.has(jobId)) mine++
            yield* store.complete(Option.getOrThrow(yield* store.claim(jobId, [])).fence, {})
          }
        }
        expect(mine).toBe((5 * capacityOf(6)) / 2)
      })
    )

    conforms(
      "gives each of many workspaces a turn, more of them than there is room for",
      Effect.gen(function* () {
        const { queue, room, store } = yield* arrange
        const firsts: Array<JobId> = []
        const all: Array<JobId> = []
        for (let n = 0; n < 12; n++) {
          const made = idsOf(yield* queue(2, { workspace: yield* storeWorkspace() }))
          firsts.push(made[0]!)
          all.push(...made)
        }
        yield* room(3)
        const given: Array<JobId> = []
        for (let round = 0; round < 30 && given.length < all.length; round++) {
          for (const { jobId } of (yield* store.dispatch(many)).jobs) {
            given.push(jobId)
            yield* store.complete(Option.getOrThrow(yield* store.claim(jobId, [])).fence, {})
          }
        }
        // Nobody has a second one before everybody had a first, although those who were served have nothing under way.
        expect(given.slice(0, firsts.length)).toEqual(firsts)
        expect(given.toSorted()).toEqual(all.toSorted())
      })
    )

    conforms(
      "lets who comes late wait for one job of each other workspace, and not for all that they have queued before",
      Effect.gen(function* () {
        const { queue, room, store } = yield* arrange
        const others = 12
        for (let n = 0; n < others; n++) yield* queue(4, { workspace: yield* storeWorkspace() })
        yield* room(3)
        const given: Array<JobId> = []
        const round = Effect.gen(function* () {
          for (const { jobId } of (yield* store.dispatch(many)).jobs) {
            given.push(jobId)
            yield* store.complete(Option.getOrThrow(yield* store.claim(jobId, [])).fence, {})
          }
        })
        yield* round
        const [late] = idsOf(yield* queue(1, { workspace: yield* storeWorkspace() }))
        for (let more = 0; more < others && !given.includes(late!); more++) yield* round
        expect(given.indexOf(late!)).toBe(others)
      })
    )

    conforms(
      "lets what a person triggers wait for nothing that schedules have queued before, of any workspace or connection",
      Effect.gen(function* () {
        const { queue, room, store, workspace } = yield* arrange
        const shared = yield* storeBank(workspace)
        for (let n = 0; n < 12; n++) yield* queue(3, { workspace: yield* storeWorkspace(), type: "scheduled" })
        yield* queue(3, { type: "webhook" })
        yield* queue(3, { type: "scheduled", banks: [shared.id] })
        yield* room(3)
        expect((yield* store.dispatch(many)).jobs).toHaveLength(capacityOf(3))
        // Of somebody who was served a moment ago.
        const late = yield* storeWorkspace()
        const [earlier] = idsOf(yield* queue(1, { workspace: late }))
        yield* room(4)
        expect(idsOf(yield* store.dispatch(1))).toEqual([earlier])
        yield* store.complete(Option.getOrThrow(yield* store.claim(earlier!, [])).fence, {})
        const [again] = idsOf(yield* queue(1, { workspace: late }))
        const [own] = idsOf(yield* queue(1, { banks: [shared.id] }))
        yield* room(6)
        expect(idsOf(yield* store.dispatch(2)).toSorted()).toEqual([again, own].toSorted())
      })
    )

    conforms(
      "leaves schedules half of the room, however many people trigger",
      Effect.gen(function* () {
        const { queue, room, store } = yield* arrange
        const scheduled = new Set<JobId>()
        for (let n = 0; n < 12; n++) {
          yield* queue(2, { workspace: yield* storeWorkspace() })
          const [job] = idsOf(yield* queue(1, { workspace: yield* storeWorkspace(), type: "scheduled" }))
          scheduled.add(job!)
        }
        yield* room(3)
        const underWay: Array<JobId> = [...idsOf(yield* store.dispatch(many))]
        let ofSchedules = 0
        for (let ended = 0; ended < 8; ended++) {
          const oldest = underWay.shift()!
          if (scheduled.has(oldest)) ofSchedules++
          yield* store.complete(Option.getOrThrow(yield* store.claim(oldest, [])).fence, {})
          underWay.push(...idsOf(yield* store.dispatch(many)))
        }
        expect(ofSchedules).toBe(4)
      })
    )

    conforms(
      "keeps jobs out of the way whose connection is busy, and hands one out when it is free",
      Effect.gen(function* () {
        const { queue, room, store, workspace } = yield* arrange
        const bank = yield* storeBank(workspace)
        const waiting = idsOf(yield* queue(20, { banks: [bank.id] }))
        const free = idsOf(yield* queue(3))
        yield* room(4)
        // One at a time, and the others take no room.
        expect(idsOf(yield* store.dispatch(many))).toEqual([waiting[0], ...free])
        expect(yield* store.dispatch(many)).toMatchObject({ jobs: [], more: true, full: false })
        const { fence } = Option.getOrThrow(yield* store.claim(waiting[0]!, [bank.id]))
        expect((yield* store.dispatch(many)).jobs).toEqual([])
        yield* store.complete(fence, {})
        expect(idsOf(yield* store.dispatch(many))).toEqual([waiting[1]])
      })
    )

    conforms(
      "fills its room with the jobs of others where the connections of many workspaces are busy, those of both kinds",
      Effect.gen(function* () {
        const { queue, room, store } = yield* arrange
        const types = ["manual", "scheduled"] as const
        for (let n = 0; n < 10; n++) {
          const blocked = yield* storeWorkspace()
          const bank = yield* storeBank(blocked)
          expect(yield* leaseBank(bank.id, "a reader")).toBe(true)
          for (const type of types) yield* queue(1, { workspace: blocked, banks: [bank.id], type })
        }
        const free: Array<JobId> = []
        for (let n = 0; n < 8; n++) {
          free.push(...idsOf(yield* queue(1, { workspace: yield* storeWorkspace(), type: types[n % 2]! })))
        }
        yield* room(3)
        const capacity = capacityOf(3)
        expect(idsOf(yield* store.dispatch(many))).toEqual(free.slice(0, capacity))
        yield* room(3 * capacity)
        expect(idsOf(yield* store.dispatch(many))).toEqual(free.slice(capacity))
        yield* freeBanks("a reader")
        expect(idsOf(yield* store.dispatch(2))).toHaveLength(2)
      })
    )

    conforms(
      "sets a job aside whose connection was found to be busy by its claim, and not for longer",
      Effect.gen(function* () {
        const { queue, room, store, workspace } = yield* arrange
        const bank = yield* storeBank(workspace)
        // Nobody knew which connection it needs.
        const [job] = yield* queue(1)
        yield* room(1)
        expect(yield* leaseBank(bank.id, "a reader")).toBe(true)
        yield* store.dispatch(many)
        expect(yield* store.claim(job!.id, [bank.id])).toEqual(Option.none())
        expect(yield* store.dispatch(many)).toEqual({ jobs: [], inFlight: 0, full: false, more: true })
        yield* freeBanks("a reader")
        expect(idsOf(yield* store.dispatch(many))).toEqual([job!.id])
      })
    )

    conforms(
      "keeps jobs out of the way whose provider wants to be left alone",
      Effect.gen(function* () {
        const { clock, queue, room, store, workspace } = yield* arrange
        const [held, other] = [
          yield* storeBank(workspace, { providerInstanceId: "demo:held" }),
          yield* storeBank(workspace, { providerInstanceId: "demo:other" })
        ]
        const [first] = yield* queue(1, { banks: [held.id] })
        const [second] = yield* queue(1, { banks: [other.id] })
        yield* room(4)
        yield* (yield* UpstreamBudget).hold({ instanceId: "demo:held", connection: undefined }, 30)
        expect(idsOf(yield* store.dispatch(many))).toEqual([second!.id])
        yield* clock.pass(31)
        yield* room(4)
        expect(idsOf(yield* store.dispatch(many))).toContain(first!.id)
      })
    )

    conforms(
      "lets a job wait for longer than the queue allows while all slots are taken, or its connection",
      Effect.gen(function* () {
        const { clock, queue, room, store, workspace } = yield* arrange
        const bank = yield* storeBank(workspace)
        const [running, waiting] = yield* queue(2)
        const [bound] = yield* queue(1, { banks: [bank.id] })
        yield* clock.pass(limits.queueMinutes * 60 + 60)
        yield* room(1)
        expect(Option.isSome(yield* store.claim(running!.id, []))).toBe(true)
        yield* leaseBank(bank.id, "a reader")
        const statusOf = ({ feedId, id }: Job) =>
          Effect.map(store.get(workspace.id, feedId, id), (job) => Option.getOrThrow(job).status)
        yield* store.sweep
        expect([yield* statusOf(waiting!), yield* statusOf(bound!)]).toEqual(["created", "created"])
        yield* room(2)
        yield* store.sweep
        expect([yield* statusOf(waiting!), yield* statusOf(bound!)]).toEqual(["failed", "created"])
      })
    )

    conforms(
      "passes on what a run leaves for the next one, once",
      Effect.gen(function* () {
        const { queue, store } = yield* arrange
        const [job] = yield* queue(1)
        const first = Option.getOrThrow(yield* store.claim(job!.id, []))
        expect(Object.keys(first)).not.toContain("resumeSnapshot")
        yield* store.saveResumeSnapshot(first.fence, 'page 7 of "12" \\ ü')
        yield* store.release(first.fence)
        expect((yield* Effect.flip(store.saveResumeSnapshot(first.fence, "too late")))._tag).toBe("Fenced")
        const second = Option.getOrThrow(yield* store.claim(job!.id, []))
        expect(second.resumeSnapshot).toBe('page 7 of "12" \\ ü')
        yield* store.release(second.fence)
        const third = Option.getOrThrow(yield* store.claim(job!.id, []))
        expect(Object.keys(third)).not.toContain("resumeSnapshot")
      })
    )

    // A listener needs time of its own: the machine's.
    it.live(
      "tells of jobs that are made and given back",
      () =>
        Effect.gen(function* () {
          const { queue, room, store } = yield* arrange
          const told = { times: 0 }
          const listening = yield* Effect.forkChild(
            Stream.runForEach(store.arrivals, () => Effect.sync(() => void told.times++))
          )
          const more = Effect.fnUntraced(function* (before: number) {
            for (let waited = 0; told.times <= before && waited < 5_000; waited += 20) yield* Effect.sleep("20 millis")
            expect(told.times).toBeGreaterThan(before)
            // Whatever else comes of it.
            yield* Effect.sleep("100 millis")
            return told.times
          })
          let now = yield* more(0)
          const [job] = yield* queue(1)
          now = yield* more(now)
          yield* room(1)
          yield* store.dispatch(many)
          const { fence } = Option.getOrThrow(yield* store.claim(job!.id, []))
          yield* store.fence(fence, {})
          now = told.times
          yield* store.release(fence)
          yield* more(now)
          yield* Fiber.interrupt(listening)
        }).pipe(Effect.provide(Layer.merge(Layer.fresh(storage), Ids.layer))),
      300_000
    )

    conforms(
      "finds its way through a long backlog without handing out one job twice",
      Effect.gen(function* () {
        const { room, store, workspace } = yield* arrange
        const banks = yield* BankStore
        expect(yield* banks.list([workspace.id])).toEqual([])
        const jobs = yield* Effect.forEach(
          Array.from({ length: 200 }),
          () => Effect.flatMap(storeFeed(workspace), storeJob),
          { concurrency: 4 }
        )
        const seen: Array<JobId> = []
        for (let round = 0; round < 20 && seen.length < jobs.length; round++) {
          // Room that nobody spoke of for a while is gone, and a round may take that long.
          yield* room(20)
          for (const { jobId } of (yield* store.dispatch(many)).jobs) {
            seen.push(jobId)
            yield* store.complete(Option.getOrThrow(yield* store.claim(jobId, [])).fence, {})
          }
        }
        expect(seen).toHaveLength(200)
        expect(new Set(seen).size).toBe(200)
        expect(yield* store.dispatch(many)).toMatchObject({ jobs: [], inFlight: 0, more: false })
      })
    )
  })
}
