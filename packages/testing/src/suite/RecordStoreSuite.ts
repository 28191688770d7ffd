/** Conformance of `RecordStore`: contents, matching, change order, checkpoints. Reading pages: `RecordPageSuite`. */
import { RecordStore, Transactor } from "@millrace/core/storage"
import { type DayHashChanges, type IndexEntry, type LedgerRecord, noDayHashes, notShown } from "@millrace/core/record"
import { CalendarDate, Timestamp } from "@millrace/core"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { storeAccount } from "../fixture/Account.ts"
import { storeBank } from "../fixture/Bank.ts"
import { makeWrite, makeWrites, scopeOf } from "../fixture/Record.ts"
import { difficultTexts } from "../fixture/Text.ts"
import { storeWorkspace } from "../fixture/Workspace.ts"
import { letOthersRun, StoreClock, suiteOf, type StorageTests } from "./StorageTests.ts"

const arrange = Effect.gen(function* () {
  const bank = yield* storeBank(yield* storeWorkspace())
  const account = yield* storeAccount(bank)
  return { bank, account, scope: scopeOf(account), records: yield* RecordStore }
})

/** Makes the stored hashes of days current, without another change. */
const unchanged: DayHashChanges = { put: new Map(), removed: [] }

const all = { after: 0, upTo: 1e9, limit: 100_000 }

const byId = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1)

export const tests: StorageTests = (it) => {
  it.effect("hands back a record as it was written, with its number, version and times", () =>
    Effect.gen(function* () {
      const { account, scope, records } = yield* arrange
      const write = yield* makeWrite({ pending: true })
      yield* records.write(scope, [write])
      const [read, ...none] = yield* records.changes(scope, all)
      expect(none).toEqual([])
      const { createdAt, updatedAt, ...rest } = read!
      expect(rest).toEqual({
        ...write,
        accountId: account.id,
        dataType: "transactions",
        changeNo: 1,
        publicChangeNo: 1,
        version: 1,
        annotated: false
      })
      expect(Timestamp.parse(createdAt)).toBe(createdAt)
      expect(updatedAt).toBe(createdAt)
      expect(yield* records.page(scope, { filter: {}, limit: 10 })).toEqual([read])
    })
  )

  it.effect("touches records: a new number each, and the hashes of days stay current", () =>
    Effect.gen(function* () {
      const { account, records, scope } = yield* arrange
      const [a, b, c] = [yield* makeWrite(), yield* makeWrite(), yield* makeWrite()]
      yield* records.write(scope, [a, b, c])
      yield* records.keepDayHashes(scope, unchanged)
      const isCurrent = Effect.map(records.dayHashes(scope), (one) => one.isCurrent)
      expect(yield* records.touch(scope, [c.id, a.id])).toEqual({ before: 3, after: 5 })
      const changes = yield* records.changes(scope, all)
      expect(changes.map(({ annotated, changeNo, id, version }) => [id, changeNo, annotated, version])).toEqual([
        [b.id, 2, false, 1],
        [c.id, 4, true, 1],
        [a.id, 5, true, 1]
      ])
      expect(yield* isCurrent).toBe(true)
      expect(yield* records.touch(scope, [])).toEqual({ before: 5, after: 5 })
      expect(yield* records.lastChange(account.id)).toBe(5)
      // What is written later stays annotated.
      yield* records.write(scope, [{ ...a, hash: "later" }])
      expect((yield* records.held(scope, [a.id]))[0]).toMatchObject({ annotated: true, version: 2, changeNo: 6 })
      expect(yield* isCurrent).toBe(false)
      yield* records.touch(scope, [b.id])
      expect(yield* isCurrent).toBe(false)
    })
  )

  it.effect("moves the public change number only where readers are shown something else", () =>
    Effect.gen(function* () {
      const { scope, records } = yield* arrange
      const fields = { date: "2026-03-14", description: "Cafe", amount: "-1", pending: false }
      const [a, b] = [yield* makeWrite({ date: CalendarDate.make("2026-03-14"), fields }), yield* makeWrite()]
      const numbers = (after = 0) =>
        Effect.map(records.publicChanges(scope, { ...all, after }), (rows) =>
          rows.map(({ changeNo, id, publicChangeNo }) => [id, publicChangeNo, changeNo])
        )
      yield* records.write(scope, [a, b])
      yield* records.touch(scope, [a.id])
      expect(yield* numbers()).toEqual([
        [a.id, 1, 3],
        [b.id, 2, 2]
      ])
      const other = { pending: false, amount: "-1", description: "Cafe", date: "2026-03-14" }
      yield* records.write(scope, [{ ...a, providerId: "renamed", hash: "h2", fields: other }])
      yield* records.rename(scope, [{ id: a.id, providerId: "again" }])
      yield* records.setMissed(scope, [a.id], 1)
      expect(yield* numbers()).toEqual([
        [a.id, 1, 4],
        [b.id, 2, 2]
      ])
      expect(yield* numbers(2)).toEqual([])
      for (const [n, change] of [
        { fields: { ...fields, amount: "-2" } },
        { fields: { ...fields, amount: "-2" }, pending: true },
        { fields: { amount: "-2" } },
        { fields: { amount: "-2" }, state: "deleted" as const },
        { fields: { amount: "-2" } }
      ].entries()) {
        yield* records.write(scope, [{ ...a, ...change }])
        expect(yield* numbers(2)).toEqual([[a.id, 5 + n, 5 + n]])
      }
      yield* records.touch(scope, [b.id])
      yield* records.write(scope, [{ ...a, fields: { amount: "-2" }, state: "removed" }])
      yield* records.merge(scope, [{ id: a.id, into: b.id }])
      expect((yield* records.publicChanges(scope, { after: 2, upTo: 11, limit: 5 }))[0]?.id).toBe(a.id)
      // It is a record of its own again.
      yield* records.write(scope, [{ ...a, fields: { amount: "-2" }, state: "removed" }])
      expect(yield* numbers(2)).toEqual([[a.id, 12, 12]])
      expect(yield* records.publicChanges(scope, { after: 0, upTo: 11, limit: 5 })).toMatchObject([{ id: b.id }])
      expect(yield* records.publicChanges(scope, { ...all, limit: 1 })).toMatchObject([{ id: b.id }])
    })
  )

  it.effect("keeps text, booleans, nothing and exact decimals", () =>
    Effect.gen(function* () {
      const { scope, records } = yield* arrange
      const fields = {
        ...Object.fromEntries(difficultTexts.map((text, i) => [`text ${i} ${text}`, text])),
        yes: true,
        no: false,
        nothing: null,
        cents: "0.1",
        whole: "-1200",
        large: "9999999999999.999999999999",
        larger: `${"9".repeat(60)}.${"1".repeat(60)}`,
        "__proto__ of nobody": "1e3",
        constructor: "a plain key"
      }
      const write = yield* makeWrite({ fields, providerId: difficultTexts.join("/"), hash: difficultTexts[6]! })
      yield* records.write(scope, [write])
      expect((yield* records.fields(scope, [write.id])).get(write.id)).toEqual(fields)
      const [read] = yield* records.changes(scope, all)
      expect(read!.fields).toEqual(fields)
      const [entry] = yield* records.index(scope, { providerIds: [write.providerId] })
      expect(entry).toMatchObject({ id: write.id, providerId: write.providerId, hash: write.hash })
    })
  )

  it.effect("is not changed by what happens to the objects that were given or handed out", () =>
    Effect.gen(function* () {
      const { scope, records } = yield* arrange
      const fields: Record<string, string> = { amount: "1" }
      const write = yield* makeWrite({ fields })
      const writes = [write]
      yield* records.write(scope, writes)
      fields["amount"] = "2"
      writes.length = 0
      const before = yield* records.page(scope, { filter: {}, limit: 1 })
      yield* records.write(scope, [{ ...write, fields: { amount: "3" } }])
      expect(before[0]!.fields).toEqual({ amount: "1" })
      expect(before[0]!.version).toBe(1)
    })
  )

  it.effect("gives every write a number above all earlier ones of the account, in the order of the writes", () =>
    Effect.gen(function* () {
      const { account, bank, scope, records } = yield* arrange
      expect(yield* records.lastChange(account.id)).toBe(0)
      const [a, b, c] = yield* makeWrites(3)
      yield* records.write(scope, [b!, a!], { areNew: true })
      yield* records.write(scopeOf(account, "trades"), [yield* makeWrite({}, "trades")], { areNew: true })
      expect(Exit.isFailure(yield* Effect.exit(records.write(scope, [c!, b!], { areNew: true })))).toBe(true)
      yield* records.write(scope, [c!, { ...b!, hash: "new" }])
      yield* records.write(scope, [])
      expect(yield* records.lastChange(account.id)).toBe(5)
      const none = yield* storeAccount(bank)
      expect(yield* records.lastChanges([none.id, account.id])).toEqual(new Map([[account.id, 5]]))
      const read = yield* records.changes(scope, all)
      expect(read.map(({ id, changeNo, version }) => [id, changeNo, version])).toEqual([
        [a!.id, 2, 1],
        [c!.id, 4, 1],
        [b!.id, 5, 2]
      ])
      expect(yield* records.changes(scopeOf(account, "trades"), all)).toHaveLength(1)
    })
  )

  it.effect("keeps the time of the first write and moves the time of the last", () =>
    Effect.gen(function* () {
      const { scope, records } = yield* arrange
      const write = yield* makeWrite()
      yield* records.write(scope, [write])
      const [first] = yield* records.changes(scope, all)
      yield* (yield* StoreClock).pass(60)
      yield* records.write(scope, [{ ...write, hash: "other" }])
      const [second] = yield* records.changes(scope, all)
      const span = Timestamp.toMillis(second!.updatedAt) - Timestamp.toMillis(second!.createdAt)
      expect(span).toBeGreaterThanOrEqual(60_000)
      expect(second!.version).toBe(first!.version + 1)
    })
  )

  it.effect("walks over the numbers of what has changed since, however many there are", () =>
    Effect.gen(function* () {
      const { scope, records } = yield* arrange
      const [first, busy, last] = yield* makeWrites(3)
      yield* records.write(scope, [first!])
      for (let n = 0; n < 60; n++) yield* records.write(scope, [{ ...busy!, hash: `h${n}` }])
      yield* records.write(scope, [last!])
      const portion = (after: number, limit: number) =>
        Effect.map(records.changes(scope, { after, upTo: 62, limit }), (rows) =>
          rows.map(({ changeNo, id }) => [id, changeNo])
        )
      expect(yield* portion(0, 2)).toEqual([
        [first!.id, 1],
        [busy!.id, 61]
      ])
      expect(yield* portion(1, 1)).toEqual([[busy!.id, 61]])
      expect(yield* portion(0, 3)).toHaveLength(3)
      expect(yield* portion(61, 5)).toEqual([[last!.id, 62]])
      expect(yield* portion(62, 5)).toEqual([])
    })
  )

  it.effect("walks changes in portions after one number and up to another", () =>
    Effect.gen(function* () {
      const { scope, records } = yield* arrange
      const writes = yield* makeWrites(25)
      yield* records.write(scope, writes)
      const seen: Array<string> = []
      let after = 3
      for (;;) {
        const portion = yield* records.changes(scope, { after, upTo: 22, limit: 7 })
        seen.push(...portion.map(({ id }) => id))
        if (portion.length < 7) break
        after = portion.at(-1)!.changeNo
      }
      expect(seen).toEqual(writes.slice(3, 22).map(({ id }) => id))
      expect(yield* records.changes(scope, { after: 25, upTo: 100, limit: 7 })).toEqual([])
    })
  )

  it.effect("shows tombstones as changes and lets them come back under the same id", () =>
    Effect.gen(function* () {
      const { scope, records } = yield* arrange
      const write = yield* makeWrite()
      yield* records.write(scope, [write])
      yield* records.write(scope, [{ ...write, state: "removed" }])
      expect((yield* records.changes(scope, { ...all, after: 1 })).map(({ state }) => state)).toEqual(["removed"])
      expect(yield* records.page(scope, { filter: {}, limit: 10 })).toEqual([])
      expect(yield* records.latestDate(scope)).toBe(write.date)
      expect((yield* records.index(scope, {})).map(({ state }) => state)).toEqual(["removed"])
      yield* records.write(scope, [write])
      expect(yield* records.page(scope, { filter: {}, limit: 10 })).toMatchObject([{ id: write.id, version: 3 }])
    })
  )

  it.effect("gives strictly ordered, gapless numbers under concurrent writers", () =>
    Effect.gen(function* () {
      const { account, scope, records } = yield* arrange
      const transactor = yield* Transactor
      const writes = yield* makeWrites(120)
      const portions = Array.from({ length: 40 }, (_, i) => writes.slice(i * 3, i * 3 + 3))
      yield* Effect.forEach(
        portions,
        (portion, i) =>
          i % 2 === 0
            ? records.write(scope, portion)
            : transactor.atomically(
                Effect.gen(function* () {
                  yield* records.write(scope, portion.slice(0, 1))
                  yield* letOthersRun
                  yield* records.write(scope, portion.slice(1))
                })
              ),
        { concurrency: 8, discard: true }
      )
      const read = yield* records.changes(scope, all)
      expect(read.map(({ changeNo }) => changeNo)).toEqual(Array.from({ length: 120 }, (_, i) => i + 1))
      expect(read.map(({ id }) => id).toSorted()).toEqual(writes.map(({ id }) => id).toSorted())
      expect(yield* records.lastChange(account.id)).toBe(120)
    })
  )

  it.effect("never skips or repeats a change for a reader who follows while writers run", () =>
    Effect.gen(function* () {
      const { account, scope, records } = yield* arrange
      const transactor = yield* Transactor
      const writes = yield* makeWrites(90)
      const writers = yield* Effect.forEach(
        Array.from({ length: 30 }, (_, i) => writes.slice(i * 3, i * 3 + 3)),
        (portion, i) =>
          transactor
            .atomically(
              Effect.gen(function* () {
                yield* records.write(scope, portion)
                yield* letOthersRun
                // Some give up after they took numbers.
                if (i % 5 === 4) return yield* Effect.fail("given up")
                yield* records.write(scope, [{ ...portion[0]!, hash: "again" }])
              })
            )
            .pipe(Effect.ignore),
        { concurrency: 6, discard: true }
      ).pipe(Effect.forkChild)
      const seen = new Map<string, LedgerRecord>()
      const numbers: Array<number> = []
      let after = 0
      const follow = Effect.gen(function* () {
        const upTo = yield* records.lastChange(account.id)
        while (after < upTo) {
          const portion = yield* records.changes(scope, { after, upTo, limit: 4 })
          for (const record of portion) {
            seen.set(record.id, record)
            numbers.push(record.changeNo)
          }
          after = portion.length < 4 ? upTo : portion.at(-1)!.changeNo
          yield* Effect.yieldNow
        }
        yield* Effect.yieldNow
      })
      while (writers.pollUnsafe() === undefined) yield* follow
      yield* Fiber.join(writers)
      yield* follow
      expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b))
      const held = yield* records.changes(scope, all)
      expect(held).toHaveLength(72)
      expect([...seen.values()].toSorted(byId)).toEqual(held.toSorted(byId))
    })
  )

  describeIndex(it)

  it.effect("counts complete reads without a record, which is no public change", () =>
    Effect.gen(function* () {
      const { account, scope, records } = yield* arrange
      const [a, b] = yield* makeWrites(2)
      yield* records.write(scope, [a!, b!])
      const before = yield* records.changes(scope, all)
      yield* records.setMissed(scope, [a!.id], 2)
      yield* records.setMissed(scope, [], 1)
      const missed = Effect.map(
        records.index(scope, {}),
        (entries) => new Map(entries.map((entry) => [entry.id, entry.missed]))
      )
      expect(yield* missed).toEqual(
        new Map([
          [a!.id, 2],
          [b!.id, 0]
        ])
      )
      expect(yield* records.changes(scope, all)).toEqual(before)
      expect(yield* records.lastChange(account.id)).toBe(2)
      yield* records.write(scope, [{ ...a!, hash: "seen" }])
      expect((yield* missed).get(a!.id)).toBe(0)
    })
  )

  it.effect("notes in which reads a record was missing first and last, by its own clock", () =>
    Effect.gen(function* () {
      const { scope, records } = yield* arrange
      const clock = yield* StoreClock
      const write = yield* makeWrite()
      yield* records.write(scope, [write])
      const held = Effect.map(records.held(scope, [write.id]), ([one]) => one!)
      const [plain] = yield* records.changes(scope, all)
      expect(yield* held).toEqual({ ...plain, missed: 0, missedSince: null, missedAt: null, apart: false })
      yield* records.setMissed(scope, [write.id], 1)
      const first = yield* held
      expect([first.missed, first.missedAt]).toEqual([1, first.missedSince])
      yield* clock.pass(60)
      yield* records.setMissed(scope, [write.id], 1)
      expect(yield* held).toEqual(first)
      yield* records.setMissed(scope, [write.id], 2)
      const second = yield* held
      expect([second.missed, second.missedSince]).toEqual([2, first.missedSince])
      const span = Timestamp.toMillis(second.missedAt!) - Timestamp.toMillis(first.missedAt!)
      expect(span).toBeGreaterThanOrEqual(60_000)
      yield* records.setMissed(scope, [write.id], 0)
      expect(yield* held).toMatchObject({ missed: 0, missedSince: null, missedAt: null })
      yield* records.setMissed(scope, [write.id], 1)
      yield* records.write(scope, [{ ...write, hash: "seen" }])
      expect(yield* held).toMatchObject({ missed: 0, missedSince: null, missedAt: null })
    })
  )

  it.effect("gives records another upstream id without telling anybody who follows them", () =>
    Effect.gen(function* () {
      const { account, scope, records } = yield* arrange
      const [a, b, c] = yield* makeWrites(3)
      yield* records.write(scope, [a!, b!, c!])
      yield* records.setMissed(scope, [a!.id], 1)
      const before = yield* records.changes(scope, all)
      const strange = difficultTexts.join("/")
      yield* records.rename(scope, [
        { id: a!.id, providerId: strange },
        { id: b!.id, providerId: "" },
        { id: "txn_unknown", providerId: "x" }
      ])
      yield* records.rename(scope, [])
      expect(yield* records.changes(scope, all)).toEqual(
        before.map((record, n) => ({ ...record, providerId: [strange, "", c!.providerId][n] }))
      )
      expect(yield* records.lastChange(account.id)).toBe(3)
      const found = (providerId: string) =>
        Effect.map(records.index(scope, { providerIds: [providerId] }), (entries) =>
          entries.map(({ id, missed }) => [id, missed])
        )
      expect(yield* found(strange)).toEqual([[a!.id, 0]])
      expect(yield* found(a!.providerId)).toEqual([])
      expect(yield* found("")).toEqual([[b!.id, 0]])
      expect(yield* records.page(scope, { filter: {}, limit: 1 })).toMatchObject([{ providerId: strange }])
    })
  )

  it.effect("keeps what a person deleted as a tombstone of its own state", () =>
    Effect.gen(function* () {
      const { scope, records } = yield* arrange
      const [a, b, c] = yield* makeWrites(3)
      yield* records.write(scope, [a!, { ...b!, state: "removed" }, { ...c!, state: "deleted" }])
      const ofState = (state?: "live" | "removed" | "deleted") =>
        Effect.map(records.page(scope, { filter: state === undefined ? {} : { state }, limit: 10 }), (rows) =>
          rows.map(({ id }) => id)
        )
      expect(yield* ofState()).toEqual([a!.id])
      expect(yield* ofState("live")).toEqual([a!.id])
      expect(yield* ofState("removed")).toEqual([b!.id])
      expect(yield* ofState("deleted")).toEqual([c!.id])
      const before = { date: c!.date, id: `${c!.id}x` }
      expect(yield* records.page(scope, { filter: { state: "deleted" }, limit: 10, before })).toHaveLength(1)
    })
  )

  it.effect("hides a record that was merged into another from matching and lists, until it is written again", () =>
    Effect.gen(function* () {
      const { account, scope, records } = yield* arrange
      const [a, b] = yield* makeWrites(2)
      yield* records.write(scope, [a!, { ...b!, state: "removed" }])
      yield* records.merge(scope, [{ id: b!.id, into: a!.id }])
      const indexed = Effect.map(records.index(scope, {}), (entries) => entries.map(({ id }) => id).toSorted())
      expect(yield* indexed).toEqual([a!.id])
      expect(yield* records.held(scope, [b!.id])).toEqual([])
      expect(yield* records.merged(scope)).toEqual(new Map([[b!.id, a!.id]]))
      expect(yield* records.merged({ ...scope, dataType: "trades" })).toEqual(new Map())
      expect(yield* records.page(scope, { filter: { state: "removed" }, limit: 10 })).toEqual([])
      expect(yield* records.changes(scope, { ...all, after: 1 })).toMatchObject([
        { id: b!.id, state: "removed", mergedInto: a!.id }
      ])
      expect(yield* records.lastChange(account.id)).toBe(2)
      yield* records.write(scope, [b!])
      expect(yield* indexed).toEqual([a!.id, b!.id].toSorted())
      expect(yield* records.merged(scope)).toEqual(new Map())
      expect((yield* records.changes(scope, { ...all, after: 2 }))[0]).not.toHaveProperty("mergedInto")
    })
  )

  it.effect("marks records as apart when they are new, and no others", () =>
    Effect.gen(function* () {
      const { scope, records } = yield* arrange
      const [a, b] = yield* makeWrites(2)
      yield* records.write(scope, [a!])
      yield* records.write(scope, [{ ...a!, hash: "other" }, b!], { apart: true })
      yield* records.write(scope, [{ ...b!, hash: "later" }])
      const held = yield* records.held(scope, [a!.id, b!.id, "txn_unknown"])
      expect(new Map(held.map(({ apart, id }) => [id, apart]))).toEqual(
        new Map([
          [a!.id, false],
          [b!.id, true]
        ])
      )
    })
  )

  it.effect("answers the contents of the records asked for, of that type of that account only", () =>
    Effect.gen(function* () {
      const { bank, account, scope, records } = yield* arrange
      const [a, b, c] = yield* makeWrites(3)
      yield* records.write(scope, [a!, b!])
      const elsewhere = scopeOf(yield* storeAccount(bank))
      yield* records.write(elsewhere, [c!])
      expect(yield* records.fields(scope, [b!.id, c!.id, "txn_unknown"])).toEqual(new Map([[b!.id, b!.fields]]))
      expect(yield* records.fields(scopeOf(account, "trades"), [b!.id])).toEqual(new Map())
      expect(yield* records.fields(scope, [])).toEqual(new Map())
      expect(yield* records.changes(elsewhere, all)).toMatchObject([{ id: c!.id, changeNo: 1 }])
    })
  )

  it.effect("knows the newest day of all records, of those that are gone as well", () =>
    Effect.gen(function* () {
      const { scope, records } = yield* arrange
      expect(yield* records.latestDate(scope)).toBeNull()
      yield* records.write(scope, [
        yield* makeWrite({ date: null }),
        yield* makeWrite({ date: CalendarDate.make("2026-01-02") }),
        yield* makeWrite({ date: CalendarDate.make("2026-01-09"), state: "removed" })
      ])
      expect(yield* records.latestDate(scope)).toBe("2026-01-09")
    })
  )

  it.effect("keeps checkpoints apart by bank, account and type, and forgets them", () =>
    Effect.gen(function* () {
      const { bank, account, records } = yield* arrange
      const other = yield* arrange
      const whole = { bankId: bank.id, accountId: undefined, dataType: "transactions" } as const
      const keys = [
        whole,
        { ...whole, accountId: account.id },
        { ...whole, dataType: "trades" as const },
        { ...whole, bankId: other.bank.id }
      ]
      for (const [i, key] of keys.entries()) {
        expect(yield* records.checkpoint(key)).toBeUndefined()
        yield* records.saveCheckpoint(key, `old ${i}`)
        yield* records.saveCheckpoint(key, `${difficultTexts.join("")} ${i}`)
      }
      for (const [i, key] of keys.entries()) {
        expect(yield* records.checkpoint(key)).toBe(`${difficultTexts.join("")} ${i}`)
      }
      yield* records.saveCheckpoint(whole, undefined)
      yield* records.saveCheckpoint(whole, undefined)
      expect(yield* records.checkpoint(whole)).toBeUndefined()
      expect(yield* records.checkpoint(keys[1]!)).toBeDefined()
    })
  )

  it.effect("changes hashes of days, one by one", () =>
    Effect.gen(function* () {
      const { account, scope, records } = yield* arrange
      const others = scopeOf(account, "trades")
      const [first, second] = [CalendarDate.make("2026-01-01"), CalendarDate.make("1969-12-31")]
      expect(yield* records.dayHashes(scope)).toEqual(noDayHashes)
      yield* records.keepDayHashes(scope, unchanged)
      expect(yield* records.dayHashes(scope)).toEqual({ isCurrent: true, hashes: new Map() })
      yield* records.keepDayHashes(scope, {
        put: new Map([
          [first, "a"],
          [second, notShown],
          [null, null]
        ]),
        removed: []
      })
      const hashes = new Map([
        [first, "a"],
        [second, notShown],
        [null, null]
      ])
      expect(yield* records.dayHashes(scope)).toEqual({ isCurrent: true, hashes })
      yield* records.keepDayHashes(scope, { put: new Map([[first, null]]), removed: [second, null] })
      expect(yield* records.dayHashes(scope)).toEqual({ isCurrent: true, hashes: new Map([[first, null]]) })
      expect(yield* records.dayHashes(others)).toEqual(noDayHashes)
    })
  )

  it.effect("holds hashes of days as current until a record of the scope is another", () =>
    Effect.gen(function* () {
      const { account, scope, records } = yield* arrange
      const others = scopeOf(account, "trades")
      const [a, b] = [yield* makeWrite(), yield* makeWrite()]
      const hashes = new Map([[CalendarDate.make("2026-01-01"), difficultTexts.join(" ")]])
      yield* records.keepDayHashes(scope, { put: hashes, removed: [] })
      yield* records.write(scope, [a, b])
      expect(yield* records.dayHashes(scope)).toEqual({ isCurrent: false, hashes })
      yield* records.keepDayHashes(scope, unchanged)
      yield* records.write(scope, [])
      yield* records.write(others, [yield* makeWrite({}, "trades")])
      yield* records.rename(scope, [])
      yield* records.setMissed(scope, [], 1)
      expect(yield* records.dayHashes(scope)).toEqual({ isCurrent: true, hashes })
      const changes = [
        records.write(scope, [a]),
        records.rename(scope, [{ id: a.id, providerId: "x" }]),
        records.setMissed(scope, [a.id], 1),
        records.merge(scope, [{ id: b.id, into: a.id }])
      ]
      for (const change of changes) {
        yield* records.keepDayHashes(scope, unchanged)
        yield* change
        expect(yield* records.dayHashes(scope)).toEqual({ isCurrent: false, hashes })
      }
    })
  )

  it.effect("changes no hash of a day in a transaction that is undone", () =>
    Effect.gen(function* () {
      const { scope, records } = yield* arrange
      const { atomically } = yield* Transactor
      const hashes = new Map([[CalendarDate.make("2026-01-01"), "before"]])
      yield* records.keepDayHashes(scope, { put: hashes, removed: [] })
      const put = new Map([[CalendarDate.make("2026-01-01"), "after"]])
      yield* Effect.exit(
        atomically(
          Effect.gen(function* () {
            yield* records.write(scope, [yield* makeWrite()])
            yield* records.keepDayHashes(scope, { put, removed: [] })
            return yield* Effect.fail("no")
          })
        )
      )
      expect(yield* records.dayHashes(scope)).toEqual({ isCurrent: true, hashes })
    })
  )

  it.effect("notes when a type of an account was read whole", () =>
    Effect.gen(function* () {
      const { account, scope, records } = yield* arrange
      expect(yield* records.pulledAt(scope)).toBeUndefined()
      yield* records.setPulled([scope])
      const first = yield* records.pulledAt(scope)
      yield* (yield* StoreClock).pass(5)
      yield* records.setPulled([scope])
      const second = yield* records.pulledAt(scope)
      expect(first).toBeDefined()
      expect(Timestamp.parse(second!)).toBe(second)
      expect(yield* records.pulledAt(scopeOf(account, "balances"))).toBeUndefined()
      yield* records.setPulled([])
      yield* records.setPulled([scope, scopeOf(account, "balances")])
      expect(yield* records.pulledAt(scopeOf(account, "balances"))).toBe(yield* records.pulledAt(scope))
      const other = (yield* arrange).account
      const times = yield* records.pulledTimes(scope.dataType, [account.id, other.id])
      expect([...times]).toEqual([[account.id, yield* records.pulledAt(scope)]])
      expect(yield* records.pulledTimes(scope.dataType, [])).toEqual(new Map())
    })
  )

  it.effect("keeps the days that reads showed, until a read says others", () =>
    Effect.gen(function* () {
      const { account, scope, records } = yield* arrange
      const shown = [{ from: CalendarDate.make("2026-01-31"), at: Timestamp.make("2026-03-01T00:00:00.007Z") }]
      const of = (type: typeof scope.dataType) => records.shown(type, [account.id])
      expect(yield* of(scope.dataType)).toEqual(new Map())
      yield* records.setPulled([{ ...scope, shown }, scopeOf(account, "trades")])
      expect(yield* of(scope.dataType)).toEqual(new Map([[account.id, shown]]))
      yield* records.setPulled([scope])
      const other = (yield* arrange).account
      yield* records.setPulled([{ ...scopeOf(other, scope.dataType), shown: [] }])
      const both = yield* records.shown(scope.dataType, [other.id, account.id])
      expect([both.get(account.id), both.get(other.id)]).toEqual([shown, []])
      expect(yield* records.shown(scope.dataType, [])).toEqual(new Map())
      expect(yield* of("trades")).toEqual(new Map())
      yield* records.setPulled([{ ...scope, shown: [] }])
      expect(yield* of(scope.dataType)).toEqual(new Map([[account.id, []]]))
    })
  )
}

const describeIndex = (it: Parameters<StorageTests>[0]): void => {
  it.effect("indexes everything it holds, or what is asked for by day, id and upstream id", () =>
    Effect.gen(function* () {
      const { scope, records } = yield* arrange
      const day = CalendarDate.make
      const old = yield* makeWrite({ date: day("2026-01-01"), providerId: "x" })
      const edge = yield* makeWrite({ date: day("2026-02-01"), providerId: "x", state: "removed" })
      const young = yield* makeWrite({ date: day("2026-03-01"), pending: true })
      const undated = yield* makeWrite({ date: null, providerId: "" })
      yield* records.write(scope, [old, edge, young, undated])
      const entryOf = ({ fields: _fields, ...rest }: typeof old): IndexEntry => ({ ...rest, missed: 0 })
      const index = (only: Parameters<typeof records.index>[1]) =>
        Effect.map(records.index(scope, only), (entries) => entries.toSorted(byId))
      const from = day("2026-02-01")
      expect(yield* index({})).toEqual([old, edge, young, undated].map(entryOf))
      expect(yield* index({ from })).toEqual([edge, young, undated].map(entryOf))
      expect(yield* index({ providerIds: ["x", young.providerId, "nothing"] })).toEqual([old, edge, young].map(entryOf))
      expect(yield* index({ providerIds: ["x", ""], from })).toEqual([edge, undated].map(entryOf))
      expect(yield* index({ providerIds: [] })).toEqual([])
      const days = (...ranges: ReadonlyArray<readonly [string, string]>) => ({
        days: ranges.map(([first, last]) => ({ from: day(first), to: day(last) }))
      })
      expect(yield* index(days())).toEqual([edge, undated].map(entryOf))
      expect(yield* index(days(["2026-01-01", "2026-02-28"]))).toEqual([old, edge, undated].map(entryOf))
      expect(yield* index(days(["2025-01-01", "2025-12-31"], ["2026-03-01", "2026-03-01"]))).toEqual(
        [edge, young, undated].map(entryOf)
      )
      expect(yield* index({ ...days(["2026-01-01", "2026-12-31"]), ids: [young.id] })).toEqual([entryOf(young)])
      expect(yield* index({ ids: [young.id, old.id, "txn_unknown"] })).toEqual([old, young].map(entryOf))
      expect(yield* index({ ids: [young.id, old.id], providerIds: ["x"] })).toEqual([entryOf(old)])
      expect(yield* index({ ids: [] })).toEqual([])
    })
  )

  it.effect("follows a record to its new upstream id", () =>
    Effect.gen(function* () {
      const { scope, records } = yield* arrange
      const write = yield* makeWrite({ providerId: "pending-1" })
      yield* records.write(scope, [write])
      yield* records.write(scope, [{ ...write, providerId: "posted-1" }])
      expect(yield* records.index(scope, { providerIds: ["pending-1"] })).toEqual([])
      expect(yield* records.index(scope, { providerIds: ["posted-1"] })).toMatchObject([{ id: write.id }])
    })
  )
}

export const suite = suiteOf(tests)
