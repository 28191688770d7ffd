import { describe, expect } from "@effect/vitest"
import { makeJob, storeFeed, storeTable } from "@millrace/testing/fixture"
import { rowsOf } from "@millrace/verification/quality/undo/TableText"
import { drive, type Simulation } from "@millrace/verification/simulation/Simulation"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { RecordOverrides } from "../../src/explain/RecordOverrides.ts"
import { Undo } from "../../src/explain/Undo.ts"
import { EventStore } from "../../src/event/EventStore.ts"
import { feedLease } from "../../src/feed/FeedLease.ts"
import { causeOf } from "../../src/job/JobEvents.ts"
import { JobStore } from "../../src/job/JobStore.ts"
import { Leases } from "../../src/storage/Lease.ts"
import { LocalRuns } from "../../src/task/LocalRuns.ts"
import { TaskStore } from "../../src/task/TaskStore.ts"
import { fed, localRuns, scene, setting, simulated } from "../explain/ExplainScenes.ts"
import { enrichmentOf, revised } from "../sync/FilteredScenes.ts"

/** A feed that has delivered two records, one of them by a rule. */
const delivered = Effect.fnUntraced(function* (simulation: Simulation) {
  const world = yield* fed(simulation)
  yield* enrichmentOf(world.workspace, "rule", setting("category", "Drinks"))
  world.post("green tea")
  world.post("rent", "-900", 300)
  yield* world.run
  const jobs = yield* JobStore
  const { id: feedId, workspaceId } = world.feed
  return {
    ...world,
    jobs: Effect.map(jobs.list(workspaceId, feedId, { limit: 10 }), (all) => all.length),
    with: (text: string) => Effect.map(world.rows, (all) => all.filter((row) => row.includes(text)).length)
  }
})

describe("a local run", () => {
  scene("delivers what people say, take back and undo, without a job and without its events", (simulation) =>
    Effect.gen(function* () {
      const world = yield* delivered(simulation)
      const { caller, idOf, workspace } = world
      const { clear, set } = yield* RecordOverrides
      const { undo } = yield* Undo
      const events = Effect.map(
        (yield* EventStore).read(workspace.id, 0, 100),
        (all) => all.filter(({ type }) => type.startsWith("feed.sync")).length
      )
      const told = yield* events
      const [tea, rent] = [yield* idOf("green tea"), yield* idOf("rent")]
      yield* set(caller, rent, { fields: { category: "Home" } })
      yield* set(caller, tea, { fields: { merchantName: "Tea House" } })
      expect(yield* world.with("category=Home")).toBe(0)
      // Both are one run of the feed.
      expect(yield* localRuns).toBe(1)
      expect([yield* world.with("category=Home"), yield* world.with("Tea House")]).toEqual([1, 1])
      yield* clear(caller, rent)
      expect(yield* localRuns).toBe(1)
      expect(yield* world.with("category=Home")).toBe(0)
      yield* undo(caller, tea, { field: "category" })
      yield* localRuns
      expect(yield* world.with("category=Drinks")).toBe(0)
      yield* undo(caller, tea, { field: "category", redo: true })
      yield* localRuns
      expect(yield* world.with("category=Drinks")).toBe(1)
      expect([yield* world.jobs, yield* events, yield* localRuns]).toEqual([1, told, 0])
    })
  )

  scene("waits for a job that is on its way, which carries along what it finds", (simulation) =>
    Effect.gen(function* () {
      const { caller, feed, idOf, with: count } = yield* delivered(simulation)
      const jobs = yield* JobStore
      const { set } = yield* RecordOverrides
      const job = yield* makeJob(feed)
      yield* jobs.create(job, { replacing: false })
      yield* set(caller, yield* idOf("rent"), { fields: { category: "Home" } })
      expect([yield* localRuns, yield* count("category=Home")]).toEqual([1, 0])
      // It does not hold the feed meanwhile.
      expect(Option.isNone(yield* (yield* Leases).current(feedLease(feed.id)))).toBe(true)
      yield* jobs.cancel(job.id, "cancel", causeOf(job))
      yield* simulation.pass(2)
      expect([yield* localRuns, yield* count("category=Home")]).toEqual([1, 1])
    })
  )

  scene("keeps a job waiting and never refuses one", (simulation) =>
    Effect.gen(function* () {
      const { feed } = yield* delivered(simulation)
      const leases = yield* Leases
      const jobs = yield* JobStore
      yield* leases.take([feedLease(feed.id)], "local:run", 60)
      const job = yield* makeJob(feed)
      yield* jobs.create(job, { replacing: false })
      expect(Option.isNone(yield* jobs.claim(job.id, []))).toBe(true)
      yield* leases.free("local:run")
      expect(Option.isSome(yield* jobs.claim(job.id, []))).toBe(true)
      // Nobody else has the feed while a job runs.
      expect(Option.isNone(yield* leases.take([feedLease(feed.id)], "local:other", 60))).toBe(true)
    })
  )

  scene(
    "comes to feeds that show what a decision changes elsewhere, and to none that has delivered nothing",
    (simulation) =>
      Effect.gen(function* () {
        const { account, bank, caller, feed, idOf, run, workspace } = yield* delivered(simulation)
        const feedTo = Effect.fnUntraced(function* () {
          const table = yield* storeTable(workspace, { fields: [] })
          const made = yield* storeFeed(workspace, {
            destinationConfig: { type: "table", tableId: table.id, createMissingColumns: true },
            sourceConfig: { type: "sync", accounts: [{ bankId: bank.id, accountId: account.id }] },
            fieldMappings: feed.fieldMappings
          })
          return { made, rows: rowsOf(table) }
        })
        const [other, idle] = [yield* feedTo(), yield* feedTo()]
        yield* drive(simulation, other.made)
        yield* run
        yield* localRuns
        yield* (yield* RecordOverrides).set(caller, yield* idOf("rent"), { fields: { category: "Home" } })
        yield* localRuns
        expect((yield* other.rows).filter((row) => row.includes("category=Home"))).toHaveLength(1)
        expect(yield* idle.rows).toEqual([])
      })
  )

  scene("leaves a change of the configuration to the next job", (simulation) =>
    Effect.gen(function* () {
      const { caller, idOf, run, with: count, workspace } = yield* delivered(simulation)
      yield* enrichmentOf(workspace, "rule", setting("merchantName", "Tea House"))
      yield* (yield* RecordOverrides).set(caller, yield* idOf("rent"), { fields: { category: "Home" } })
      yield* localRuns
      expect([yield* count("category=Home"), yield* count("Tea House")]).toEqual([1, 0])
      yield* run
      expect(yield* count("Tea House")).toBe(1)
    })
  )

  scene("is done by another process where one died with it", (simulation) =>
    Effect.gen(function* () {
      const { caller, idOf, with: count } = yield* delivered(simulation)
      yield* (yield* RecordOverrides).set(caller, yield* idOf("rent"), { fields: { category: "Home" } })
      const store = yield* TaskStore
      const { tasks } = yield* store.claim("dead", [{ kind: "local_run", limit: 1 }], 10)
      expect(tasks).toHaveLength(1)
      expect(yield* localRuns).toBe(0)
      yield* simulation.pass(11)
      expect([yield* localRuns, yield* count("category=Home")]).toEqual([1, 1])
    })
  )

  scene("delivers what follows where a run is undone, and made again", (simulation) =>
    Effect.gen(function* () {
      const { caller, rows, run, workspace } = yield* delivered(simulation)
      const before = yield* rows
      yield* enrichmentOf(workspace, "month_sum", { limit: "1000", field: "amount" })
      const { job } = yield* run
      const after = yield* rows
      expect(after.filter((row) => row.includes("monthSum=-"))).not.toEqual([])
      const { undoRun } = yield* Undo
      yield* undoRun(caller, job.id)
      expect([yield* localRuns, yield* rows]).toEqual([1, before])
      yield* undoRun(caller, job.id, true)
      expect([yield* localRuns, yield* rows]).toEqual([1, after])
    })
  )
})

describe("a change of enrichments", () => {
  scene("reaches older rows where it is asked to, and is counted on the job where it is not", (simulation) =>
    Effect.gen(function* () {
      const { caller, feed, post, run, with: count, workspace } = yield* delivered(simulation)
      for (let n = 0; n < 3; n++) post(`old tea ${n}`, "-3", 60 + n)
      yield* run
      const config = setting("merchantName", "Tea House")
      const enrichment = { name: "Tea", type: "rule", dataType: "transactions", allFeeds: true, config } as const
      const { deliveries } = yield* simulated(caller, { changes: [{ kind: "create", enrichment }] })
      // What the next run would do, and what a full one would.
      expect(deliveries).toMatchObject([{ create: 0, update: 4, remove: 0, now: { create: 0, update: 1, remove: 0 } }])
      const old = yield* enrichmentOf(workspace, "rule", config)
      const { job } = yield* run
      expect([yield* count("Tea House"), job.counts.differs]).toEqual([1, 3])
      expect(job.counts.updated).toBe(1)
      expect((yield* run).job.counts.differs).toBe(0)
      const runs = yield* LocalRuns
      yield* runs.overHistory(workspace.id, [feed.id])
      expect([yield* localRuns, yield* count("Tea House")]).toEqual([1, 4])
      yield* revised(old, { enabled: false })
      yield* runs.overHistory(workspace.id, [feed.id])
      expect([yield* localRuns, yield* count("Tea House")]).toEqual([1, 0])
      expect((yield* run).job.counts.differs).toBe(0)
    }).pipe(Effect.provide(LocalRuns.layer))
  )

  scene("leaves what rules say of older rows as it was where an enrichment of sets says something else", (simulation) =>
    Effect.gen(function* () {
      const { idOf, caller, post, rows, run, workspace } = yield* delivered(simulation)
      post("old tea", "-3", 100)
      post("older tea", "-4", 101)
      yield* run
      yield* enrichmentOf(workspace, "rule", setting("merchantName", "Tea House"))
      yield* enrichmentOf(workspace, "rule", setting("category", "Leaves"))
      yield* enrichmentOf(workspace, "month_sum", { limit: "1000", field: "amount" })
      yield* run
      const oldRows = Effect.map(rows, (all) => all.filter((row) => /old(er)? tea/.test(row)))
      const summed = yield* oldRows
      expect(summed.filter((row) => row.includes("monthSum=-"))).toHaveLength(2)
      expect(summed.filter((row) => row.includes("Tea House") || row.includes("Leaves"))).toEqual([])
      expect(summed.filter((row) => row.includes("category=Drinks"))).toHaveLength(2)
      // What a person says of one is written, and nothing else.
      yield* (yield* RecordOverrides).set(caller, yield* idOf("old tea"), { fields: { category: "Mine" } })
      yield* localRuns
      expect((yield* oldRows).filter((row) => row.includes("category=Mine"))).toHaveLength(1)
      expect((yield* oldRows).filter((row) => row.includes("Tea House"))).toEqual([])
    })
  )
})
