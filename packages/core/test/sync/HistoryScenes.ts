/**
 * Banks that show less of their history than their drivers believe: nothing of what they showed once is lost. The same
 * scenes are played on every storage; `MILLRACE_LONG=1` plays more and longer ones.
 */
import type { Account } from "../../src/bank/Account.ts"
import { BankStore } from "../../src/bank/BankStore.ts"
import { Corrections } from "../../src/identity/Corrections.ts"
import { RecordStore } from "../../src/record/RecordStore.ts"
import { lastShownAt } from "../../src/record/Shown.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { ownerOf, storeFeed, storeTable } from "@millrace/testing/fixture"
import { Seeded } from "@millrace/testing/model"
import { longAgo } from "@millrace/testing/fake"
import { ledgerOf } from "@millrace/verification/simulation/Checkers"
import { mappings } from "@millrace/verification/simulation/FollowingFeed"
import { connect, drive, type Simulation } from "@millrace/verification/simulation/Simulation"
import { TableStore } from "../../src/table/TableStore.ts"
import { wholeScan } from "../../src/table/RowScan.ts"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { describe, expect } from "vitest"
import type { Scene } from "./IdentityScenes.ts"

const aDay = 86_401
const long = process.env["MILLRACE_LONG"] !== undefined
const windows = "snapshotwindow-account-stable"
const snapshots = "snapshotfull-account-stable"
const everything = {
  change: { mode: "full", options: { forceCancelActive: false, resetCursors: true, skipDedup: false } }
} as const

/** A feed that takes away at its table what is gone in the ledger. */
const opened = Effect.fnUntraced(function* (simulation: Simulation, instance: string) {
  const provider = simulation.providers.find((one) => one.options.instance === instance)!
  const world = yield* connect(simulation, provider, ["a"])
  const account = world.accounts[0]!
  const table = yield* storeTable(world.workspace, { fields: [] })
  const feed = yield* storeFeed(world.workspace, {
    destinationConfig: { type: "table", tableId: table.id, createMissingColumns: true, onRemoved: "delete" },
    sourceConfig: { type: "sync", accounts: [{ bankId: world.bank.id, accountId: account.id }] },
    fieldMappings: mappings
  })
  const today = Effect.map(Clock.currentTimeMillis, (now) => CalendarDate.inZone(now, "UTC"))
  const tables = yield* TableStore
  const job = (options: Parameters<typeof drive>[2] = {}) =>
    Effect.map(drive(simulation, feed, options), (driven) => driven.job)
  return {
    ...world,
    account,
    today,
    job,
    caller: ownerOf(world.workspace),
    ref: {
      bankId: world.bank.id,
      accountId: account.id,
      dataType: "transactions" as const
    },
    live: Effect.map(ledgerOf(account), (all) => all.filter(({ state }) => state === "live")),
    texts: Effect.map(tables.rows(wholeScan(table.id)), (rows) =>
      rows.map(({ values }) => String(values["description"])).toSorted()
    ),
    /** Posts a row of so many days ago. */
    post: Effect.fnUntraced(function* (description: string, daysAgo = 0) {
      const date = CalendarDate.addDays(yield* today, -daysAgo)
      return world.upstream.post({ account: "a", date, amount: `-${1 + world.upstream.rows.size}.5`, description })
    }),
    /** The bank shows so many days. */
    show: Effect.fnUntraced(function* (days: number) {
      world.upstream.keeps = { from: CalendarDate.addDays(yield* today, -days), rows: Infinity }
    }),
    /** A sync without a word about it. */
    sync: Effect.fnUntraced(function* (options: Parameters<typeof drive>[2] = {}) {
      const { errors, status } = yield* job(options)
      expect([status, errors]).toEqual(["completed", []])
    })
  }
})

const randomly = [
  windows,
  snapshots,
  "delta-account-stable",
  "snapshotfull-account-none",
  "snapshotwindow-account-perstatus",
  "snapshotwindow-connection-stable"
]

/** How an account is used, how the bank is read, and how many rows there are in the end. */
const lives = [
  ["a row a month, then quiet", { instance: windows, every: 30, until: 151, days: 400, rows: 6 }],
  ["a row a week, then quiet", { instance: windows, every: 7, until: 148, days: 300, rows: 22 }],
  [
    "a row a month, read whole on 3 days of 60",
    { instance: windows, every: 30, until: 400, days: 400, rows: 14, resets: 60 }
  ],
  ["a row a month in full snapshots", { instance: snapshots, every: 30, until: 400, days: 400, rows: 14 }],
  ["a row a week in full snapshots", { instance: snapshots, every: 7, until: 400, days: 400, rows: 58 }],
  ["a row a day in full snapshots", { instance: snapshots, every: 1, until: 400, days: 400, rows: 400 }]
] as const

interface Extent {
  /** Days between two syncs. */
  readonly stride: number
  /** Fewer and shorter random lives: for a storage that takes its time. */
  readonly few?: boolean
}

export const playAll = (scene: Scene, { few = false, stride }: Extent): void => {
  describe("a bank that shows 90 days where its driver believes in all", () => {
    for (const [title, life] of lives) {
      const { days, every, instance, rows, until } = life
      scene(`loses nothing of ${title}`, (simulation) =>
        Effect.gen(function* () {
          const { live, post, show, sync, texts, upstream } = yield* opened(simulation, instance)
          for (let day = 0; day < days; day++) {
            if (day < until && day % every === 0) yield* post(`row ${day}`)
            const isReset = "resets" in life && day % life.resets >= life.resets - 3
            if (day % stride === 0 || isReset) {
              yield* show(90)
              yield* sync(isReset ? everything : {})
            }
            yield* simulation.pass(aDay)
          }
          yield* sync(everything)
          yield* sync(everything)
          expect(upstream.rows.size).toBe(rows)
          expect(yield* live).toHaveLength(rows)
          expect(yield* texts).toEqual(Array.from(upstream.rows.values(), ({ description }) => description).toSorted())
        })
      )
    }
  })

  describe("history that the bank no longer shows", () => {
    scene("stays while rows that it takes back go", (simulation) =>
      Effect.gen(function* () {
        const { post, show, sync, texts, upstream } = yield* opened(simulation, snapshots)
        yield* post("old", 120)
        yield* post("edge", 40)
        const wrong = yield* post("wrong", 20)
        yield* post("new", 3)
        yield* sync()
        yield* show(60)
        upstream.remove(wrong)
        for (let n = 0; n < 3; n++) {
          yield* sync()
          yield* simulation.pass(aDay)
        }
        expect(yield* texts).toEqual(["edge", "new", "old"])
      })
    )

    scene("is told by its account, and by when each record was last shown", (simulation) =>
      Effect.gen(function* () {
        const { account, bank, live, post, show, sync, today, upstream } = yield* opened(simulation, snapshots)
        const store = yield* BankStore
        const records = yield* RecordStore
        const scope = { workspaceId: account.workspaceId, accountId: account.id, dataType: "transactions" as const }
        const told = Effect.gen(function* () {
          const steps = (yield* records.shown(scope.dataType, [account.id])).get(account.id) ?? []
          const shown = new Map<unknown, string | undefined>()
          for (const { fields, id } of yield* live) {
            const [held] = yield* records.held(scope, [id])
            shown.set(fields["description"], lastShownAt(steps, held!)?.slice(0, 10))
          }
          const [{ historyFrom }] = (yield* store.accounts(bank.id)) as [Account]
          return { historyFrom, shown: Object.fromEntries(shown) }
        })
        const start = yield* today
        const old = yield* post("old", 120)
        const middle = yield* post("middle", 50)
        yield* post("new", 3)
        yield* sync()
        expect(yield* told).toEqual({ historyFrom: old.date, shown: { old: start, middle: start, new: start } })
        for (const days of [60, 60, 30]) {
          yield* simulation.pass(aDay)
          yield* show(days)
          yield* sync()
        }
        const on = (n: number) => CalendarDate.addDays(start, n)
        const newest = [...upstream.rows.values()].at(-1)!
        expect(yield* told).toEqual({ historyFrom: newest.date, shown: { old: start, middle: on(2), new: on(3) } })
        yield* show(100)
        yield* sync()
        expect(yield* told).toEqual({ historyFrom: middle.date, shown: { old: start, middle: on(3), new: on(3) } })
      })
    )

    scene("begins where it did after reads that ask for its last days alone", (simulation) =>
      Effect.gen(function* () {
        const { bank, post, sync } = yield* opened(simulation, windows)
        const store = yield* BankStore
        const first = yield* post("old", 120)
        yield* post("new", 3)
        yield* sync()
        for (let n = 0; n < 2; n++) {
          yield* simulation.pass(aDay)
          yield* post(`row ${n}`)
          yield* sync()
        }
        expect((yield* store.accounts(bank.id)).map(({ historyFrom }) => historyFrom)).toContain(first.date)
      })
    )

    scene("comes back as it was when the bank shows it again", (simulation) =>
      Effect.gen(function* () {
        const { live, post, show, sync, upstream } = yield* opened(simulation, snapshots)
        yield* post("old", 120)
        yield* post("new", 3)
        yield* sync()
        const before = yield* live
        for (const days of [60, 2, 1]) {
          yield* show(days)
          yield* sync()
          yield* simulation.pass(aDay)
        }
        upstream.keeps = { from: longAgo, rows: Infinity }
        yield* sync()
        expect(yield* live).toEqual(before)
      })
    )

    scene("goes when a person deletes it, here and at the destination, and does not come back", (simulation) =>
      Effect.gen(function* () {
        const { caller, live, post, ref, show, sync, texts } = yield* opened(simulation, snapshots)
        yield* post("old", 120)
        yield* post("new", 3)
        yield* sync()
        yield* show(60)
        yield* sync()
        const old = (yield* live).find(({ fields }) => fields["description"] === "old")!
        yield* (yield* Corrections).remove(caller, ref, old.id)
        yield* sync()
        expect(yield* texts).toEqual(["new"])
        yield* show(200)
        yield* sync()
        expect(yield* texts).toEqual(["new"])
      })
    )

    scene("is not read for further back because a row went", (simulation) =>
      Effect.gen(function* () {
        const { post, sync, texts, upstream } = yield* opened(simulation, "snapshotwindow-connection-stable")
        yield* post("old", 100)
        yield* post("base", 50)
        const wrong = yield* post("wrong", 8)
        yield* sync()
        upstream.remove(wrong)
        yield* sync()
        const { from } = upstream.asked!
        yield* simulation.pass(aDay)
        yield* sync()
        yield* sync()
        expect(yield* texts).toEqual(["base", "old"])
        expect(upstream.asked!.from).toBe(from)
      })
    )
  })

  describe("a bank that shows less than it claims, at random", () => {
    for (const instance of few ? randomly.slice(0, 2) : randomly) {
      for (let seed = 1; seed <= (few ? 1 : long ? 40 : 2); seed++) {
        scene(`loses nothing that it does not take back: ${instance}, ${seed}`, (simulation) =>
          playRandomly(simulation, instance, new Seeded(seed), few && !long ? 50 : 150)
        )
      }
    }
  })
}

/** A random life of so many days; `taken` are rows that the bank takes back, few enough to be believed. */
const playRandomly = Effect.fnUntraced(function* (
  simulation: Simulation,
  instance: string,
  random: Seeded,
  length: number
) {
  const { job, live, post, texts, today, upstream } = yield* opened(simulation, instance)
  const rows = random.once(2) ? 1 + random.below(12) : Infinity
  const gap = 1 + random.below(12)
  let days = random.below(120)
  let taken = 0
  /** Rows that the ledger had, and their records. */
  const had = new Map<string, string>()
  const check = Effect.gen(function* () {
    const now = new Map((yield* live).map(({ fields, id }) => [String(fields["description"]), id]))
    for (const { description } of upstream.rows.values()) {
      const before = had.get(description)
      const id = now.get(description)
      if (before !== undefined) expect([description, id]).toEqual([description, before])
      else if (id !== undefined) had.set(description, id)
    }
  })
  yield* post("the first of all", 30)
  for (let day = 0; day < length; day++) {
    for (let n = random.once(gap) ? 1 + random.below(3) : 0; n > 0; n--) yield* post(`row ${day} ${n}`)
    if (random.once(20)) days = random.below(120)
    upstream.keeps = { from: CalendarDate.addDays(yield* today, -days), rows }
    const later = [...upstream.rows.values()].slice(1)
    if (taken < 3 && later.length > 0 && random.once(30)) {
      const row = random.pick(later)
      upstream.remove(row)
      had.delete(row.description)
      taken++
    }
    if (!random.once(4)) yield* job(random.once(6) ? everything : {})
    yield* check
    yield* simulation.pass(aDay)
  }
  upstream.keeps = { from: longAgo, rows: Infinity }
  for (let n = 0; n < 4; n++) {
    yield* job(everything)
    yield* check
    yield* simulation.pass(aDay)
  }
  expect(yield* texts).toEqual(Array.from(upstream.rows.values(), ({ description }) => description).toSorted())
})
