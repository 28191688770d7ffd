/** Runs of a feed into a table while filters come, change and go. */
import { describe, expect } from "@effect/vitest"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { ledgerOf } from "@millrace/verification/simulation/Checkers"
import { drive, type Simulation } from "@millrace/verification/simulation/Simulation"
import * as Effect from "effect/Effect"
import { enrichmentOf, filterOf, revised, tableFed, when } from "./FilteredScenes.ts"
import { memoryScene, type SceneServices } from "./MemoryScene.ts"

const scene = (title: string, body: (simulation: Simulation) => Effect.Effect<void, unknown, SceneServices>) =>
  memoryScene(title, { model: "upsertByKey" }, body)

const day = 86_400
const today = (simulation: Simulation) => CalendarDate.make(new Date(simulation.clock.now).toISOString().slice(0, 10))

const opened = Effect.fnUntraced(function* (simulation: Simulation) {
  const world = yield* tableFed(simulation)
  const post = (description: string, daysAgo = 1, change: { amount?: string; pending?: boolean } = {}) =>
    world.upstream.post({
      account: "a",
      date: CalendarDate.addDays(today(simulation), -daysAgo),
      amount: change.amount ?? "-1.5",
      description,
      pending: change.pending ?? false
    })
  /** Runs the feed; what it counted, and what stands in the table then. */
  const run = Effect.gen(function* () {
    const { job } = yield* drive(simulation, world.feed)
    const { created, filtered, removed, updated } = job.counts
    return { job, counts: { created, updated, removed, filtered }, texts: yield* world.texts }
  })
  return { ...world, post, run }
})

const tea = when("description", "contains", "tea")

describe("a filter", () => {
  scene("keeps a record away from the destination, counts it, and leaves it in the ledger", (simulation) =>
    Effect.gen(function* () {
      const { account, post, run, workspace } = yield* opened(simulation)
      yield* filterOf(workspace, { conditions: tea })
      for (const text of ["green tea", "rent"]) post(text)
      const { counts, job, texts } = yield* run
      expect([texts, job.status]).toEqual([["rent"], "completed"])
      expect(counts).toEqual({ created: 1, updated: 0, removed: 0, filtered: 1 })
      expect((yield* ledgerOf(account)).map(({ state }) => state)).toEqual(["live", "live"])
      expect((yield* run).counts).toEqual({ created: 0, updated: 0, removed: 0, filtered: 0 })
    })
  )

  scene("delivers a pending row of a checking account once, when it is posted", (simulation) =>
    Effect.gen(function* () {
      const { account, post, run, upstream, workspace } = yield* opened(simulation)
      const config = {
        mode: "keep",
        conditions: when("accountId", "equals", account.id),
        hold: when("pending", "equals", "true")
      }
      yield* filterOf(workspace, config)
      const row = post("rent", 1, { pending: true })
      expect((yield* run).texts).toEqual([])
      upstream.settle(row, { newId: false, link: false })
      expect(yield* run).toMatchObject({ texts: ["rent"], counts: { created: 1 } })
      expect(yield* run).toMatchObject({ texts: ["rent"], counts: { created: 0, updated: 0 } })
    })
  )

  scene("follows a record that is edited: hidden, shown again, hidden again", (simulation) =>
    Effect.gen(function* () {
      const { post, run, upstream, workspace } = yield* opened(simulation)
      yield* filterOf(workspace, { conditions: tea, onDropAfterDelivery: "remove" })
      const row = post("rent")
      expect((yield* run).texts).toEqual(["rent"])
      upstream.change(row, { description: "tea" })
      expect(yield* run).toMatchObject({ texts: [], counts: { removed: 1 } })
      upstream.change(row, { description: "rent again" })
      expect(yield* run).toMatchObject({ texts: ["rent again"], counts: { created: 1 } })
      upstream.change(row, { description: "more tea" })
      expect(yield* run).toMatchObject({ texts: [], counts: { removed: 1 } })
    })
  )

  scene("leaves a row that was delivered before it was dropped, unless it is asked to remove it", (simulation) =>
    Effect.gen(function* () {
      const { post, run, workspace } = yield* opened(simulation)
      for (const [text, daysAgo] of [
        ["tea", 1],
        ["old tea", 200],
        ["rent", 1]
      ] as const)
        post(text, daysAgo)
      const all = ["old tea", "rent", "tea"]
      expect((yield* run).texts).toEqual(all)
      const filter = yield* filterOf(workspace, { conditions: tea })
      expect((yield* run).texts).toEqual(all)
      const removing = yield* revised(filter, { config: { conditions: tea, onDropAfterDelivery: "remove" } })
      expect(yield* run).toMatchObject({ texts: ["rent"], counts: { removed: 2, created: 0, updated: 0 } })
      yield* revised(removing, { enabled: false })
      expect(yield* run).toMatchObject({ texts: all, counts: { removed: 0, created: 2, updated: 0 } })
      expect(yield* run).toMatchObject({ texts: all, counts: { removed: 0, created: 0, updated: 0 } })
    })
  )

  scene("gives way to exactly what it hid when it is switched off, however old that is", (simulation) =>
    Effect.gen(function* () {
      const { post, run, workspace } = yield* opened(simulation)
      const filter = yield* filterOf(workspace, { mode: "keep", conditions: when("amount", "lt", "0") })
      for (const [text, daysAgo] of [
        ["out", 1],
        ["old out", 300]
      ] as const)
        post(text, daysAgo)
      for (const [text, daysAgo] of [
        ["in", 1],
        ["old in", 300]
      ] as const)
        post(text, daysAgo, { amount: "2" })
      expect((yield* run).texts).toEqual(["old out", "out"])
      yield* revised(filter, { enabled: false })
      expect(yield* run).toMatchObject({
        texts: ["in", "old in", "old out", "out"],
        counts: { created: 2, updated: 0, removed: 0 }
      })
    })
  )

  scene("brings back what a range of dates took away under a filter that is gone", (simulation) =>
    Effect.gen(function* () {
      const { feed, post, run, workspace } = yield* opened(simulation)
      const old = post("old tea", 200)
      post("tea")
      yield* run
      const filter = yield* filterOf(workspace, { conditions: tea, onDropAfterDelivery: "remove" })
      const options = { forceCancelActive: false, resetCursors: false, skipDedup: false }
      const range = { ...options, startDate: old.date, endDate: old.date }
      const { job } = yield* drive(simulation, feed, { change: { mode: "range", options: range } })
      expect(job.counts).toMatchObject({ removed: 1, created: 0 })
      yield* revised(filter, { enabled: false })
      expect(yield* run).toMatchObject({ texts: ["old tea", "tea"], counts: { created: 1, removed: 0, updated: 0 } })
    })
  )

  scene("leaves what an old row holds as it is while other rows come and go", (simulation) =>
    Effect.gen(function* () {
      const { post, run, workspace } = yield* opened(simulation)
      for (const [text, daysAgo] of [
        ["rent", 1],
        ["old rent", 200],
        ["old tea", 200]
      ] as const)
        post(text, daysAgo)
      yield* run
      yield* enrichmentOf(workspace, "rule", {
        rules: [
          { conditions: when("description", "contains", "rent"), action: { field: "description", value: "Rent" } }
        ]
      })
      yield* filterOf(workspace, { conditions: tea, onDropAfterDelivery: "remove" })
      expect(yield* run).toMatchObject({
        texts: ["Rent", "old rent"],
        counts: { created: 0, updated: 1, removed: 1 }
      })
    })
  )

  scene("decides again on another day where its dates move, without anything else that changed", (simulation) =>
    Effect.gen(function* () {
      const { post, run, workspace } = yield* opened(simulation)
      yield* filterOf(workspace, {
        mode: "keep",
        conditions: when("date", "onOrAfter", "90d"),
        hold: when("date", "equals", "7d"),
        onDropAfterDelivery: "remove"
      })
      for (const [text, daysAgo] of [
        ["new", 1],
        ["settled", 30],
        ["leaving", 85],
        ["gone", 200]
      ] as const) {
        post(text, daysAgo)
      }
      expect((yield* run).texts).toEqual(["leaving", "settled"])
      yield* simulation.pass(12 * day)
      expect(yield* run).toMatchObject({ texts: ["new", "settled"], counts: { created: 1, updated: 0, removed: 1 } })
      expect(yield* run).toMatchObject({ counts: { created: 0, updated: 0, removed: 0, filtered: 0 } })
      yield* simulation.pass(60 * day)
      expect((yield* run).texts).toEqual(["new"])
    })
  )

  scene("that cannot run holds everything back, is told on the job, and loses nothing", (simulation) =>
    Effect.gen(function* () {
      const { post, run, workspace } = yield* opened(simulation)
      for (const [text, daysAgo] of [
        ["rent", 1],
        ["old", 200]
      ] as const)
        post(text, daysAgo)
      yield* run
      const filter = yield* filterOf(workspace, { conditions: when("amount", "like", "1") })
      for (const [text, daysAgo] of [
        ["tea", 1],
        ["old tea", 200],
        ["later", 100]
      ] as const)
        post(text, daysAgo)
      const { counts, job, texts } = yield* run
      expect(texts).toEqual(["old", "rent"])
      expect(counts).toMatchObject({ created: 0, removed: 0 })
      expect([job.status, job.errors.map(({ category, code }) => [category, code])]).toEqual([
        "completed",
        [["enrichment", "ENRICHMENT_FAILED"]]
      ])
      yield* revised(filter, { config: { conditions: tea } })
      expect(yield* run).toMatchObject({ texts: ["later", "old", "rent"], counts: { created: 1, removed: 0 } })
    })
  )
})
