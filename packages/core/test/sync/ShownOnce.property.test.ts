/** Rows that one read shows by mistake, and reads that show too little: only the former ever go. */
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import type { TrueRow } from "@millrace/testing/fake"
import { storeFeed, storeTable } from "@millrace/testing/fixture"
import { Seeded } from "@millrace/testing/model"
import { ledgerOf } from "@millrace/verification/simulation/Checkers"
import { mappings } from "@millrace/verification/simulation/FollowingFeed"
import { connect, drive } from "@millrace/verification/simulation/Simulation"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { describe, expect } from "vitest"
import { memoryScene } from "./MemoryScene.ts"

const aDay = 86_401
const seeds = process.env["MILLRACE_LONG"] === "1" ? 100 : 4
const everything = {
  change: { mode: "full", options: { forceCancelActive: false, resetCursors: true, skipDedup: false } }
} as const

describe("an account of which an upstream shows too much once, and too little at times", () => {
  for (const instance of [
    "snapshotfull-account-stable",
    "snapshotwindow-account-stable",
    "snapshotfull-connection-perstatus",
    "snapshotfull-account-none"
  ]) {
    memoryScene(
      `loses what one read alone has shown, and nothing else (${instance})`,
      { model: "upsertByKey" },
      (simulation) =>
        Effect.gen(function* () {
          let mistakes = 0
          let shortDays = 0
          for (let seed = 1; seed <= seeds; seed++) {
            const random = new Seeded(seed)
            const provider = simulation.providers.find((one) => one.options.instance === instance)!
            const { accounts, bank, upstream, workspace } = yield* connect(simulation, provider, ["a"])
            const table = yield* storeTable(workspace, { fields: [] })
            const feed = yield* storeFeed(workspace, {
              destinationConfig: { type: "table", tableId: table.id, createMissingColumns: true, onRemoved: "delete" },
              sourceConfig: { type: "sync", accounts: [{ bankId: bank.id, accountId: accounts[0]!.id }] },
              fieldMappings: mappings
            })
            const today = Effect.map(Clock.currentTimeMillis, (now) => CalendarDate.inZone(now, "UTC"))
            let count = 0
            const post = Effect.fnUntraced(function* (what: string, daysAgo: number) {
              const date = CalendarDate.addDays(yield* today, -daysAgo)
              return upstream.post({ account: "a", date, amount: `-${++count}.25`, description: `${what} ${count}` })
            })
            const live = Effect.map(
              ledgerOf(accounts[0]!),
              (all) =>
                new Set(all.flatMap(({ fields, state }) => (state === "live" ? [String(fields["description"])] : [])))
            )
            /** How many reads have shown each row. */
            const shown = new Map<string, number>()
            const wrong: Array<ReadonlyArray<TrueRow>> = []
            const named: Array<string> = []
            const sync = Effect.fnUntraced(function* (options: Parameters<typeof drive>[2] = {}) {
              const isShort = upstream.shortReads > 0
              const { job } = yield* drive(simulation, feed, options)
              named.push(...job.errors.flatMap(({ message }) => (message.includes("one read alone") ? [message] : [])))
              // Of a short read it is not known here which rows it showed: only those count that whole reads have shown.
              if (!isShort)
                for (const { description } of upstream.rows.values())
                  shown.set(description, (shown.get(description) ?? 0) + 1)
              const now = yield* live
              const lost = [...upstream.rows.values()].filter(
                ({ description }) => (shown.get(description) ?? 0) > 1 && !now.has(description)
              )
              expect([seed, lost]).toEqual([seed, []])
            })
            yield* post("base", 61)
            for (let n = 20 + random.below(40); n > 0; n--) yield* post("base", random.below(60))
            yield* sync()
            yield* simulation.pass(aDay)
            yield* sync()
            for (let day = 0; day < 16; day++) {
              yield* simulation.pass(aDay)
              for (let n = random.below(3); n > 0; n--) yield* post("row", random.below(3))
              if (wrong.length === 0 && random.once(4)) {
                const rows: Array<TrueRow> = []
                for (let n = 6 + random.below(6); n > 0; n--) rows.push(yield* post("mistake", 3 + random.below(40)))
                yield* sync()
                for (const row of rows) upstream.remove(row)
                wrong.push(rows)
                mistakes++
                continue
              }
              // A weekend, on which the upstream shows a third or nothing of what there is.
              if (random.once(6)) {
                for (let n = 1 + random.below(3); n > 0; n--) {
                  upstream.shortReads = 1
                  upstream.shortBy = random.pick([2, 3, Infinity])
                  upstream.shortAtStart = random.once(2)
                  shortDays++
                  yield* sync(random.once(3) ? everything : {})
                  upstream.shortReads = 0
                  yield* simulation.pass(aDay)
                }
              }
              yield* sync(random.once(8) ? everything : {})
            }
            for (let n = 0; n < 5; n++) {
              yield* simulation.pass(aDay)
              yield* sync(everything)
            }
            const now = yield* live
            const left = wrong.flat().filter(({ description }) => now.has(description))
            expect([seed, left]).toEqual([seed, []])
            expect([seed, [...upstream.rows.values()].filter(({ description }) => !now.has(description))]).toEqual([
              seed,
              []
            ])
          }
          expect(mistakes).toBeGreaterThan(seeds / 2)
          expect(shortDays).toBeGreaterThan(seeds)
        })
    )
  }
})
