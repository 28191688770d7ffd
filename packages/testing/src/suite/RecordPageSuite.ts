/** Conformance of `RecordStore.page`: order, filters and paging against a naive reading of the same records. */
import type { RecordWrite } from "@millrace/core/record"
import { type PageQuery, type RecordFilter, type RecordScope, RecordStore } from "@millrace/core/storage"
import { CalendarDate, Decimal } from "@millrace/core"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { storeAccount } from "../fixture/Account.ts"
import { storeBank } from "../fixture/Bank.ts"
import { makeWrite, makeWrites, scopeOf } from "../fixture/Record.ts"
import { storeWorkspace } from "../fixture/Workspace.ts"
import { suiteOf, type StorageTests } from "./StorageTests.ts"

const arrange = Effect.gen(function* () {
  const account = yield* storeAccount(yield* storeBank(yield* storeWorkspace()))
  return { scope: scopeOf(account), records: yield* RecordStore }
})

const walk = Effect.fnUntraced(function* (scope: RecordScope, filter: RecordFilter, limit: number) {
  const records = yield* RecordStore
  const ids: Array<string> = []
  /** A page, which reads the same where only what is shown is asked for. */
  const read = Effect.fnUntraced(function* (query: PageQuery) {
    const whole = yield* records.page(scope, query)
    const shown = yield* records.shownPage(scope, query)
    expect(shown).toEqual(whole.map(({ date, fields, id }) => ({ id, date, fields })))
    return whole
  })
  let page = yield* read({ filter, limit })
  while (page.length > 0) {
    ids.push(...page.map(({ id }) => id))
    if (page.length < limit) break
    const { date, id } = page.at(-1)!
    page = yield* read({ filter, limit, before: { date, id } })
  }
  return ids
})

const newestFirst = (a: RecordWrite, b: RecordWrite): number =>
  a.date === b.date ? (a.id > b.id ? -1 : 1) : a.date === null ? 1 : b.date === null ? -1 : a.date > b.date ? -1 : 1

export const tests: StorageTests = (it) => {
  it.effect("walks equal days and undated records page by page, newest first, undated last", () =>
    Effect.gen(function* () {
      const { scope, records } = yield* arrange
      const writes = (yield* makeWrites(40)).map((write, i) => ({
        ...write,
        date: i % 9 === 0 ? null : CalendarDate.addDays(CalendarDate.make("2026-03-01"), i % 4)
      }))
      yield* records.write(scope, writes)
      const expected = writes.toSorted(newestFirst).map(({ id }) => id)
      for (const limit of [1, 3, 7, 40, 100, 1_500]) expect(yield* walk(scope, {}, limit)).toEqual(expected)
    })
  )

  it.effect("never shows a record twice or leaves one out when others come and go between pages", () =>
    Effect.gen(function* () {
      const { scope, records } = yield* arrange
      const writes = yield* makeWrites(20)
      yield* records.write(scope, writes)
      const first = yield* records.page(scope, { filter: {}, limit: 10 })
      const { date, id } = first.at(-1)!
      yield* records.write(scope, [
        yield* makeWrite({ date: CalendarDate.make("2026-04-01") }),
        { ...writes[2]!, state: "removed" }
      ])
      const second = yield* records.page(scope, { filter: {}, limit: 20, before: { date, id } })
      expect([...first, ...second].map((record) => record.id)).toEqual(writes.map((write) => write.id))
    })
  )

  it.effect("filters by each property and by all together", () =>
    Effect.gen(function* () {
      const { scope, records } = yield* arrange
      const day = CalendarDate.make("2026-03-10")
      const spec: ReadonlyArray<readonly [name: string, change: Partial<RecordWrite>]> = [
        ["plain", { fields: { description: "Coop Zürich", amount: "-12.5", type: "CARD", category: "FOOD" } }],
        ["merchant", { fields: { description: "x", merchantName: "COOP", amount: "-2", type: "CARD" } }],
        ["pending", { pending: true, fields: { description: "coop", amount: "-100", type: "ATM", category: "CASH" } }],
        ["earlier", { date: CalendarDate.make("2026-03-09"), fields: { description: "salary", amount: "5000" } }],
        ["later", { date: CalendarDate.make("2026-03-11"), fields: { description: "100% _coop_", amount: "0.1" } }],
        ["undated", { date: null, fields: { description: "C:\\temp 'x'", amount: "9007199254740993.01" } }],
        ["empty", { fields: { description: null, amount: null } }],
        ["gone", { state: "removed", fields: { description: "coop", amount: "-12.5", type: "CARD" } }]
      ]
      const names = new Map<string, string>()
      for (const [name, change] of spec) {
        const write = yield* makeWrite({ date: day, ...change })
        names.set(write.id, name)
        yield* records.write(scope, [write])
      }
      const found = Effect.fnUntraced(function* (filter: RecordFilter) {
        return (yield* walk(scope, filter, 2)).map((id) => names.get(id)!).toSorted()
      })
      const dated = ["earlier", "empty", "later", "merchant", "pending", "plain"]
      expect(yield* found({})).toEqual([...dated, "undated"].toSorted())
      expect(yield* found({ from: day })).toEqual(["empty", "later", "merchant", "pending", "plain"])
      expect(yield* found({ to: day })).toEqual(["earlier", "empty", "merchant", "pending", "plain"])
      expect(yield* found({ from: day, to: day })).toEqual(["empty", "merchant", "pending", "plain"])
      expect(yield* found({ pending: true })).toEqual(["pending"])
      expect(yield* found({ pending: false })).toHaveLength(6)
      expect(yield* found({ type: "CARD" })).toEqual(["merchant", "plain"])
      expect(yield* found({ category: "FOOD" })).toEqual(["plain"])
      expect(yield* found({ category: "food" })).toEqual([])
      expect(yield* found({ text: "cOOp" })).toEqual(["later", "merchant", "pending", "plain"])
      expect(yield* found({ text: "ZÜRICH" })).toEqual(["plain"])
      expect(yield* found({ text: "%" })).toEqual(["later"])
      expect(yield* found({ text: "_coop_" })).toEqual(["later"])
      expect(yield* found({ text: "\\TEMP 'X'" })).toEqual(["undated"])
      expect(yield* found({ text: "c_op" })).toEqual([])
      expect(yield* found({ minAmount: Decimal.make("-12.5") })).toEqual([
        "earlier",
        "later",
        "merchant",
        "plain",
        "undated"
      ])
      expect(yield* found({ maxAmount: Decimal.make("-12.5") })).toEqual(["pending", "plain"])
      expect(yield* found({ minAmount: Decimal.make("0.1"), maxAmount: Decimal.make("0.1") })).toEqual(["later"])
      // Doubles cannot tell these apart.
      expect(yield* found({ minAmount: Decimal.make("9007199254740993.01") })).toEqual(["undated"])
      expect(yield* found({ minAmount: Decimal.make("9007199254740993.02") })).toEqual([])
      expect(
        yield* found({ from: day, to: day, pending: false, type: "CARD", text: "coop", maxAmount: Decimal.make("-2") })
      ).toEqual(["merchant", "plain"])
    })
  )

  it.effect("finds a rare record among many", () =>
    Effect.gen(function* () {
      const { scope, records } = yield* arrange
      const writes = yield* makeWrites(2_000)
      const rare = { ...writes[1_700]!, fields: { description: "needle" } }
      yield* records.write(scope, writes.with(1_700, rare))
      expect(yield* walk(scope, { text: "Needle" }, 5)).toEqual([rare.id])
    })
  )
}

export const suite = suiteOf(tests)
