/** Runs that failed of something that passes, and are tried again by themselves. */
import { describe, expect, it } from "@effect/vitest"
import { NodeDigest } from "@millrace/adapters"
import { DestinationRejected, DestinationUnavailable } from "../../src/destination/Destination.ts"
import * as Recovery from "../../src/failure/Recovery.ts"
import type { Feed } from "../../src/feed/Feed.ts"
import { FeedStore } from "../../src/feed/FeedStore.ts"
import type { Job } from "../../src/job/Job.ts"
import { JobEngine } from "../../src/job/JobEngine.ts"
import { Jobs } from "../../src/job/Jobs.ts"
import { JobStore } from "../../src/job/JobStore.ts"
import * as ProviderErrors from "../../src/provider/ProviderError.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { Cursors } from "../../src/cursor/Cursors.ts"
import { spreadOver, stretched } from "../../src/shared/Jitter.ts"
import { limits } from "../../src/shared/Limits.ts"
import * as Timestamp from "../../src/shared/Timestamp.ts"
import { passesAfter } from "../../src/sync/Retry.ts"
import { warning, type Finding } from "../../src/job/Finding.ts"
import { makeJob, storeFeed } from "@millrace/testing/fixture"
import { mappings } from "@millrace/verification/simulation/FollowingFeed"
import { connect, work, type Simulation } from "@millrace/verification/simulation/Simulation"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import { memoryScene, type SceneServices } from "./MemoryScene.ts"

const engine = Layer.succeed(JobEngine, { poke: () => Effect.void, interrupt: () => Effect.void })
const jobsLayer = Jobs.layer.pipe(
  Layer.provide([engine, Cursors.layer(Redacted.make("only for tests")).pipe(Layer.provide(NodeDigest.layer))])
)

const opened = Effect.fnUntraced(function* (simulation: Simulation) {
  const provider = simulation.providers.find(({ options }) => options.instance === "delta-connection-stable")!
  const { accounts, bank, upstream, workspace } = yield* connect(simulation, provider, ["a"])
  upstream.post({ account: "a", date: CalendarDate.make("2026-11-20"), amount: "-1", description: "one" })
  const path = `${bank.id}.csv`
  const place = simulation.destination.at(path)
  const [feeds, jobs, store] = [yield* FeedStore, yield* Jobs, yield* JobStore]
  const make = (change: Partial<Feed> = {}) =>
    storeFeed(workspace, {
      destinationConfig: { type: "file", path, format: "csv" },
      sourceConfig: { type: "sync", accounts: [{ bankId: bank.id, accountId: accounts[0]!.id }] },
      fieldMappings: mappings,
      ...change
    })
  /** Runs the active job of the feed. */
  const run = Effect.fnUntraced(function* (feed: Feed) {
    const job = Option.getOrThrow(yield* store.active(feed.id))
    yield* work(simulation, job, [bank.id])
    return Option.getOrThrow(yield* store.get(feed.workspaceId, feed.id, job.id))
  })
  /** A job of that type, run. */
  const runOne = Effect.fnUntraced(function* (feed: Feed, type: Job["type"] = "scheduled") {
    yield* store.create(yield* makeJob(feed, { type }), { replacing: false })
    return yield* run(feed)
  })
  /** Seconds until the feed runs again by itself. */
  const due = (feed: Feed) =>
    Effect.map(feeds.states([feed.id]), (states) => {
      const at = states.get(feed.id)?.nextRunAt
      return at === undefined ? undefined : (Timestamp.toMillis(at) - simulation.clock.now) / 1000
    })
  /** The upstream fails as often as a run asks it. */
  const fails = (error: ProviderErrors.ProviderError) => {
    upstream.failures.length = 0
    for (let n = 0; n < 3; n++) upstream.failures.push(error)
  }
  return { upstream, place, make, run, runOne, due, fails, jobs, store, texts: () => place.rows.length }
})

type World = Effect.Success<ReturnType<typeof opened>>

const scene = (
  title: string,
  body: (
    world: World,
    simulation: Simulation
  ) => Effect.Effect<void, unknown, SceneServices | Layer.Success<typeof jobsLayer>>
) =>
  memoryScene(title, { model: "upsertByKey" }, (simulation) =>
    opened(simulation).pipe(
      Effect.flatMap((world) => body(world, simulation)),
      Effect.provide(jobsLayer),
      Random.withSeed(title)
    )
  )

const message = "scripted"

describe("a scheduled run that fails of something that passes", () => {
  scene("is tried again, later each time and never too often", ({ due, fails, jobs, make, run, runOne }, { clock }) =>
    Effect.gen(function* () {
      const feed = yield* make()
      fails(new ProviderErrors.ProviderUnavailable({ message }))
      let job = yield* runOne(feed)
      for (let retry = 1; retry <= limits.runRetries; retry++) {
        expect(job).toMatchObject({ status: "failed", errors: [{ recovery: { action: "retry", afterSeconds: 300 } }] })
        const seconds = (yield* due(feed))!
        expect([retry, seconds >= 300, seconds <= 300 + 60 * 2 ** (retry - 1)]).toEqual([retry, true, true])
        clock.pass(seconds - 1)
        expect(yield* jobs.scheduleDue).toBe(0)
        clock.pass(1)
        expect([yield* jobs.scheduleDue, yield* jobs.scheduleDue]).toEqual([1, 0])
        fails(new ProviderErrors.ProviderUnavailable({ message }))
        job = yield* run(feed)
        expect(job).toMatchObject({ type: "scheduled", retry, startedBy: { kind: "system", reason: "retry" } })
      }
      expect([job.status, yield* due(feed)]).toEqual(["failed", undefined])
      clock.pass(1_000_000)
      expect(yield* jobs.scheduleDue).toBe(0)
    })
  )

  scene("is done with when a retry succeeds, and begins anew when the next one fails", (world, { clock }) =>
    Effect.gen(function* () {
      const { due, fails, jobs, make, run, runOne, texts, upstream } = world
      const feed = yield* make()
      fails(new ProviderErrors.InstitutionUnavailable({ message }))
      yield* runOne(feed, "webhook")
      clock.pass((yield* due(feed))!)
      yield* jobs.scheduleDue
      upstream.failures.length = 0
      expect(yield* run(feed)).toMatchObject({ status: "completed", type: "webhook", retry: 1 })
      expect([yield* due(feed), texts()]).toEqual([undefined, 1])
      fails(new ProviderErrors.InstitutionUnavailable({ message }))
      yield* runOne(feed)
      clock.pass((yield* due(feed))!)
      yield* jobs.scheduleDue
      expect((yield* run(feed)).retry).toBe(1)
    })
  )

  scene("waits as long as the upstream asks", ({ due, fails, make, runOne }) =>
    Effect.gen(function* () {
      const feed = yield* make()
      fails(new ProviderErrors.RateLimited({ message, scope: "client", retryAfter: 290 }))
      yield* runOne(feed)
      const seconds = (yield* due(feed))!
      expect([seconds >= 290, seconds <= 350]).toEqual([true, true])
    })
  )

  scene("leaves it to the schedule where that comes first", ({ due, fails, make, runOne }, { clock }) =>
    Effect.gen(function* () {
      const schedule = { enabled: true, frequency: "hourly", timeOfDay: "00:00" } as const
      const error = new ProviderErrors.ProviderUnavailable({ message })
      const soon = yield* make({ schedule, nextRunAt: Timestamp.fromMillis(clock.now + 300_000) })
      fails(error)
      yield* runOne(soon)
      expect(yield* due(soon)).toBeUndefined()
      const late = yield* make({ schedule, nextRunAt: Timestamp.fromMillis(clock.now + 3_600_000) })
      fails(error)
      yield* runOne(late)
      expect(yield* due(late)).toBeLessThanOrEqual(360)
      const off = yield* make({ schedule: { ...schedule, enabled: false } })
      fails(error)
      yield* runOne(off)
      expect(yield* due(off)).toBeDefined()
    })
  )

  scene(
    "is not tried again when a person syncs in the meantime",
    ({ due, fails, jobs, make, run, runOne, store, upstream }, { clock }) =>
      Effect.gen(function* () {
        const feed = yield* make()
        fails(new ProviderErrors.ProviderUnavailable({ message }))
        yield* runOne(feed)
        const seconds = (yield* due(feed))!
        upstream.failures.length = 0
        yield* store.create(yield* makeJob(feed), { replacing: false })
        clock.pass(seconds)
        expect(yield* jobs.scheduleDue).toBe(0)
        yield* run(feed)
        expect(yield* jobs.scheduleDue).toBe(0)
      })
  )

  scene("is tried again when the destination is away, and not when it refuses everything", (world, simulation) =>
    Effect.gen(function* () {
      const { due, make, place, runOne, store } = world
      const feed = yield* make()
      place.faults.push("unavailable", "unavailable", "unavailable", "unavailable")
      expect((yield* runOne(feed)).errors).toMatchObject([{ code: "DESTINATION_UNAVAILABLE" }])
      expect(yield* due(feed)).toBeGreaterThanOrEqual(300)
      const other = yield* make()
      yield* store.create(yield* makeJob(other, { type: "scheduled" }), { replacing: false })
      const job = Option.getOrThrow(yield* store.active(other.id))
      simulation.points.arm(1, Effect.fail(new DestinationRejected({ message })), "Destination.write")
      yield* work(simulation, job, [])
      expect(yield* due(other)).toBeUndefined()
    })
  )
})

describe("a run that is not tried again by itself", () => {
  for (const error of [
    new ProviderErrors.ReauthRequired({ message }),
    new ProviderErrors.ConsentRequired({ message }),
    new ProviderErrors.ConnectionGone({ message }),
    new ProviderErrors.InstitutionUnavailable({ message, permanent: true }),
    new ProviderErrors.Misconfigured({ message }),
    new ProviderErrors.ProtocolViolation({ message, path: "rows" })
  ]) {
    scene(`is one that failed of ${error._tag}`, ({ due, fails, make, runOne }) =>
      Effect.gen(function* () {
        const feed = yield* make()
        fails(error)
        const job = yield* runOne(feed)
        expect([job.status, job.errors[0]?.recovery?.action === "retry", yield* due(feed)]).toEqual([
          "failed",
          false,
          undefined
        ])
      })
    )
  }

  scene("is one that a person asked for", ({ due, fails, make, runOne }) =>
    Effect.gen(function* () {
      const feed = yield* make()
      fails(new ProviderErrors.ProviderUnavailable({ message }))
      expect([(yield* runOne(feed, "manual")).status, yield* due(feed)]).toEqual(["failed", undefined])
    })
  )
})

describe("within a run", () => {
  scene("a destination is given the time that it asks for, if it is short", ({ make, place, runOne }, simulation) =>
    Effect.gen(function* () {
      const waited = Effect.fnUntraced(function* (retryAfter: number) {
        const began = simulation.clock.now
        simulation.points.arm(1, Effect.fail(new DestinationUnavailable({ message, retryAfter })), "Destination.write")
        const job = yield* runOne(yield* make())
        return [job.status, (simulation.clock.now - began) / 1000] as const
      })
      const [status, seconds] = yield* waited(100)
      expect([status, seconds >= 100, seconds <= 125, place.rows.length]).toEqual(["completed", true, true, 1])
      expect(yield* waited(limits.pauseOverSeconds + 1)).toEqual(["failed", 0])
    })
  )

  it.effect("waits are spread by chance, and never shorter than was asked", () =>
    Effect.gen(function* () {
      const many = yield* Effect.forEach(Array.from({ length: 500 }), () =>
        Effect.all([stretched(8), spreadOver(5, 60)])
      )
      const [short, long] = [many.map(([seconds]) => seconds), many.map(([, seconds]) => seconds)]
      expect([Math.min(...short) >= 8, Math.max(...short) <= 10, new Set(short).size > 400]).toEqual([true, true, true])
      expect([Math.min(...long) >= 5, Math.max(...long) <= 65, Math.max(...long) - Math.min(...long) > 50]).toEqual([
        true,
        true,
        true
      ])
    })
  )
})

describe("passesAfter", () => {
  const fatal = (recovery?: Finding["recovery"]): Finding => ({
    severity: "fatal",
    category: "provider",
    code: "PROVIDER_UNAVAILABLE",
    message,
    recovery
  })
  it.each([
    ["the longest wait", [fatal(Recovery.retryAfter(60)), fatal(Recovery.retryAfter(900))], 900],
    ["what the fatal ones say", [fatal(Recovery.retryAfter(60)), warning("provider", "CHECKPOINT_LOST", message)], 60],
    ["nothing, when one of them does not pass", [fatal(Recovery.retryAfter(60)), fatal(Recovery.reconnect)], undefined],
    ["nothing, when one of them says nothing", [fatal(Recovery.retryAfter(60)), fatal()], undefined],
    ["nothing of a run that did not fail", [warning("provider", "CHECKPOINT_LOST", message)], undefined]
  ])("is %s", (_, findings, expected) => {
    expect(passesAfter(findings)).toBe(expected)
  })
})
