/** Rows that are refused, given up, deleted by people, forgotten by their destination, and asked for again. */
import { describe, expect } from "@effect/vitest"
import { DeliveryStore } from "../../src/destination/DeliveryStore.ts"
import { FeedStore } from "../../src/feed/FeedStore.ts"
import type { JobCounts, SyncOptions } from "../../src/job/Job.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { limits } from "../../src/shared/Limits.ts"
import { makeTableField, storeFeed, storeTable } from "@millrace/testing/fixture"
import { mappings } from "@millrace/verification/simulation/FollowingFeed"
import { connect, drive, type Simulation } from "@millrace/verification/simulation/Simulation"
import * as Effect from "effect/Effect"
import { memoryScene, type SceneServices } from "./MemoryScene.ts"

const scene = (
  title: string,
  model: Simulation["model"],
  body: (simulation: Simulation) => Effect.Effect<void, unknown, SceneServices>,
  keySeconds?: number
) => memoryScene(title, { model, ...(keySeconds === undefined ? {} : { keySeconds }) }, body)

const balance = (counts: JobCounts): number =>
  counts.read +
  counts.vanished +
  counts.carried -
  (counts.created + counts.updated + counts.removed + counts.unchanged + counts.filtered + counts.failed)

const opened = Effect.fnUntraced(function* (simulation: Simulation) {
  const provider = simulation.providers.find(({ options }) => options.instance === "delta-connection-stable")!
  const { accounts, bank, upstream, workspace } = yield* connect(simulation, provider, ["a"])
  const path = `${bank.id}.csv`
  const place = simulation.destination.at(path)
  const store = yield* DeliveryStore
  const feed = yield* storeFeed(workspace, {
    destinationConfig: { type: "file", path, format: "csv" },
    sourceConfig: { type: "sync", accounts: [{ bankId: bank.id, accountId: accounts[0]!.id }] },
    fieldMappings: mappings
  })
  const post = (description: string) =>
    upstream.post({ account: "a", date: CalendarDate.make("2026-11-20"), amount: "-1.5", description })
  const sync = (options: Partial<SyncOptions> = {}) =>
    Effect.map(
      drive(simulation, feed, {
        change: {
          mode: options.resetCursors === true ? "full" : "incremental",
          options: { forceCancelActive: false, resetCursors: false, skipDedup: false, ...options }
        }
      }),
      ({ job }) => {
        expect([job.status, balance(job.counts)]).toEqual(["completed", 0])
        return job
      }
    )
  return {
    upstream,
    feed,
    place,
    post,
    sync,
    texts: () => place.rows.map(({ values }) => String(values["description"])).toSorted(),
    rows: store.list(feed.id, { limit: 100 }),
    reopen: (state: "failed" | "dead" | "skipped" | "done") => store.reopen(feed.id, { state, limit: 100 })
  }
})

/** A row that was refused until it was given up, beside one that is delivered. */
const givenUp = Effect.fnUntraced(function* (simulation: Simulation) {
  const world = yield* opened(simulation)
  const { place, post, rows, sync } = world
  const bad = post("bad")
  post("good")
  place.refuses = (values) => values["description"] === "bad"
  for (let attempt = 1; attempt <= limits.deliveryAttempts; attempt++) {
    const { counts, errors } = yield* sync()
    expect([counts.failed, counts.carried]).toEqual([1, attempt === 1 ? 0 : 1])
    expect(errors).toMatchObject([{ code: "DESTINATION_REJECTED", severity: "warning" }])
    expect(errors[0]!.message.includes("given up")).toBe(attempt === limits.deliveryAttempts)
  }
  const dead = (yield* rows).filter((row) => row.dead)
  expect(dead).toMatchObject([{ state: "failed", attempts: limits.deliveryAttempts, lastError: "is refused here" }])
  return { ...world, bad }
})

describe("a row that is refused again and again", () => {
  for (const model of ["upsertByKey", "readBack", "idempotencyKey"] as const) {
    scene(`is left alone after so many attempts: ${model}`, model, (simulation) =>
      Effect.gen(function* () {
        const { place, sync, texts } = yield* givenUp(simulation)
        const { writes } = place
        place.refuses = () => false
        const { counts, errors } = yield* sync()
        expect([counts, errors, place.writes, texts()]).toMatchObject([{ read: 0, failed: 0 }, [], writes, ["good"]])
      })
    )

    scene(`is sent again as a new version: ${model}`, model, (simulation) =>
      Effect.gen(function* () {
        const { bad, place, sync, texts, upstream } = yield* givenUp(simulation)
        place.refuses = () => false
        upstream.change(bad, { description: "better" })
        expect((yield* sync()).counts).toMatchObject({ read: 1, created: 1, failed: 0 })
        expect(texts()).toEqual(["better", "good"])
      })
    )

    scene(`is sent again when somebody asks for it: ${model}`, model, (simulation) =>
      Effect.gen(function* () {
        const { place, reopen, rows, sync, texts } = yield* givenUp(simulation)
        place.refuses = () => false
        expect(yield* reopen("dead")).toBe(1)
        expect((yield* sync()).counts).toMatchObject({ read: 0, carried: 1, created: 1 })
        expect([texts(), (yield* rows).map(({ state }) => state)]).toEqual([
          ["bad", "good"],
          ["done", "done"]
        ])
      })
    )

    scene(`is sent again by skipDedup and by resetCursors: ${model}`, model, (simulation) =>
      Effect.gen(function* () {
        for (const options of [{ skipDedup: true }, { resetCursors: true }]) {
          const { place, sync, texts } = yield* givenUp(simulation)
          place.refuses = () => false
          expect((yield* sync(options)).counts).toMatchObject({ read: 2, created: 1, updated: 1 })
          expect(texts()).toEqual(["bad", "good"])
        }
      })
    )
  }

  scene("is tried once by each job where rows are part of our own transactions", "upsertByKey", (simulation) =>
    Effect.gen(function* () {
      const { accounts, bank, upstream, workspace } = yield* connect(
        simulation,
        simulation.providers.find(({ options }) => options.instance === "delta-connection-stable")!,
        ["a"]
      )
      for (const description of ["12", "no number"]) {
        upstream.post({ account: "a", date: CalendarDate.make("2026-11-20"), amount: "-1.5", description })
      }
      const number = yield* makeTableField("description", { name: "description", type: "number", position: 0 })
      const table = yield* storeTable(workspace, { fields: [number] })
      const feed = yield* storeFeed(workspace, {
        destinationConfig: { type: "table", tableId: table.id, createMissingColumns: true },
        sourceConfig: { type: "sync", accounts: [{ bankId: bank.id, accountId: accounts[0]!.id }] },
        fieldMappings: mappings
      })
      const store = yield* DeliveryStore
      for (let attempt = 1; attempt <= limits.deliveryAttempts + 1; attempt++) {
        const { job } = yield* drive(simulation, feed)
        const [row] = yield* store.list(feed.id, { state: "failed", limit: 5 })
        const given = Math.min(attempt, limits.deliveryAttempts)
        expect([attempt, job.status, balance(job.counts), row!.attempts, row!.dead]).toEqual([
          attempt,
          "completed",
          0,
          given,
          given === limits.deliveryAttempts
        ])
        const last = attempt > limits.deliveryAttempts
        expect([attempt, job.counts.failed, job.counts.carried, job.errors.length]).toEqual([
          attempt,
          last ? 0 : 1,
          last || attempt === 1 ? 0 : 1,
          last ? 0 : 1
        ])
      }
    })
  )

  scene("is taken back when its record goes", "upsertByKey", (simulation) =>
    Effect.gen(function* () {
      const { bad, rows, sync, upstream } = yield* givenUp(simulation)
      upstream.remove(bad)
      expect((yield* sync()).counts).toMatchObject({ vanished: 1, removed: 1 })
      expect((yield* rows).filter(({ dead }) => dead)).toEqual([])
    })
  )
})

describe("a redelivery", () => {
  scene("makes a row again that a person deleted, which no plain run does", "upsertByKey", (simulation) =>
    Effect.gen(function* () {
      const { place, post, reopen, sync, texts, upstream } = yield* opened(simulation)
      const row = post("one")
      yield* sync()
      place.remove(place.rows[0]!.key)
      upstream.change(row, { description: "two" })
      expect((yield* sync()).counts).toMatchObject({ read: 1, unchanged: 1 })
      upstream.change(row, { description: "three" })
      yield* sync({ skipDedup: true })
      expect(texts()).toEqual([])
      expect(yield* reopen("skipped")).toBe(1)
      expect((yield* sync()).counts).toMatchObject({ read: 0, carried: 1, created: 1 })
      expect(texts()).toEqual(["three"])
      place.remove(place.rows[0]!.key)
      upstream.change(row, { description: "four" })
      yield* sync()
      yield* sync({ resetCursors: true })
      expect(texts()).toEqual(["four"])
    })
  )

  scene("makes nothing of a deleted row whose record has gone", "upsertByKey", (simulation) =>
    Effect.gen(function* () {
      const { place, post, reopen, sync, texts, upstream } = yield* opened(simulation)
      const row = post("one")
      yield* sync()
      place.remove(place.rows[0]!.key)
      upstream.change(row, { description: "two" })
      yield* sync()
      upstream.remove(row)
      expect((yield* sync()).counts).toMatchObject({ vanished: 1, unchanged: 1 })
      expect([yield* reopen("skipped"), texts()]).toEqual([0, []])
    })
  )

  scene("sends delivered rows again in their places", "idempotencyKey", (simulation) =>
    Effect.gen(function* () {
      const { place, post, reopen, sync, texts } = yield* opened(simulation)
      for (const text of ["one", "two"]) post(text)
      yield* sync()
      const refs = place.rows.map(({ ref }) => ref)
      place.rows = place.rows.map((row) => ({ ...row, values: { ...row.values, description: "torn" } }))
      expect(yield* reopen("done")).toBe(2)
      expect((yield* sync()).counts).toMatchObject({ carried: 2, updated: 2 })
      expect([texts(), place.rows.map(({ ref }) => ref)]).toEqual([["one", "two"], refs])
    })
  )

  scene(
    "of rows that the running job has just delivered is done by that job, and counted twice",
    "upsertByKey",
    (simulation) =>
      Effect.gen(function* () {
        const { feed, place, post, reopen, rows } = yield* opened(simulation)
        // Three batches of four.
        for (let n = 0; n < 10; n++) post(`${n}`)
        const store = yield* DeliveryStore
        const { job } = yield* drive(simulation, feed, {
          arm: () =>
            simulation.points.arm(
              3,
              Effect.orDie(Effect.provideService(reopen("done"), DeliveryStore, store)),
              "Destination.write"
            )
        })
        expect([job.status, balance(job.counts)]).toEqual(["completed", 0])
        expect(job.counts).toMatchObject({ read: 10, created: 10, updated: 4, carried: 4 })
        expect([place.writes, (yield* rows).every(({ state }) => state === "done")]).toEqual([14, true])
      })
  )
})

describe("a destination that remembers keys for a while", () => {
  scene(
    "does not get a row again that it may have and has forgotten, until somebody asks for it",
    "idempotencyKey",
    (simulation) =>
      Effect.gen(function* () {
        const { feed, place, post, reopen, rows, sync, texts } = yield* opened(simulation)
        post("one")
        place.faults.push("answerLost", "answerLost", "answerLost", "answerLost")
        const lost = yield* drive(simulation, feed)
        expect([lost.job.status, lost.job.errors[0]?.code, texts()]).toEqual([
          "failed",
          "DESTINATION_UNAVAILABLE",
          ["one"]
        ])
        simulation.clock.pass(601)
        const { counts, errors } = yield* sync()
        expect(counts).toMatchObject({ carried: 1, failed: 1 })
        expect(errors[0]?.message).toContain("whether it arrived is not known")
        expect([yield* rows, texts()]).toMatchObject([[{ state: "failed", dead: true }], ["one"]])
        yield* reopen("dead")
        yield* sync()
        expect(texts()).toEqual(["one", "one"])
      }),
    600
  )

  scene(
    "gets it again under the same key while it remembers, and what came after it as another",
    "idempotencyKey",
    (simulation) =>
      Effect.gen(function* () {
        const { feed, place, post, sync, texts, upstream } = yield* opened(simulation)
        const row = post("one")
        place.faults.push("answerLost", "answerLost", "answerLost", "answerLost")
        yield* drive(simulation, feed)
        simulation.clock.pass(500)
        upstream.change(row, { description: "two" })
        // Created before, updated now: one row, and the counters say so.
        expect((yield* sync()).counts).toMatchObject({ read: 1, updated: 1 })
        upstream.change(row, { description: "one" })
        yield* sync()
        expect(texts()).toEqual(["one"])
      }),
    600
  )
})

describe("a whole file", () => {
  scene("is written once while it is empty, and again when its columns change", "wholeFile", (simulation) =>
    Effect.gen(function* () {
      const { feed, place, sync } = yield* opened(simulation)
      yield* sync()
      expect(place.writes).toBe(1)
      yield* sync()
      expect(place.writes).toBe(1)
      yield* (yield* FeedStore).update({ ...feed, version: 2, fieldMappings: mappings.slice(0, 2) })
      yield* sync()
      yield* sync()
      expect(place.writes).toBe(2)
    })
  )
})
