/** Change feeds that remove booked rows and tell them again under other ids: what people wrote on them stays. */
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
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
const seeds = process.env["MILLRACE_LONG"] === "1" ? 300 : 15
const shops = ["COFFEE BAR", "GROCER", "BOOK SHOP", "CINEMA"]

const contentOf = ({ amount, date, description }: Pick<TrueRow, "amount" | "date" | "description">): string =>
  [date, amount, description].join(" ")

describe("a change feed that removes booked rows and tells them again", () => {
  for (const instance of ["delta-connection-perstatus", "delta-account-stable"]) {
    memoryScene(`keeps every note and doubles nothing (${instance})`, { model: "upsertByKey" }, (simulation) =>
      Effect.gen(function* () {
        const tables = yield* TableStore
        const ways = { together: 0, removedFirst: 0, toldFirst: 0 }
        for (let seed = 1; seed <= seeds; seed++) {
          const random = new Seeded(seed)
          const provider = simulation.providers.find((one) => one.options.instance === instance)!
          const { accounts, bank, upstream, workspace } = yield* connect(simulation, provider, ["a"])
          const account = accounts[0]!
          const table = yield* storeTable(workspace, { fields: [] })
          const feed = yield* storeFeed(workspace, {
            destinationConfig: { type: "table", tableId: table.id, createMissingColumns: true, onRemoved: "delete" },
            sourceConfig: { type: "sync", accounts: [{ bankId: bank.id, accountId: account.id }] },
            fieldMappings: mappings
          })
          const live = Effect.map(ledgerOf(account), (all) => all.filter(({ state }) => state === "live"))
          /** Notes by record; `contents` says how many records of a content have one. */
          const notes = new Map<string, { readonly text: string; readonly content: string }>()
          const sync = drive(simulation, feed)
          yield* sync
          for (let step = 0; step < 16; step++) {
            const today = CalendarDate.inZone(yield* Clock.currentTimeMillis, "UTC")
            for (let n = random.below(3); n > 0; n--) {
              upstream.post({
                account: "a",
                date: CalendarDate.addDays(today, -random.below(3)),
                amount: `-${random.pick([5, 10, 42])}`,
                description: random.pick(shops)
              })
            }
            yield* sync
            const candidates = (yield* live).filter(({ id }) => !notes.has(id))
            if (candidates.length > 0 && random.once(2)) {
              const { date, fields, id } = random.pick(candidates)
              const text = `note ${notes.size}`
              const [row] = yield* tables.rowsByKey(table.id, [`transactions:${id}`])
              const edited = {
                ...row!,
                values: { ...row!.values, description: text },
                held: ["description"],
                version: 9
              }
              yield* tables.putRows(table.id, [{ row: edited, folded: {}, entries: [] }], 0)
              const [amount, description] = [String(fields["amount"]), String(fields["description"])]
              notes.set(id, { text, content: contentOf({ date: date!, amount, description }) })
            }
            for (let n = random.below(3); n > 0 && upstream.rows.size > 0; n--) {
              const row = random.pick([...upstream.rows.values()])
              const way = random.pick(["together", "removedFirst", "toldFirst"] as const)
              ways[way]++
              // What one read shows has one instant, and what a later read shows has a later one.
              yield* simulation.pass(1)
              if (way === "toldFirst") upstream.post(row)
              else upstream.remove(row)
              if (way !== "together") {
                yield* sync
                if (random.once(2)) yield* simulation.pass(aDay)
              }
              if (way === "toldFirst") upstream.remove(row)
              else upstream.post(row)
              if (random.once(2)) yield* sync
            }
            yield* simulation.pass(random.once(2) ? aDay : 600)
          }
          yield* sync
          const truth = [...upstream.rows.values()].map(contentOf).toSorted()
          const records = yield* live
          const ours = records.map(({ date, fields }) =>
            contentOf({ date: date!, amount: String(fields["amount"]), description: String(fields["description"]) })
          )
          expect([seed, ours.toSorted()]).toEqual([seed, truth])
          const rows = yield* tables.rows(wholeScan(table.id))
          expect([seed, rows.length]).toEqual([seed, truth.length])
          const texts = rows
            .map(({ values }) => String(values["description"]))
            .filter((text) => text.startsWith("note"))
          expect([seed, texts.toSorted()]).toEqual([seed, Array.from(notes.values(), ({ text }) => text).toSorted()])
          const ids = new Set(records.map(({ id }) => id))
          expect([seed, [...notes.keys()].filter((id) => !ids.has(id))]).toEqual([seed, []])
        }
        expect(Math.min(...Object.values(ways))).toBeGreaterThan(seeds)
      })
    )
  }
})
