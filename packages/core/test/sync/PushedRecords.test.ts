/** Records that come to a feed: kept under their keys in an account that nobody sees, and delivered by its jobs. */
import { MemoryStorage } from "@millrace/adapters/memory"
import { Seeded } from "@millrace/testing/model"
import { FaultPoints } from "@millrace/testing/fault"
import { pointedStores } from "@millrace/verification/simulation/PointedPorts"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { Banks } from "../../src/bank/Banks.ts"
import { BankStore } from "../../src/bank/BankStore.ts"
import { FeedRecords } from "../../src/destination/FeedRecords.ts"
import { EventStore } from "../../src/event/EventStore.ts"
import { Corrections } from "../../src/identity/Corrections.ts"
import type { Fields } from "../../src/record/FieldValue.ts"
import { RecordStore } from "../../src/record/RecordStore.ts"
import { StorageRoom } from "../../src/storage/StorageRoom.ts"
import { StorageUnavailable } from "../../src/storage/StorageUnavailable.ts"
import { Tables } from "../../src/table/Tables.ts"
import { AccountData } from "../../src/usecase/AccountData.ts"
import { Feeds } from "../../src/usecase/Feeds.ts"
import type { Push, PushedRecord } from "../../src/sync/PushedRecords.ts"
import { openFeed, record, worldOver } from "./PushedWorld.ts"

const world = worldOver(MemoryStorage.layer)

const seeds = process.env["MILLRACE_LONG"] === undefined ? 8 : 2_000

const scene = (title: string, body: () => Effect.Effect<void, unknown, Layer.Success<typeof world>>) =>
  it.effect(title, () => body().pipe(Effect.provide(world)))

const receipt = (id: string, totalAmount: string, ...items: ReadonlyArray<Fields>): PushedRecord => ({
  id,
  values: { merchantName: "Lamp shop", date: "2026-03-02", totalAmount, currency: "CHF", reference: "R-7" },
  items
})

describe("records that are pushed to a feed", () => {
  scene("are delivered by a job that they cause, changed, removed and added again under their keys", () =>
    Effect.gen(function* () {
      const { delivered, held, push, runDue } = yield* openFeed()
      expect(yield* runDue).toBe(0)
      const first = { records: [record("a", "-1.00"), record("b", "-2.00"), record("c", "-3.00")] }
      expect(yield* push(first)).toEqual({ written: 3, unchanged: 0, removed: 0, failed: [] })
      expect(yield* runDue).toBe(1)
      expect(yield* delivered).toEqual({ "Bill a": "-1", "Bill b": "-2", "Bill c": "-3" })
      expect(yield* push(first)).toEqual({ written: 0, unchanged: 3, removed: 0, failed: [] })
      expect(yield* runDue).toBe(0)
      const second = { records: [record("b", "-22.00"), record("d", "-4.00")], removed: ["a", "nobody"] }
      expect(yield* push(second)).toEqual({ written: 2, unchanged: 0, removed: 1, failed: [] })
      yield* runDue
      expect(yield* delivered).toEqual({ "Bill b": "-22", "Bill c": "-3", "Bill d": "-4" })
      expect(yield* push({ records: [record("a", "-1.00")] })).toMatchObject({ written: 1 })
      yield* runDue
      expect(yield* delivered).toEqual({ "Bill a": "-1", "Bill b": "-22", "Bill c": "-3", "Bill d": "-4" })
      expect(yield* held).toEqual(
        new Map([
          ["a", "-1"],
          ["b", "-22"],
          ["c", "-3"],
          ["d", "-4"]
        ])
      )
    })
  )

  scene("are not delivered before the schedule of the feed, or without a destination", () =>
    Effect.gen(function* () {
      const schedule = { enabled: true, frequency: "daily", timeOfDay: "06:30" } as const
      const scheduled = yield* openFeed({ schedule })
      yield* scheduled.push({ records: [record("a", "-1.00")] })
      expect(yield* scheduled.runDue).toBe(0)
      const { destinationConfig: _, ...kept } = scheduled.feed
      yield* scheduled.feeds.update({ ...kept, schedule: { ...schedule, enabled: false }, version: 2 })
      yield* scheduled.push({ records: [record("b", "-2.00")] })
      expect(yield* scheduled.runDue).toBe(0)
      expect((yield* scheduled.held).size).toBe(2)
    })
  )

  scene(
    "may be documents with items, known as another file where a source reads them and never where one writes them",
    () =>
      Effect.gen(function* () {
        const receipts = { dataType: "receipts", dataTypeOptions: { dataType: "receipts" } } as const
        const [lamp, bulb] = [
          { itemName: "Lamp", itemAmount: "10.00" },
          { itemName: "Bulb", itemAmount: "2.00" }
        ]
        const { held, made, push } = yield* openFeed(receipts)
        expect(yield* push({ records: [receipt("mail 1", "12.00", lamp, bulb)] })).toMatchObject({ written: 1 })
        expect(yield* push({ records: [receipt("mail 1", "12.00", lamp, bulb)] })).toMatchObject({ unchanged: 1 })
        expect(yield* push({ records: [receipt("mail 1", "12.00", bulb)] })).toMatchObject({ written: 1 })
        expect(yield* push({ records: [receipt("mail 2", "12.00", bulb)] })).toMatchObject({ written: 0, unchanged: 1 })
        expect(yield* push({ records: [receipt("bad", "1.00", { itemAmount: "much" })] })).toMatchObject({
          failed: [{ id: "bad", reason: "items[0].itemAmount: cannot be read as num" }]
        })
        expect(yield* held).toEqual(new Map([["mail 1", "12"]]))
        expect((yield* made)!.account.supports).toEqual(["receipts"])
        const written = yield* openFeed(receipts)
        yield* written.push({ records: [receipt("one", "12.00"), receipt("two", "12.00")] }, "automation")
        expect([...(yield* written.held).keys()].toSorted()).toEqual(["one", "two"])
      })
  )

  scene("are told as they were delivered, whatever a person has written at the destination", () =>
    Effect.gen(function* () {
      const { caller, feed, push, runDue, tableId } = yield* openFeed()
      yield* push({ records: [record("a", "-1.00"), record("b", "-2.00")] })
      yield* runDue
      const [tables, sent] = [yield* Tables, yield* FeedRecords]
      for (const { id } of (yield* tables.queryRows(caller, tableId, {})).rows) {
        yield* tables.updateRow(caller, tableId, id, { values: { amount: "7" } }, undefined)
      }
      const told = Effect.map(sent.list(caller, feed.id, {}), ({ rows }) =>
        rows.map(({ state, values }) => [state, values?.["amount"]]).toSorted()
      )
      const delivered = [
        ["done", "-1"],
        ["done", "-2"]
      ]
      expect(yield* told).toEqual(delivered)
      expect(yield* sent.redeliver(caller, feed.id, { state: "done" })).toMatchObject({ records: 2 })
      expect(yield* runDue).toBe(1)
      expect(yield* told).toEqual(delivered)
    })
  )

  scene("come beside what the feed reads itself, and one kind of source beside another", () =>
    Effect.gen(function* () {
      const { delivered, held, push, runDue } = yield* openFeed()
      yield* push({ records: [record("a", "-1.00")] }, "extractor")
      yield* push({ records: [record("a", "-2.00", { description: "Note a" })] }, "automation")
      yield* push({ removed: ["a"] }, "mail")
      yield* runDue
      expect(yield* delivered).toEqual({ "Bill a": "-1", "Note a": "-2" })
      expect((yield* held).size).toBe(1)
    })
  )

  scene("are taken in without those that cannot be read, which are named with the reason", () =>
    Effect.gen(function* () {
      const { held, push } = yield* openFeed()
      const records = [record("good", "-1.00"), record("bad", "much"), record("worse", "1", { currency: "no money" })]
      expect(yield* push({ records })).toEqual({
        written: 1,
        unchanged: 0,
        removed: 0,
        failed: [
          { id: "bad", reason: "amount: cannot be read as num" },
          { id: "worse", reason: 'currency: "no money" is not a currency' }
        ]
      })
      expect([...(yield* held).keys()]).toEqual(["good"])
    })
  )

  scene("are refused whole for faults of the call, each named with its place", () =>
    Effect.gen(function* () {
      const { held, push } = yield* openFeed()
      const faultsOf = (given: Push) =>
        Effect.map(Effect.flip(push(given)), (error) => ("details" in error ? error.details : error))
      expect(
        yield* faultsOf({
          records: [record("a", "1"), record("", "1"), record(" b", "1"), record("x".repeat(129), "1")],
          removed: ["a"]
        })
      ).toEqual([
        { field: "records[1].id", message: "must be 1 to 128 characters" },
        { field: "records[2].id", message: "must not begin or end with blanks, and has no control characters" },
        { field: "records[3].id", message: "must be 1 to 128 characters" },
        { field: "removed[0]", message: "is named twice" }
      ])
      const many = Array.from({ length: 501 }, (_, n) => `key ${n}`)
      expect(yield* faultsOf({ removed: many })).toEqual([
        { field: "records", message: "takes at most 500, with those removed" }
      ])
      expect(yield* held).toEqual(new Map())
    })
  )

  it.effect("need room on the disk", () => {
    const full = new StorageUnavailable({ message: "short of room", full: true })
    const room = Layer.succeed(StorageRoom, { need: () => Effect.fail(full), forSyncs: Effect.void })
    return Effect.gen(function* () {
      const { held, push } = yield* openFeed()
      expect(yield* Effect.flip(push({ records: [record("a", "-1.00")] }))).toBe(full)
      expect(yield* held).toEqual(new Map())
    }).pipe(Effect.provide(Layer.provide(world, room)))
  })

  it.effect("are what a map of their keys would hold, whatever comes in which order", () =>
    Effect.gen(function* () {
      for (let seed = 1; seed <= seeds; seed++) {
        yield* Effect.gen(function* () {
          const random = new Seeded(seed)
          const { delivered, held, push, runDue } = yield* openFeed()
          const model = new Map<string, string>()
          const changeOf = (id: string): PushedRecord =>
            record(id, String(random.below(100) - 50), {
              date: `2026-03-${10 + random.below(19)}`,
              originalDescription: random.pick(["Coffee", "Rent", "COOP-4412 ZURICH"]),
              pending: random.once(3)
            })
          for (let step = random.below(8); step >= 0; step--) {
            yield* TestClock.adjust(`${random.below(40)} days`)
            const named = ["a", "b", "c", "d", "e"].filter(() => random.once(2))
            const removed = named.filter(() => random.once(4))
            const records = named.filter((id) => !removed.includes(id)).map(changeOf)
            for (const id of removed) model.delete(id)
            for (const { id, values } of records) model.set(id, String(values["amount"]))
            expect(yield* push({ records, removed })).toMatchObject({ failed: [] })
            expect(yield* held).toEqual(model)
            expect(yield* push({ records, removed })).toMatchObject({ written: 0, removed: 0 })
            yield* runDue
            expect(yield* delivered).toEqual(
              Object.fromEntries([...model].map(([id, amount]) => [`Bill ${id}`, amount]))
            )
          }
        }).pipe(
          Effect.provide(world),
          Effect.tapCause(() => Effect.sync(() => process.stderr.write(`failed: seed ${seed}\n`)))
        )
      }
    })
  )

  it.effect("are all in or none, wherever storage fails or the process dies, and a repeated call ends the same", () =>
    Effect.gen(function* () {
      const fired = new Set<string>()
      const away = Effect.fail(new StorageUnavailable({ message: "storage is away" }))
      for (let step = 0; ; step++) {
        const n = 1 + Math.floor(step / 2)
        const goesWrong = step % 2 === 0 ? away : Effect.interrupt
        const points = new FaultPoints()
        const over = worldOver(pointedStores(points).pipe(Layer.provideMerge(MemoryStorage.layer)))
        const stopped = yield* Effect.gen(function* () {
          const { delivered, held, push, runDue } = yield* openFeed()
          yield* push({ records: [record("a", "-1.00"), record("b", "-2.00")] })
          yield* runDue
          const given = { records: [record("a", "-11.00"), record("c", "-3.00")], removed: ["b"] }
          points.arm(n, goesWrong)
          const result = yield* Fiber.await(yield* Effect.forkChild(push(given)))
          const { fired: at } = points
          points.arm(Infinity)
          if (at !== undefined) fired.add(at)
          const left = yield* held
          const [before, after] = [
            new Map([
              ["a", "-1"],
              ["b", "-2"]
            ]),
            new Map([
              ["a", "-11"],
              ["c", "-3"]
            ])
          ]
          if (at === undefined) expect(result._tag).toBe("Success")
          // The last call of all is the end of the transaction: after it everything is in.
          expect([before, after]).toContainEqual(left)
          yield* push(given)
          expect(yield* held).toEqual(after)
          yield* runDue
          expect(yield* delivered).toEqual({ "Bill a": "-11", "Bill c": "-3" })
          return at === undefined
        }).pipe(Effect.provide(over))
        if (stopped) break
      }
      expect([...fired]).toEqual(expect.arrayContaining(["BankStore.holdMade begins", "FeedStore.wake ends"]))
    })
  )
})

describe("records that come in while a run of their feed is under way", () => {
  it.effect("are delivered, wherever the run is", () =>
    Effect.gen(function* () {
      let runs = 0
      for (let n = 1; ; n++) {
        const points = new FaultPoints()
        const over = worldOver(pointedStores(points).pipe(Layer.provideMerge(MemoryStorage.layer)))
        const fired = yield* Effect.gen(function* () {
          const { delivered, push, runDue } = yield* openFeed()
          yield* push({ records: [record("a", "-1.00"), record("b", "-2.00")] })
          const come = push({ records: [record("a", "-11.00"), record("c", "-3.00")], removed: ["b"] })
          points.arm(n, Effect.orDie(come))
          const first = yield* runDue
          const { fired: at } = points
          points.arm(Infinity)
          if (at === undefined) return undefined
          runs = Math.max(runs, first + (yield* runDue))
          expect([at, yield* delivered]).toEqual([at, { "Bill a": "-11", "Bill c": "-3" }])
          return at
        }).pipe(Effect.provide(over))
        if (fired === undefined) break
      }
      // What comes too late for one run has another.
      expect(runs).toBe(2)
    })
  )
})

describe("an account that was made for a feed", () => {
  scene("is in no list of banks, takes no room in a plan, and is not there for who asks for it by its id", () =>
    Effect.gen(function* () {
      const { caller, made, push } = yield* openFeed()
      yield* push({ records: [record("a", "-1.00")] })
      const { account, bank } = (yield* made)!
      expect(account).toMatchObject({ supports: ["transactions"], accountType: "other", currency: "CHF" })
      const [banks, data, corrections] = [yield* Banks, yield* AccountData, yield* Corrections]
      expect(yield* banks.list(caller)).toEqual([])
      expect(yield* banks.list(caller, "deleted")).toEqual([])
      const ref = { bankId: bank.id, accountId: account.id }
      const asked: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
        banks.get(caller, bank.id),
        data.accounts(caller, bank.id),
        data.account(caller, ref),
        data.transactions(caller, ref, { filter: {} }),
        data.balance(caller, ref, {}),
        data.trades(caller, ref, {}),
        data.holdings(caller, ref, {}),
        data.orders(caller, ref, {}),
        data.loan(caller, ref, {}),
        corrections.matches(caller, { ...ref, dataType: "transactions" }, {})
      ]
      for (const one of asked) expect(yield* Effect.flip(one)).toMatchObject({ _tag: "NotFound", resource: "Bank" })
      const store = yield* BankStore
      expect(yield* store.list([caller.principal.workspace.id])).toEqual([])
    })
  )

  scene("cannot be named by another feed, neither to be read nor to book files on", () =>
    Effect.gen(function* () {
      const { caller, made, push } = yield* openFeed()
      yield* push({ records: [record("a", "-1.00")] })
      const { account, bank } = (yield* made)!
      const feeds = yield* Feeds
      const base = { name: "Another", dataType: "transactions" } as const
      const accounts = [{ bankId: bank.id, accountId: account.id }]
      expect(
        yield* Effect.flip(feeds.create(caller, { ...base, source: "sync", sourceConfig: { type: "sync", accounts } }))
      ).toMatchObject({
        details: [{ field: "sourceConfig.accounts[0].accountId", message: "is not an account of this bank" }]
      })
      const sourceConfig = { type: "upload", accountId: account.id }
      expect(yield* Effect.flip(feeds.create(caller, { ...base, source: "upload", sourceConfig }))).toMatchObject({
        details: [{ field: "sourceConfig.accountId", message: "is not an account of this workspace" }]
      })
    })
  )

  scene("causes no events about a bank that nobody can see", () =>
    Effect.gen(function* () {
      const { push, workspace } = yield* openFeed()
      yield* push({ records: [record("a", "-1.00")] })
      const told = yield* (yield* EventStore).read(workspace.id, 0, 100)
      expect(told.map(({ type }) => type).filter((type) => type.startsWith("transaction"))).toEqual([])
    })
  )

  scene("goes with its feed and all its records, and nothing more comes in for it", () =>
    Effect.gen(function* () {
      const [gone, stays] = [yield* openFeed(), yield* openFeed()]
      for (const { push } of [gone, stays]) yield* push({ records: [record("a", "-1.00")] })
      const { account, bank } = (yield* gone.made)!
      yield* (yield* Feeds).remove(gone.caller, gone.feed.id, undefined)
      const [banks, records] = [yield* BankStore, yield* RecordStore]
      expect([yield* banks.made(gone.feed.id), yield* banks.accounts(bank.id)]).toEqual([[], []])
      expect(yield* records.lastChange(account.id)).toBe(0)
      expect(yield* Effect.flip(gone.push({ records: [record("b", "-1.00")] }))).toMatchObject({ _tag: "NotFound" })
      expect(yield* gone.made).toBeUndefined()
      expect((yield* stays.held).size).toBe(1)
    })
  )

  scene("tells the feed how far its data go", () =>
    Effect.gen(function* () {
      const { caller, feed, push, runDue } = yield* openFeed()
      yield* push({ records: [record("a", "-1.00", { date: "2026-03-09" }), record("b", "-1.00")] })
      yield* runDue
      expect((yield* (yield* Feeds).get(caller, feed.id)).state).toMatchObject({ dataThrough: "2026-03-09" })
    })
  )
})
