/** What every body of triggerSync does, for every type of data (decisions 7.5). */
import { describe, expect } from "@effect/vitest"
import { DemoProvider } from "@millrace/adapters/provider"
import { BankStore } from "../../src/bank/BankStore.ts"
import { Banks } from "../../src/bank/Banks.ts"
import { DeliveryStore } from "../../src/destination/DeliveryStore.ts"
import type { DataTypeOptions } from "../../src/feed/FeedConfig.ts"
import { FeedStore } from "../../src/feed/FeedStore.ts"
import type { JobCounts } from "../../src/job/Job.ts"
import type { TriggerSync } from "../../src/job/Jobs.ts"
import { JobStore } from "../../src/job/JobStore.ts"
import { planSync } from "../../src/job/SyncPlan.ts"
import { syncDataTypes, type SyncDataType } from "../../src/record/DataType.ts"
import { RecordStore } from "../../src/record/RecordStore.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { limits } from "../../src/shared/Limits.ts"
import { defaultMappings } from "../../src/destination/Columns.ts"
import { makeBank, somebody, storeFeed, storeWorkspace } from "@millrace/testing/fixture"
import { drive, type Simulation } from "@millrace/verification/simulation/Simulation"
import { completeOf } from "@millrace/testing/fake"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { afterAll, beforeAll } from "vitest"
import { memoryScene, type SceneServices } from "./MemoryScene.ts"

const sizes = limits as { commitChunk: number }
const { commitChunk } = limits
beforeAll(() => {
  sizes.commitChunk = 5
})
afterAll(() => {
  sizes.commitChunk = commitChunk
})

const institutionOf: Readonly<Record<SyncDataType, string>> = {
  transactions: "demo-wallet",
  balances: "demo-retail",
  trades: "demo-broker",
  holdings: "demo-broker",
  orders: "demo-broker",
  loans: "demo-lender"
}

const optionsOf = (dataType: SyncDataType): DataTypeOptions => {
  switch (dataType) {
    case "transactions":
      return { dataType, pendingMode: "track_and_update" }
    case "balances":
      return { dataType, mode: "overwrite" }
    default:
      return { dataType }
  }
}

const today = CalendarDate.make("2026-11-21")
const daysAgo = (days: number) => CalendarDate.addDays(today, -days)

const balance = (counts: JobCounts): number =>
  counts.read +
  counts.vanished +
  counts.carried -
  (counts.created + counts.updated + counts.removed + counts.unchanged + counts.filtered + counts.failed)

/** A feed of the accounts of a demo bank that have the type of data, or of the first of them. */
const opened = Effect.fnUntraced(function* (simulation: Simulation, dataType: SyncDataType, most = Infinity) {
  const workspace = yield* storeWorkspace({ plan: "professional", timezone: "UTC" })
  const driver = DemoProvider.make()
  const completed = yield* driver.completeConnect(
    completeOf({ kind: "provider_connection_id", connectionId: "normal", institutionId: institutionOf[dataType] })
  )
  const bank = yield* makeBank(workspace, { providerInstanceId: driver.instanceId })
  yield* (yield* BankStore).insert(bank, { instanceId: driver.instanceId, connection: completed.connection })
  const accounts = (yield* (yield* Banks).refresh(bank, Effect.void, somebody))
    .listed!.accounts.filter(({ supports }) => supports.includes(dataType))
    .slice(0, most)
  const path = `${bank.id}.csv`
  const place = simulation.destination.at(path)
  const feed = yield* storeFeed(workspace, {
    dataType,
    dataTypeOptions: optionsOf(dataType),
    destinationConfig: { type: "file", path, format: "csv" },
    sourceConfig: { type: "sync", accounts: accounts.map(({ bankId, id }) => ({ bankId, accountId: id })) },
    fieldMappings: defaultMappings({ dataType })
  })
  const [feeds, records, deliveries] = [yield* FeedStore, yield* RecordStore, yield* DeliveryStore]
  /** What only a run that looks at everything may move. */
  const standing = Effect.gen(function* () {
    const checkpoints = yield* Effect.forEach([undefined, ...accounts.map(({ id }) => id)], (accountId) =>
      records.checkpoint({ bankId: bank.id, accountId, dataType })
    )
    const marks = yield* feeds.marks(feed.id)
    return { checkpoints, marks: marks.toSorted((a, b) => (a.accountId < b.accountId ? -1 : 1)) }
  })
  /** Runs a job, or answers why it cannot be. */
  const sync = Effect.fnUntraced(function* (
    request: TriggerSync,
    arm: (attempt: number) => void = () => simulation.points.arm(Infinity)
  ) {
    const planned = yield* Effect.result(planSync(feed, workspace, request, today))
    if (Result.isFailure(planned)) return { refused: planned.failure.code } as const
    const { mode, options } = planned.success
    const { exits, job } = yield* drive(simulation, feed, { change: { mode, options }, arm, released: true })
    expect([job.status, job.errors.filter(({ severity }) => severity === "fatal"), balance(job.counts)]).toEqual([
      "completed",
      [],
      0
    ])
    const keys = place.rows.map(({ key }) => key)
    expect(new Set(keys).size).toBe(keys.length)
    return { counts: job.counts, mode, runs: exits.length } as const
  })
  const rows = deliveries.list(feed.id, { limit: 100_000 })
  return { feed, place, standing, sync, rows, bank }
})

type World = Effect.Success<ReturnType<typeof opened>>

const scene = (
  title: string,
  dataType: SyncDataType,
  body: (world: World, simulation: Simulation) => Effect.Effect<void, unknown, SceneServices>
) =>
  memoryScene(title, { model: "upsertByKey", drivers: [DemoProvider.make()] }, (simulation) =>
    Effect.flatMap(opened(simulation, dataType), (world) => body(world, simulation))
  )

const dated = (dataType: SyncDataType): boolean => dataType === "transactions" || dataType === "trades"
/** A first sync of trades reads the last days alone. */
const everything = (dataType: SyncDataType): TriggerSync => (dataType === "trades" ? { resetCursors: true } : {})
const inRange = (date: CalendarDate.CalendarDate | null, from: string, to: string): boolean =>
  date !== null && date >= from && date <= to

describe.each(syncDataTypes)("syncs of %s", (dataType) => {
  scene("bring everything first, and then only what has changed", dataType, ({ place, sync, standing }) =>
    Effect.gen(function* () {
      const first = yield* sync({})
      const count = place.rows.length
      expect([count > 0, first]).toMatchObject([true, { mode: "incremental", counts: { read: count, created: count } }])
      const { writes } = place
      const before = yield* standing
      const { counts } = yield* sync({})
      expect(counts).toMatchObject({ created: 0, updated: 0, removed: 0, vanished: 0 })
      expect(counts!.read).toBe(counts!.unchanged)
      expect([place.writes, yield* standing]).toEqual([writes, before])
    })
  )

  scene("send everything again with skipDedup, for this once", dataType, ({ place, sync }) =>
    Effect.gen(function* () {
      yield* sync({})
      const count = place.rows.length
      expect(yield* sync({ skipDedup: true })).toMatchObject({ counts: { updated: count, created: 0 } })
      expect(yield* sync({})).toMatchObject({ counts: { updated: 0, created: 0 } })
    })
  )

  scene("make again with resetCursors what people deleted, which skipDedup does not", dataType, ({ place, sync }) =>
    Effect.gen(function* () {
      yield* sync(everything(dataType))
      const count = place.rows.length
      place.remove(place.rows[0]!.key)
      expect(yield* sync({ skipDedup: true })).toMatchObject({ counts: { updated: count - 1, unchanged: 1 } })
      const reset = yield* sync({ resetCursors: true })
      expect(reset).toMatchObject({ mode: "full", counts: { read: count, updated: count - 1, created: 1 } })
      expect(place.rows).toHaveLength(count)
    })
  )

  scene("take a range of dates only where records have days, and move no cursor by it", dataType, (world) =>
    Effect.gen(function* () {
      const { place, rows, standing, sync } = world
      const range = { startDate: daysAgo(40), endDate: daysAgo(10) }
      if (!dated(dataType)) {
        const refused = { refused: "SYNC_OPTIONS_INVALID" }
        for (const request of [
          range,
          { startDate: range.startDate },
          { endDate: range.endDate },
          { ...range, skipDedup: true },
          { startDate: range.startDate, resetCursors: true }
        ]) {
          expect(yield* sync(request)).toEqual(refused)
        }
        return
      }
      // Before anything else: only what lies in the range.
      const before = yield* standing
      const first = yield* sync(range)
      expect([first.mode, yield* standing]).toEqual(["range", before])
      const found = yield* rows
      expect(found.length).toBeGreaterThan(0)
      expect(found.filter(({ date }) => !inRange(date, range.startDate, range.endDate))).toEqual([])
      // Everything after it is as if it had not been.
      yield* sync({})
      const all = yield* rows
      const inside = all.filter(({ date }) => inRange(date, range.startDate, range.endDate)).length
      expect([place.rows.length, inside]).toEqual([all.length, found.length])
      const later = yield* standing
      // What an upstream shows beyond the range, or of other accounts, is not counted.
      const again = yield* sync(range)
      expect(again.counts).toMatchObject({ read: inside, created: 0, updated: 0, removed: 0 })
      expect(yield* sync({ ...range, skipDedup: true })).toMatchObject({ counts: { updated: inside, created: 0 } })
      expect(yield* standing).toEqual(later)
      expect(yield* sync({ ...range, resetCursors: true })).toEqual({ refused: "SYNC_OPTIONS_INVALID" })
      const since = all.filter(({ date }) => date !== null && date >= range.startDate).length
      const part = yield* sync({ startDate: range.startDate, resetCursors: true })
      // What is older is neither read nor sent.
      const { read, unchanged, updated } = part.counts!
      expect([part.mode, since > 0, read, updated, unchanged]).toEqual(["full", true, since, since, 0])
      expect(place.rows).toHaveLength(all.length)
    })
  )

  for (const flag of ["resetCursors", "skipDedup"] as const) {
    scene(`go on with ${flag} where they were when their worker is lost`, dataType, ({ place, sync }, simulation) =>
      Effect.gen(function* () {
        yield* sync(everything(dataType))
        const count = place.rows.length
        let lost = 0
        // Every place at which a run can die, in steps that meet all parts of one.
        for (let at = 1; ; at += 1 + Math.floor(at / 2)) {
          const { writes } = place
          const done = yield* sync({ [flag]: true }, (attempt) => simulation.points.arm(attempt === 0 ? at : Infinity))
          if (done.runs === 1) break
          lost++
          const { carried, created, read, updated } = done.counts!
          expect([at, read, created]).toEqual([at, count, 0])
          // What was being sent when the worker was lost is sent once more, and nothing else.
          expect([at, updated + carried >= count, place.writes - writes <= count + 4]).toEqual([at, true, true])
        }
        expect(lost).toBeGreaterThan(4)
      })
    )
  }
})

describe("a feed of one account of several", () => {
  memoryScene(
    "counts the rows of its own account alone, though the bank shows those of all",
    { model: "upsertByKey", drivers: [DemoProvider.make()] },
    (simulation) =>
      Effect.gen(function* () {
        const { place, rows, sync } = yield* opened(simulation, "transactions", 1)
        expect((yield* sync({})).counts!.read).toBe(place.rows.length)
        const range = { startDate: daysAgo(40), endDate: daysAgo(10) }
        const inside = (yield* rows).filter(({ date }) => inRange(date, range.startDate, range.endDate)).length
        expect([inside > 0, (yield* sync(range)).counts!.read]).toEqual([true, inside])
      })
  )
})

describe("a feed of trades", () => {
  scene(
    "begins ninety days ago, or where it is told to with resetCursors, and reads all with that alone",
    "trades",
    (world) =>
      Effect.gen(function* () {
        const { place, rows, sync } = world
        const oldest = Effect.map(rows, (all) => all.map(({ date }) => date!).toSorted()[0]!)
        yield* sync({})
        const count = place.rows.length
        expect([count > 0, (yield* oldest) >= daysAgo(90)]).toEqual([true, true])
        yield* sync({ resetCursors: true, startDate: daysAgo(200) })
        const from = yield* oldest
        expect([place.rows.length > count, from >= daysAgo(200), from < daysAgo(90)]).toEqual([true, true, true])
        expect(yield* sync({})).toMatchObject({ counts: { created: 0, updated: 0, removed: 0 } })
        yield* sync({ resetCursors: true })
        expect((yield* oldest) < daysAgo(200)).toBe(true)
      })
  )
})

describe("a sync with forceCancelActive", () => {
  scene("leaves what the cancelled job had not sent to the next one", "transactions", (world, simulation) =>
    Effect.gen(function* () {
      const { feed, place, sync } = world
      const jobs = yield* JobStore
      simulation.points.arm(Infinity)
      const { job } = yield* drive(simulation, feed, {
        arm: () =>
          simulation.points.arm(
            3,
            Effect.flatMap(jobs.active(feed.id), (active) =>
              active._tag === "Some"
                ? Effect.ignore(jobs.cancel(active.value.id, "forceCancel", somebody))
                : Effect.void
            ),
            "Destination.write"
          )
      })
      expect(job.status).toBe("cancelled")
      const sent = place.rows.length
      const { counts } = yield* sync({ forceCancelActive: true })
      expect([sent > 0, counts!.carried > 0, counts!.failed]).toEqual([true, true, 0])
      expect(yield* sync({})).toMatchObject({ counts: { created: 0, updated: 0 } })
    })
  )
})
