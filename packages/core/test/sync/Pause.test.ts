/** A person's pause, asked for at every third point of a run; `MILLRACE_LONG=1` asks for it at every one. */
import { describe, expect } from "@effect/vitest"
import { DeliveryStore } from "../../src/destination/DeliveryStore.ts"
import { JobStore } from "../../src/job/JobStore.ts"
import { RateLimited } from "../../src/provider/ProviderError.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { limits } from "../../src/shared/Limits.ts"
import { SyncRun } from "../../src/usecase/SyncRun.ts"
import { makeJob, somebody, storeFeed, storeTable } from "@millrace/testing/fixture"
import { mappings } from "@millrace/verification/simulation/FollowingFeed"
import { connect, drive, work, type Simulation } from "@millrace/verification/simulation/Simulation"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { afterAll, beforeAll } from "vitest"
import { memoryScene, type SceneServices } from "./MemoryScene.ts"

const sizes = limits as { commitChunk: number }
const { commitChunk } = limits
beforeAll(() => {
  sizes.commitChunk = 2
})
afterAll(() => {
  sizes.commitChunk = commitChunk
})

/** Points from one pause to the next. */
const stride = process.env["MILLRACE_LONG"] === "1" ? 1 : 3

const scene = (
  title: string,
  model: Simulation["model"],
  body: (simulation: Simulation) => Effect.Effect<void, unknown, SceneServices>
) => memoryScene(title, { model }, body)

/** A feed of an account with six rows, read in pages of three. */
const opened = Effect.fnUntraced(function* (simulation: Simulation, at: "table" | "file") {
  const provider = simulation.providers.find(({ options }) => options.instance === "delta-connection-stable")!
  const { accounts, bank, upstream, workspace } = yield* connect(simulation, provider, ["a"])
  for (let n = 0; n < 6; n++) {
    upstream.post({ account: "a", date: CalendarDate.make("2026-11-20"), amount: "-1", description: `${n}` })
  }
  const path = `${bank.id}.csv`
  const feed = yield* storeFeed(workspace, {
    destinationConfig:
      at === "file"
        ? { type: "file", path, format: "csv" }
        : { type: "table", tableId: (yield* storeTable(workspace, { fields: [] })).id, createMissingColumns: true },
    sourceConfig: { type: "sync", accounts: [{ bankId: bank.id, accountId: accounts[0]!.id }] },
    fieldMappings: mappings
  })
  const delivered = Effect.map(
    Effect.flatMap(DeliveryStore, (store) => store.list(feed.id, { limit: 100, state: "done" })),
    (rows) => rows.length
  )
  return { bank, upstream, feed, place: simulation.destination.at(path), delivered }
})

/** A run in which a person asks for a pause at the nth point, and everything after it until the end. */
const pausedAt = Effect.fnUntraced(function* (
  simulation: Simulation,
  world: Effect.Success<ReturnType<typeof opened>>,
  at: number
) {
  const { feed } = world
  const { points } = simulation
  const jobs = yield* JobStore
  const job = yield* makeJob(feed)
  yield* jobs.create(job, { replacing: false })
  let fired = false
  points.arm(
    at,
    Effect.andThen(
      Effect.sync(() => (fired = true)),
      Effect.ignore(jobs.askPause(job.id, somebody))
    )
  )
  yield* work(simulation, job, [world.bank.id])
  const get = Effect.map(jobs.get(feed.workspaceId, feed.id, job.id), Option.getOrThrow)
  const paused = yield* get
  const delivered = yield* world.delivered
  if (paused.status === "paused") {
    yield* jobs.resume(job.id, somebody)
    yield* work(simulation, job, [world.bank.id])
  }
  return { fired, paused, delivered, ended: yield* get }
})

const places = [
  { at: "file", model: "upsertByKey" },
  { at: "file", model: "idempotencyKey" },
  { at: "file", model: "readBack" },
  { at: "file", model: "wholeFile" },
  { at: "table", model: "upsertByKey" }
] as const

describe("a pause", () => {
  for (const { at, model } of places) {
    scene(`stops the run at the end of a page wherever it is asked for: to a ${at} (${model})`, model, (simulation) =>
      Effect.gen(function* () {
        const partly = new Set<number>()
        for (let n = 1; ; n += stride) {
          const world = yield* opened(simulation, at)
          const { delivered, ended, fired, paused } = yield* pausedAt(simulation, world, n)
          if (!fired) break
          // Asked for before it is taken up, or in its last page, it comes too early or too late.
          expect(["paused", "completed", "in_progress"]).toContain(paused.status)
          if (paused.status === "paused") {
            expect(paused.pauseReason).toBe("user")
            partly.add(delivered)
          }
          expect([n, ended.status, yield* world.delivered]).toEqual([n, "completed", 6])
          const { counts } = ended
          expect([n, counts.read + counts.vanished + counts.carried]).toEqual([
            n,
            counts.created + counts.updated + counts.removed + counts.unchanged + counts.filtered + counts.failed
          ])
          if (at === "file") expect(new Set(world.place.rows.map(({ key }) => key)).size).toBe(world.place.rows.length)
        }
        // Whole files settle after they were replaced, in chunks; all others between their batches.
        expect(partly.size).toBeGreaterThan(2)
      })
    )
  }

  scene("comes between two pages of an upstream that takes its time", "upsertByKey", (simulation) =>
    Effect.gen(function* () {
      const { bank, feed, upstream } = yield* opened(simulation, "file")
      const jobs = yield* JobStore
      const job = yield* makeJob(feed)
      yield* jobs.create(job, { replacing: false })
      const claimed = Option.getOrThrow(yield* jobs.claim(job.id, [bank.id]))
      yield* jobs.askPause(job.id, somebody)
      upstream.meanwhile.push(() => simulation.clock.pass(3))
      yield* Effect.exit((yield* SyncRun).run(claimed))
      expect([
        upstream.pulls,
        (yield* jobs.get(feed.workspaceId, feed.id, job.id)).pipe(Option.getOrThrow).status
      ]).toEqual([2, "paused"])
    })
  )

  scene("asks storage nothing more for a page of an upstream that is quick", "upsertByKey", (simulation) =>
    Effect.gen(function* () {
      const { feed } = yield* opened(simulation, "file")
      const calls = new Map<string, number>()
      yield* drive(simulation, feed)
      yield* drive(simulation, feed, {
        change: { mode: "full", options: { forceCancelActive: false, resetCursors: true, skipDedup: false } },
        arm: () => {
          simulation.points.strike = (call, edge) => {
            if (edge === "begins") calls.set(call, (calls.get(call) ?? 0) + 1)
            return undefined
          }
        }
      })
      expect([calls.get("Provider.pull"), calls.get("JobStore.pauseAsked")]).toEqual([2, undefined])
    })
  )

  scene("ends a wait for an upstream", "upsertByKey", (simulation) =>
    Effect.gen(function* () {
      const { bank, feed, upstream } = yield* opened(simulation, "file")
      const jobs = yield* JobStore
      const job = yield* makeJob(feed)
      yield* jobs.create(job, { replacing: false })
      upstream.failures.push(new RateLimited({ message: "slow", scope: "client", retryAfter: 200 }))
      const began = simulation.clock.now
      simulation.points.arm(1, Effect.ignore(jobs.askPause(job.id, somebody)), "Provider.pull")
      const { exit } = yield* work(simulation, job, [bank.id])
      expect(String(exit)).toContain("Fenced")
      const after = Option.getOrThrow(yield* jobs.get(feed.workspaceId, feed.id, job.id))
      expect([after.status, simulation.clock.now - began < 5_000]).toEqual(["paused", true])
    })
  )
})
