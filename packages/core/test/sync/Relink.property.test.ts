/** Banks that give accounts and rows other ids when they are connected anew, at any time: no row is lost or doubled. */
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { BankStore } from "../../src/bank/BankStore.ts"
import { wholeScan } from "../../src/table/RowScan.ts"
import { TableStore } from "../../src/table/TableStore.ts"
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
const seeds = process.env["MILLRACE_LONG"] === "1" ? 200 : 3
const shops = ["COFFEE BAR", "GROCER", "BOOK SHOP", "CINEMA", "BAKERY", "HARDWARE STORE"]

const keyOf = ({ amount, date, description, pending }: Omit<TrueRow, "line" | "providerId" | "account">): string =>
  [date, amount, description, pending].join(" ")

describe("a bank that is connected anew under other ids", () => {
  for (const instance of [
    "snapshotwindow-account-stable",
    "snapshotfull-account-stable",
    "delta-connection-perstatus",
    "snapshotwindow-connection-stable"
  ]) {
    memoryScene(`loses and doubles no row (${instance})`, { model: "upsertByKey" }, (simulation) =>
      Effect.gen(function* () {
        let relinks = 0
        for (let seed = 1; seed <= seeds; seed++) {
          const random = new Seeded(seed)
          const provider = simulation.providers.find((one) => one.options.instance === instance)!
          const { accounts, bank, upstream, workspace } = yield* connect(simulation, provider, ["a", "b"])
          const table = yield* storeTable(workspace, { fields: [] })
          const feed = yield* storeFeed(workspace, {
            destinationConfig: { type: "table", tableId: table.id, createMissingColumns: true, onRemoved: "delete" },
            sourceConfig: { type: "sync", accounts: accounts.map(({ id }) => ({ bankId: bank.id, accountId: id })) },
            fieldMappings: mappings
          })
          const pending = new Set<TrueRow>()
          for (let step = 0; step < 14; step++) {
            const today = CalendarDate.inZone(yield* Clock.currentTimeMillis, "UTC")
            for (let n = random.below(4); n > 0; n--) {
              const isPending = random.once(4)
              const row = upstream.post({
                account: random.pick(["a", "b"]),
                date: CalendarDate.addDays(today, isPending ? 0 : -random.below(3)),
                // Round prices, so that rows of one day are like each other.
                amount: `-${random.pick([5, 5, 10, 20, 42])}`,
                description: random.pick(shops),
                pending: isPending
              })
              if (isPending) pending.add(row)
            }
            if (random.once(4)) {
              upstream.reconnect()
              relinks++
            }
            if (random.once(2)) yield* drive(simulation, feed)
            // What was pending is booked under its id, as it is shown now.
            for (const { line } of Array.from(pending)) {
              const row = upstream.rows.get(line)
              if (row !== undefined && row.pending && random.once(2)) {
                upstream.settle(row, { newId: false, link: false })
              }
            }
            yield* simulation.pass(aDay)
          }
          for (let n = 0; n < 4; n++) {
            yield* drive(simulation, feed)
            yield* simulation.pass(aDay)
          }
          const held = (yield* (yield* BankStore).accounts(bank.id)).map(({ id, state }) => [id, state])
          expect([seed, held]).toEqual([seed, accounts.map(({ id }) => [id, "open"])])
          for (const [at, name] of ["a", "b"].entries()) {
            const truth = [...upstream.rows.values()].filter(({ account }) => account === name).map(keyOf)
            const ours = (yield* ledgerOf(accounts[at]!))
              .filter(({ state }) => state === "live")
              .map(({ date, fields, pending: isPending }) =>
                [date, fields["amount"], fields["description"], isPending].join(" ")
              )
            expect([seed, name, ours.toSorted()]).toEqual([seed, name, truth.toSorted()])
          }
          const rows = yield* (yield* TableStore).rows(wholeScan(table.id))
          expect([seed, rows.length]).toEqual([seed, upstream.rows.size])
        }
        expect(relinks).toBeGreaterThan(seeds)
      })
    )
  }
})
