/** Every place at which a run can die, one after the other. */
import { describe, expect, it } from "@effect/vitest"
import * as MemoryStorage from "@millrace/adapters/storage/memory/MemoryStorage"
import { FeedStore } from "@millrace/core/feed/FeedStore"
import { limits } from "@millrace/core/shared/Limits"
import { StorageUnavailable } from "@millrace/core/storage/StorageUnavailable"
import * as CalendarDate from "@millrace/core/shared/CalendarDate"
import { wholeScan } from "@millrace/core/table/RowScan"
import { TableStore } from "@millrace/core/table/TableStore"
import { storeFeed } from "@millrace/testing/fixture/Feed"
import { storeTable } from "@millrace/testing/fixture/Table"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll } from "vitest"
import { ledgerOf } from "@millrace/testing/simulation/Checkers"
import { mappings } from "@millrace/testing/simulation/FollowingFeed"
import { connect, drive, makeSimulation, type Simulation } from "@millrace/testing/simulation/Simulation"
import { epoch, VirtualClock } from "@millrace/testing/simulation/VirtualClock"

const sizes = limits as { commitChunk: number }
const { commitChunk } = limits
beforeAll(() => {
  sizes.commitChunk = 2
})
afterAll(() => {
  sizes.commitChunk = commitChunk
})

const day = CalendarDate.make("2026-11-20")

interface Place {
  readonly instance: string
  readonly at: "table" | "file"
}

/** A first sync, changes of every sort at the bank, and a second one that dies where `crashAt` says. */
const life = Effect.fnUntraced(function* (
  simulation: Simulation,
  { at, instance }: Place,
  crashAt: number,
  action: Effect.Effect<never, StorageUnavailable> = Effect.interrupt
) {
  const { clock, points } = simulation
  clock.now = epoch
  const provider = simulation.providers.find((one) => one.options.instance === instance)!
  const { accounts, bank, upstream, workspace } = yield* connect(simulation, provider, ["a"])
  const account = accounts[0]!
  const post = (description: string, pending = false) =>
    upstream.post({ account: "a", date: day, amount: "-1.5", description, pending })
  const [same, gone, changed, held, dropped] = [
    post("same"),
    post("gone"),
    post("changed"),
    post("held", true),
    post("dropped", true)
  ]
  expect(same.line).toBe(1)
  const path = `${bank.id}.csv`
  const feed = yield* storeFeed(workspace, {
    destinationConfig:
      at === "file"
        ? { type: "file", path, format: "csv" }
        : { type: "table", tableId: (yield* storeTable(workspace, { fields: [] })).id, createMissingColumns: true },
    sourceConfig: { type: "sync", accounts: [{ bankId: bank.id, accountId: account.id }] },
    fieldMappings: mappings
  })
  yield* drive(simulation, feed)
  upstream.remove(gone)
  upstream.change(changed, { amount: "-2.5" })
  upstream.settle(held, { newId: true, link: true })
  upstream.remove(dropped)
  post("new")
  // Beside the crash: an answer that is lost at the first try.
  simulation.destination.at(path).faults.push("answerLost")
  const { exits, job } = yield* drive(simulation, feed, {
    arm: (attempt) => points.arm(attempt === 0 ? crashAt : Infinity, action)
  })
  const { fired } = points
  const again = yield* drive(simulation, feed)
  const records = yield* ledgerOf(account)
  const rows =
    feed.destinationConfig?.type === "table"
      ? (yield* (yield* TableStore).rows(wholeScan(feed.destinationConfig.tableId))).map((row) => ({
          ...row.values
        }))
      : simulation.destination.at(path).rows.map((row) => ({ ...row.values }))
  const nameOf = new Map(records.map((record) => [record.id, String(record.fields["description"])]))
  return {
    fired,
    crashed: exits.length > 1,
    counts: job.counts,
    outcome: {
      status: [job.status, again.job.status],
      ledger: records.map((one) => [nameOf.get(one.id), one.state, one.fields["amount"], one.pending]).toSorted(),
      // Ids differ from life to life; the record that they stand for does not.
      rows: rows.map((row) => JSON.stringify({ ...row, id: nameOf.get(String(row["id"])) })).toSorted(),
      marks: (yield* (yield* FeedStore).marks(feed.id)).length
    }
  }
})

const run = <A, E>(
  model: "upsertByKey" | "readBack" | "wholeFile",
  body: (simulation: Simulation) => Effect.Effect<A, E, Effect.Services<ReturnType<typeof life>>>
) => {
  const clock = new VirtualClock()
  const simulation = makeSimulation({ storage: MemoryStorage.layer, clock, model })
  return body(simulation).pipe(Effect.provide(simulation.layer), Effect.provideService(Clock.Clock, clock))
}

const places: ReadonlyArray<Place & { readonly model: "upsertByKey" | "readBack" | "wholeFile" }> = [
  { model: "upsertByKey", at: "table", instance: "delta-connection-perstatus" },
  { model: "upsertByKey", at: "file", instance: "delta-account-perstatus" },
  { model: "readBack", at: "file", instance: "snapshotwindow-account-perstatus" },
  { model: "wholeFile", at: "file", instance: "snapshotfull-connection-perstatus" },
  { model: "upsertByKey", at: "table", instance: "snapshotfull-account-none" }
]

describe("a run that dies", () => {
  for (const { model, ...place } of places) {
    it.effect(`ends the same wherever it died: ${place.instance} to a ${place.at} (${model})`, () =>
      run(model, (simulation) =>
        Effect.gen(function* () {
          const whole = yield* life(simulation, place, Infinity)
          expect(whole.crashed).toBe(false)
          expect(whole.outcome.rows.length).toBeGreaterThan(3)
          let crashes = 0
          for (let at = 1; ; at++) {
            const { counts, crashed, outcome } = yield* life(simulation, place, at)
            if (!crashed) break
            crashes++
            expect([at, outcome]).toEqual([at, whole.outcome])
            const { carried, created, failed, filtered, read, removed, unchanged, updated, vanished } = counts
            expect([at, read + vanished + carried]).toEqual([
              at,
              created + updated + removed + unchanged + filtered + failed
            ])
          }
          expect(crashes).toBeGreaterThan(40)
        })
      )
    )
  }

  it.effect("ends the same wherever storage went away", () =>
    run("readBack", (simulation) =>
      Effect.gen(function* () {
        const place = { at: "file", instance: "delta-connection-stable" } as const
        const whole = yield* life(simulation, place, Infinity)
        const away = Effect.fail(new StorageUnavailable({ message: "scripted" }))
        for (let at = 1; ; at++) {
          const { crashed, outcome } = yield* life(simulation, place, at, away)
          if (!crashed) break
          expect([at, outcome]).toEqual([at, whole.outcome])
        }
      })
    )
  )
})
