/** A feed with a first day: what lies before it is neither read for it nor delivered by it. */
import { BankStore } from "../../src/bank/BankStore.ts"
import type { Account } from "../../src/bank/Account.ts"
import type { Feed } from "../../src/feed/Feed.ts"
import { FeedStore } from "../../src/feed/FeedStore.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { wholeScan } from "../../src/table/RowScan.ts"
import { TableStore } from "../../src/table/TableStore.ts"
import { storeFeed, storeTable } from "@millrace/testing/fixture"
import { ledgerOf } from "@millrace/verification/simulation/Checkers"
import { mappings } from "@millrace/verification/simulation/FollowingFeed"
import { connect, drive, type Simulation } from "@millrace/verification/simulation/Simulation"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { describe, expect } from "vitest"
import { memoryScene } from "./MemoryScene.ts"

const windows = "snapshotwindow-account-stable"
const changes = "delta-connection-perstatus"

const opened = Effect.fnUntraced(function* (simulation: Simulation, instance: string) {
  const provider = simulation.providers.find((one) => one.options.instance === instance)!
  const world = yield* connect(simulation, provider, ["a"])
  const account: Account = world.accounts[0]!
  const tables = yield* TableStore
  const feeds = yield* FeedStore
  const today = CalendarDate.inZone(yield* Clock.currentTimeMillis, "UTC")
  const daysAgo = (days: number) => CalendarDate.addDays(today, -days)
  for (const days of [200, 100, 50, 10, 1]) {
    world.upstream.post({ account: "a", date: daysAgo(days), amount: `-${days}.5`, description: `${days} days ago` })
  }
  const follow = Effect.fnUntraced(function* (begins: number | undefined) {
    const table = yield* storeTable(world.workspace, { fields: [] })
    const options = { dataType: "transactions", pendingMode: "track_and_update", lookbackDays: 7 } as const
    let feed: Feed = yield* storeFeed(world.workspace, {
      destinationConfig: { type: "table", tableId: table.id, createMissingColumns: true, onRemoved: "delete" },
      sourceConfig: { type: "sync", accounts: [{ bankId: world.bank.id, accountId: account.id }] },
      fieldMappings: mappings,
      dataTypeOptions: begins === undefined ? options : { ...options, startDate: daysAgo(begins) }
    })
    return {
      sync: Effect.suspend(() => drive(simulation, feed)),
      begin: Effect.fnUntraced(function* (days: number | undefined) {
        const dataTypeOptions = days === undefined ? options : { ...options, startDate: daysAgo(days) }
        feed = { ...feed, dataTypeOptions, version: feed.version + 1 }
        yield* feeds.update(feed)
      }),
      texts: Effect.map(tables.rows(wholeScan(table.id)), (rows) =>
        rows.map(({ values }) => Number.parseInt(String(values["description"]), 10)).toSorted((a, b) => a - b)
      )
    }
  })
  const days = Effect.map(ledgerOf(account), (all) =>
    all.map(({ fields }) => Number.parseInt(String(fields["description"]), 10)).toSorted((a, b) => a - b)
  )
  const readFrom = Effect.gen(function* () {
    return (yield* (yield* BankStore).accounts(world.bank.id))[0]!.readFrom?.["transactions"]
  })
  return { ...world, daysAgo, days, follow, readFrom }
})

describe("the first day of a feed", () => {
  memoryScene(
    "keeps what lies before it from being read, until a feed wants it",
    { model: "upsertByKey" },
    (simulation) =>
      Effect.gen(function* () {
        const { days, daysAgo, follow, readFrom, upstream } = yield* opened(simulation, windows)
        const late = yield* follow(60)
        yield* late.sync
        expect([yield* days, yield* late.texts, yield* readFrom]).toEqual([[1, 10, 50], [1, 10, 50], daysAgo(60)])
        expect(upstream.asked?.from).toBe(daysAgo(60))
        const earlier = yield* follow(150)
        yield* earlier.sync
        expect([yield* days, yield* earlier.texts, yield* readFrom]).toEqual([
          [1, 10, 50, 100],
          [1, 10, 50, 100],
          daysAgo(150)
        ])
        yield* late.sync
        expect([yield* late.texts, yield* readFrom]).toEqual([[1, 10, 50], daysAgo(150)])
        const whole = yield* follow(undefined)
        yield* whole.sync
        expect([yield* days, yield* whole.texts, yield* readFrom]).toEqual([
          [1, 10, 50, 100, 200],
          [1, 10, 50, 100, 200],
          undefined
        ])
        // From now on nothing is read twice for it, and nothing of it goes.
        yield* late.sync
        yield* whole.sync
        expect(upstream.asked!.from > daysAgo(30)).toBe(true)
        expect([yield* late.texts, (yield* whole.texts).length]).toEqual([[1, 10, 50], 5])
      })
  )

  memoryScene(
    "set later, removes nothing that was delivered; set earlier, brings the rest",
    { model: "upsertByKey" },
    (simulation) =>
      Effect.gen(function* () {
        const { follow, upstream } = yield* opened(simulation, windows)
        const feed = yield* follow(60)
        yield* feed.sync
        yield* feed.begin(5)
        yield* feed.sync
        expect(yield* feed.texts).toEqual([1, 10, 50])
        upstream.post({
          account: "a",
          date: [...upstream.rows.values()][3]!.date,
          amount: "-9",
          description: "11 too early"
        })
        yield* feed.sync
        expect(yield* feed.texts).toEqual([1, 10, 50])
        yield* feed.begin(undefined)
        yield* feed.sync
        expect(yield* feed.texts).toEqual([1, 10, 11, 50, 100, 200])
      })
  )

  memoryScene("leaves out what a change feed tells of earlier days", { model: "upsertByKey" }, (simulation) =>
    Effect.gen(function* () {
      const { days, follow, readFrom } = yield* opened(simulation, changes)
      const feed = yield* follow(60)
      yield* feed.sync
      // Such a driver cannot say what it left out: it is kept, and not delivered.
      expect([yield* days, yield* feed.texts, yield* readFrom]).toEqual([[1, 10, 50, 100, 200], [1, 10, 50], undefined])
      yield* feed.begin(150)
      yield* feed.sync
      expect(yield* feed.texts).toEqual([1, 10, 50, 100])
    })
  )
})
