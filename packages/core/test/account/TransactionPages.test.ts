import * as MemoryStorage from "@millrace/adapters/storage/memory/MemoryStorage"
import * as NodeDigest from "@millrace/adapters/digest/NodeDigest"
import { transactionPages, type TransactionRows } from "@millrace/core/account/TransactionPages"
import type { RecordWrite } from "@millrace/core/record/LedgerRecord"
import { RecordStore } from "@millrace/core/record/RecordStore"
import * as CalendarDate from "@millrace/core/shared/CalendarDate"
import { Cursors } from "@millrace/core/shared/Cursors"
import { Ids } from "@millrace/core/shared/Ids"
import { storeAccount } from "@millrace/testing/fixture/Account"
import { storeBank } from "@millrace/testing/fixture/Bank"
import { makeWrite, scopeOf } from "@millrace/testing/fixture/Record"
import { storeWorkspace } from "@millrace/testing/fixture/Workspace"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Seeded } from "@millrace/testing/model/Seeded"

const services = Layer.mergeAll(
  MemoryStorage.layer,
  Ids.layer,
  Cursors.layer(Redacted.make("key")).pipe(Layer.provide(NodeDigest.layer))
)

const opened = Effect.gen(function* () {
  const account = yield* storeAccount(yield* storeBank(yield* storeWorkspace()))
  const records = yield* RecordStore
  const scope = scopeOf(account)
  const pages = transactionPages(records, yield* Cursors)
  const read = (query: Parameters<typeof pages.read>[3]) =>
    Effect.map(pages.read(scope, "r", {}, query), (page): TransactionRows => page)
  return { records, scope, read }
})

describe("pages of transactions", () => {
  it.effect("lose no row while rows change, and end in a watermark that tells the rest", () =>
    Effect.gen(function* () {
      const random = new Seeded(21)
      for (let round = 0; round < 60; round++) {
        const { read, records, scope } = yield* opened
        const from = random.once(2) ? CalendarDate.make("2026-03-05") : undefined
        const truth = new Map<string, RecordWrite>()
        const change = Effect.gen(function* () {
          const writes: Array<RecordWrite> = []
          for (let n = random.below(4); n >= 0; n--) {
            const old = random.once(3) || truth.size === 0 ? undefined : random.pick([...truth.values()])
            const date = CalendarDate.make(`2026-03-${String(1 + random.below(9)).padStart(2, "0")}`)
            const write = yield* makeWrite({
              ...old,
              date,
              fields: { date },
              hash: `${random.below(1e9)}`,
              state: random.once(4) ? "removed" : "live"
            })
            if (writes.some(({ id }) => id === write.id)) continue
            truth.set(write.id, write)
            writes.push(write)
          }
          yield* records.write(scope, writes)
        })
        for (let n = 0; n < 6; n++) yield* change
        /** What a client holds that upserts by id and drops what it is told was removed. */
        const client = new Map<string, unknown>()
        const take = (page: TransactionRows) => {
          for (const row of page.rows) client.set(String(row["id"]), row["date"])
          for (const id of page.removed ?? []) client.delete(id)
        }
        let page = yield* read({ filter: from === undefined ? {} : { from }, limit: 2 })
        take(page)
        for (let n = 0; page.hasMore; n++) {
          if (n < 8) yield* change
          page = yield* read({ filter: {}, cursor: page.cursor, limit: 2 })
          take(page)
        }
        for (let n = 0; n < 3; n++) {
          yield* change
          do {
            page = yield* read({ filter: {}, cursor: page.cursor, limit: 3 })
            take(page)
          } while (page.hasMore)
        }
        const expected = [...truth.values()]
          .filter(({ date, state }) => state === "live" && (from === undefined || date! >= from))
          .map(({ date, id }) => [id, date])
        expect([...client].toSorted()).toEqual(expected.toSorted())
        const still = yield* read({ filter: {}, cursor: page.cursor })
        expect([still.rows, still.removed, still.hasMore]).toEqual([[], [], false])
      }
    }).pipe(Effect.provide(services))
  )

  it.effect("keeps the window of the first page, and opens its end in the watermark", () =>
    Effect.gen(function* () {
      const { read, records, scope } = yield* opened
      const [from, to] = [CalendarDate.make("2026-03-01"), CalendarDate.make("2026-03-10")]
      const first = yield* read({ filter: { from, to } })
      expect([first.window, first.hasMore]).toEqual([{ from, to }, false])
      yield* records.write(scope, [
        yield* makeWrite({ date: CalendarDate.make("2026-04-01") }),
        yield* makeWrite({ date: CalendarDate.make("2026-02-01") })
      ])
      const next = yield* read({ filter: { from: to }, cursor: first.cursor })
      expect([next.window, next.rows.length, next.removed?.length]).toEqual([{ from }, 1, 1])
    }).pipe(Effect.provide(services))
  )

  it.effect("gives every filter it takes a cursor that reads on, and refuses longer ones by name", () =>
    Effect.gen(function* () {
      const { read, records, scope } = yield* opened
      const text = "\u00e9".repeat(200)
      const date = CalendarDate.make("2026-03-05")
      for (let n = 0; n < 3; n++) {
        yield* records.write(scope, [yield* makeWrite({ date, fields: { date, description: text }, hash: `${n}` })])
      }
      const first = yield* read({ filter: { text, pending: false }, limit: 1 })
      expect(first.hasMore).toBe(true)
      expect((yield* read({ filter: {}, limit: 1, cursor: first.cursor })).rows).toHaveLength(1)
      for (const [field, filter] of [
        ["q", { text: "\u6c34".repeat(200) }],
        ["type", { text: "a", type: "b".repeat(2_000) }],
        ["category", { category: "c".repeat(600) }]
      ] as const) {
        const refused = yield* Effect.flip(read({ filter }))
        expect(refused).toMatchObject({ _tag: "InvalidInput", details: [{ field }] })
      }
    }).pipe(Effect.provide(services))
  )

  it.effect("refuses a window that ends before it begins", () =>
    Effect.gen(function* () {
      const { read } = yield* opened
      const filter = { from: CalendarDate.make("2026-03-02"), to: CalendarDate.make("2026-03-01") }
      expect(yield* Effect.flip(read({ filter }))).toMatchObject({ code: "INVALID_DATE_RANGE" })
    }).pipe(Effect.provide(services))
  )
})
