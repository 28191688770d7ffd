import { MemoryStorage } from "@millrace/adapters/memory"
import { NodeDigest } from "@millrace/adapters"
import { TransactionPages, type TransactionRows } from "../../src/usecase/TransactionPages.ts"
import type { RecordWrite } from "../../src/record/LedgerRecord.ts"
import { RecordStore } from "../../src/record/RecordStore.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { Cursors } from "../../src/cursor/Cursors.ts"
import { limits } from "../../src/shared/Limits.ts"
import { Ids } from "../../src/shared/Ids.ts"
import { makeWrite, scopeOf, storeAccount, storeBank, storeWorkspace } from "@millrace/testing/fixture"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Seeded } from "@millrace/testing/model"

const services = TransactionPages.layer.pipe(
  Layer.provideMerge(Cursors.layer(Redacted.make("key"))),
  Layer.provideMerge(Layer.mergeAll(MemoryStorage.layer, Ids.layer, NodeDigest.layer))
)

const opened = Effect.gen(function* () {
  const account = yield* storeAccount(yield* storeBank(yield* storeWorkspace()))
  const records = yield* RecordStore
  const scope = scopeOf(account)
  const pages = yield* TransactionPages
  const read = Effect.fnUntraced(function* (query: Parameters<typeof pages.read>[3]) {
    const lastChange = yield* records.lastChange(scope.accountId)
    const first = pages.first(query)
    const page: TransactionRows = yield* pages.read(scope, "r", {}, query, { lastChange })
    // A first page that was read with the look is the same.
    if (first !== undefined) {
      const found = yield* records.shownPage(scope, first)
      const again = yield* pages.read(scope, "r", {}, query, { lastChange, found })
      expect(again).toEqual({
        ...page,
        cursor: expect.any(String)
      })
    }
    return page
  })
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

  it.effect("goes on from a cursor alone, however long the filter was, and to the watermark after it", () =>
    Effect.gen(function* () {
      const { read, records, scope } = yield* opened
      const text = "\u6c34".repeat(200)
      const [type, category] = ["\u00e9".repeat(2_000), "c".repeat(2_000)]
      const date = CalendarDate.make("2026-03-05")
      const add = (hash: string) =>
        Effect.flatMap(makeWrite({ date, fields: { date, description: text, type, category }, hash }), (write) =>
          records.write(scope, [write])
        )
      for (let n = 0; n < 3; n++) yield* add(`${n}`)
      yield* records.write(scope, [yield* makeWrite({ date, fields: { date, description: "other" }, hash: "x" })])
      const first = yield* read({ filter: { text, type, category, pending: false, from: date }, limit: 1 })
      expect([first.rows.length, first.hasMore]).toEqual([1, true])
      expect(first.cursor.length).toBeLessThanOrEqual(limits.cursorLength)
      const second = yield* read({ filter: { text: "ignored" }, cursor: first.cursor })
      expect([second.rows.length, second.hasMore, second.window]).toEqual([2, false, { from: date }])
      yield* add("new")
      expect((yield* read({ filter: {}, cursor: second.cursor })).rows).toHaveLength(1)
    }).pipe(Effect.provide(services))
  )

  it.effect("goes on although the row at the edge of the page was changed, or is gone", () =>
    Effect.gen(function* () {
      const { read, records, scope } = yield* opened
      const date = CalendarDate.make("2026-03-05")
      const writes = yield* Effect.forEach([1, 2, 3, 4], (n) => makeWrite({ date, fields: { date }, hash: `${n}` }))
      yield* records.write(scope, writes)
      const first = yield* read({ filter: {}, limit: 2 })
      const edge = writes.find(({ id }) => id === first.rows.at(-1)!["id"])!
      for (const change of [{ date: CalendarDate.make("2026-03-01"), hash: "moved" }, { state: "removed" as const }]) {
        yield* records.write(scope, [{ ...edge, ...change }])
        expect((yield* read({ filter: {}, cursor: first.cursor })).rows.length).toBeGreaterThanOrEqual(2)
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
