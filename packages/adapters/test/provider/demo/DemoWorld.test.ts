import { expect, it } from "@effect/vitest"
import { configured, type ObservedRecord } from "@millrace/core/provider"
import { CalendarDate, Currency, Decimal, Timestamp } from "@millrace/core"
import { applied, keyOf, type Model } from "@millrace/testing/suite/provider"
import * as Result from "effect/Result"
import { Outbound } from "@millrace/core/outbound"
import * as Layer from "effect/Layer"
import { eachCall } from "@millrace/testing/fake"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { historyStart as firstMonth, instant, monthOf } from "../../../src/provider/demo/Calendar.ts"
import * as DemoProvider from "../../../src/provider/demo/DemoProvider.ts"
import { proportion } from "../../../src/provider/demo/Entry.ts"
import { bundledProviders } from "../../../src/provider/registry.ts"
import { amountOf, connect, historyStart, morning, read, text, travelTo } from "./DemoReader.ts"

const ofAccount = (rows: ReadonlyArray<ObservedRecord>, id: string | undefined): ReadonlyArray<ObservedRecord> =>
  rows.filter((row) => row.providerAccountId === id)

it.effect("shows the same bank after a restart, and another one for another seed or text", () =>
  Effect.gen(function* () {
    yield* morning
    const first = yield* read(yield* connect("first", { driver: DemoProvider.make({ seed: "one" }) }))
    const again = yield* read(yield* connect("first", { driver: DemoProvider.make({ seed: "one" }) }))
    const seeded = yield* read(yield* connect("first", { driver: DemoProvider.make({ seed: "two" }) }))
    const other = yield* read(yield* connect("other", { driver: DemoProvider.make({ seed: "one" }) }))
    expect(again).toEqual(first)
    const ids = new Set(first.upserted.map((row) => row.providerId))
    const amounts = first.upserted.map(amountOf).join()
    for (const one of [seeded, other]) {
      expect(one.upserted.filter((row) => ids.has(row.providerId))).toEqual([])
      expect(one.upserted.map(amountOf).join()).not.toBe(amounts)
    }
  })
)

it.effect("keeps what it has said: the retail bank of a fixed instant does not change between versions", () =>
  Effect.gen(function* () {
    yield* morning
    const { calls, connection, driver } = yield* connect("")
    expect(connection.ref).toBe("v1.demo-retail.normal..")
    const accounts = yield* calls.listAccounts(connection)
    expect(accounts.map(({ balance, number }) => [number, balance])).toMatchInlineSnapshot(`
      [
        [
          "4000123352770755",
          "18545.28",
        ],
        [
          "4000122093008840",
          "21668.28",
        ],
        [
          "4000120384764589",
          "-539.21",
        ],
      ]
    `)
    const { upserted } = yield* read({ connection, driver })
    expect([upserted.length, Decimal.sum(upserted.map(amountOf))]).toMatchInlineSnapshot(`
      [
        1490,
        "24996.86",
      ]
    `)
  })
)

it.effect("has about 1,500 transactions in two years", () =>
  Effect.gen(function* () {
    yield* morning
    for (const person of ["", "one", "other", "Née"]) {
      const { upserted } = yield* read(yield* connect(person))
      expect(upserted.length).toBeGreaterThan(1_350)
      expect(upserted.length).toBeLessThan(1_650)
    }
  })
)

it.effect("tells the life of card payments: settled with a link, tipped, vanished, corrected, late", () =>
  Effect.gen(function* () {
    yield* travelTo("2026-09-01T00:00:00.000Z")
    const subject = yield* connect("")
    const first = yield* read(subject)
    let model: Model = applied(new Map(), first)
    let checkpoint = first.checkpoint
    const seen = { settled: 0, changed: 0, vanished: 0, corrected: 0, late: 0, quiet: 0 }
    for (let hour = 0; hour < 24 * 45; hour += 3) {
      yield* TestClock.adjust("3 hours")
      const today = (yield* Timestamp.now).slice(0, 10)
      const changes = yield* read(subject, checkpoint)
      const settling = new Set(changes.upserted.map((row) => row.pendingProviderId))
      for (const row of changes.upserted) {
        const before = model.get(keyOf(row))
        if (row.pendingProviderId !== undefined && before === undefined) {
          const pending = model.get(keyOf({ ...row, providerId: row.pendingProviderId }))
          expect(pending?.pending).toBe(true)
          expect(changes.removed.map(keyOf)).toContain(keyOf({ ...row, providerId: row.pendingProviderId }))
          seen.settled++
          if (pending !== undefined && amountOf(pending) !== amountOf(row)) seen.changed++
        }
        if (before !== undefined && !row.pending) {
          expect(amountOf(row)).not.toBe(amountOf(before))
          seen.corrected++
        }
        if (
          before === undefined &&
          CalendarDate.daysBetween(CalendarDate.make(text(row, "date")), CalendarDate.make(today)) > 1
        ) {
          expect(row.pending).toBe(false)
          seen.late++
        }
      }
      for (const gone of changes.removed) {
        expect(model.get(keyOf(gone))?.pending).toBe(true)
        if (!settling.has(gone.providerId)) seen.vanished++
      }
      if (changes.upserted.length + changes.removed.length === 0) seen.quiet++
      model = applied(model, changes)
      checkpoint = changes.checkpoint
    }
    expect(Object.entries(seen).filter(([, count]) => count === 0)).toEqual([])
    expect(seen.settled).toBeGreaterThan(30)
  })
)

it.effect("holds what importers stumble over", () =>
  Effect.gen(function* () {
    yield* morning
    const subject = yield* connect("")
    const rows = (yield* read(subject)).upserted
    const posted = rows.filter((row) => !row.pending)
    const twins = Map.groupBy(posted, (row) => `${row.providerAccountId}|${JSON.stringify(row.fields)}`)
    expect([...twins.values()].some((group) => group.length === 2)).toBe(true)
    expect(posted.some((row) => text(row, "description").startsWith("="))).toBe(true)
    expect(posted.some((row) => /\p{Script=Han}/u.test(text(row, "description")))).toBe(true)
    expect(posted.some((row) => /\p{Extended_Pictographic}/u.test(text(row, "description")))).toBe(true)
    expect(posted.some((row) => /^(SQ|TST)\*? ?\*/.test(text(row, "description")))).toBe(true)
    expect(posted.filter((row) => text(row, "merchantName") === "").length).toBeGreaterThan(100)
    expect(rows.filter((row) => row.pending && text(row, "merchantName") !== "")).toEqual([])
  })
)

it.effect("shows a card check of nothing as pending and never posts it", () =>
  Effect.gen(function* () {
    yield* travelTo("2026-06-01T00:00:00.000Z")
    const subject = yield* connect("")
    const checks: Array<string> = []
    for (let day = 0; day < 31; day++) {
      yield* TestClock.adjust("1 day")
      const zero = (yield* read(subject)).upserted.filter((row) => amountOf(row) === "0")
      expect(zero.every((row) => row.pending)).toBe(true)
      checks.push(...zero.map((row) => row.providerId))
    }
    expect(new Set(checks).size).toBe(1)
  })
)

it.effect("keeps the sign of reversals and refunds, and both legs of a transfer", () =>
  Effect.gen(function* () {
    yield* morning
    const rows = (yield* read(yield* connect(""))).upserted
    const reversals = rows.filter((row) => text(row, "description").startsWith("REVERSAL"))
    expect(reversals.length).toBeGreaterThan(0)
    for (const reversal of reversals) {
      const fee = rows.find((row) => row !== reversal && text(row, "reference") === text(reversal, "reference"))
      expect(Decimal.sign(amountOf(reversal))).toBe(1)
      expect(fee === undefined ? "no fee" : Decimal.add(amountOf(fee), amountOf(reversal))).toBe("0")
    }
    const refunds = rows.filter((row) => text(row, "type") === "REFUND")
    expect(refunds.length).toBeGreaterThan(20)
    expect(refunds.every((row) => Decimal.sign(amountOf(row)) === 1)).toBe(true)
    const legs = Map.groupBy(
      rows.filter((row) => text(row, "type").startsWith("TRANSFER")),
      (row) => text(row, "reference")
    )
    expect(legs.size).toBeGreaterThan(40)
    for (const pair of legs.values()) {
      expect(new Set(pair.map((row) => row.providerAccountId)).size).toBe(2)
      expect(Decimal.sum(pair.map(amountOf))).toBe("0")
      expect(new Set(pair.map((row) => text(row, "date"))).size).toBe(1)
    }
  })
)

it.effect("counts what is available: pending rows and the limit of a card", () =>
  Effect.gen(function* () {
    yield* morning
    const { calls, connection, driver } = yield* connect("")
    const rows = (yield* read({ connection, driver })).upserted
    for (const account of yield* calls.listAccounts(connection)) {
      const pending = ofAccount(rows, account.providerAccountId).filter((row) => row.pending)
      const parts = [account.balance, account.creditLimit ?? Decimal.zero, ...pending.map(amountOf)]
      expect(account.availableBalance).toBe(Decimal.sum(parts))
    }
  })
)

it.effect("keeps money of the investment account: cash is what trades left, the balance is all holdings", () =>
  Effect.gen(function* () {
    yield* morning
    const { calls, connection } = yield* connect("", { institutionId: "demo-broker" })
    const account = (yield* calls.listAccounts(connection)).find(({ type }) => type === "investment")
    const request = {
      providerAccountIds: [account?.providerAccountId ?? ""],
      from: historyStart,
      to: CalendarDate.make("2026-12-31")
    }
    const trades = (yield* calls.pull(connection, { dataType: "trades", ...request })).upserted
    const holdings = (yield* calls.pull(connection, { dataType: "holdings", ...request })).upserted
    const cash = holdings.find((row) => row.fields["isCashEquivalent"] === true)
    expect(cash?.fields["quantity"]).toBe(Decimal.sum([Decimal.make("5000"), ...trades.map(amountOf)]))
    expect(Decimal.sum(holdings.map((row) => Decimal.make(text(row, "currentValue"))))).toBe(account?.balance)
    for (const holding of holdings) {
      if (holding === cash) continue
      const own = trades.filter((row) => text(row, "securityId") === holding.providerId && text(row, "quantity") !== "")
      expect(Decimal.sum(own.map((row) => Decimal.make(text(row, "quantity"))))).toBe(holding.fields["quantity"])
    }
    const sells = trades.filter((row) => text(row, "type") === "sell")
    expect(sells.length).toBeGreaterThan(0)
    expect(sells.every((row) => Decimal.isNegative(Decimal.make(text(row, "quantity"))))).toBe(true)
  })
)

it.effect("fills an order in parts, and says so in trades", () =>
  Effect.gen(function* () {
    yield* travelTo("2026-10-01T00:00:00.000Z")
    const { calls, connection } = yield* connect("", { institutionId: "demo-broker" })
    const account = (yield* calls.listAccounts(connection)).find(({ type }) => type === "investment")
    const request = {
      providerAccountIds: [account?.providerAccountId ?? ""],
      from: CalendarDate.make("2026-10-01"),
      to: CalendarDate.make("2026-10-31")
    }
    const statuses = new Set<string>()
    for (let day = 0; day < 30; day++) {
      yield* TestClock.adjust("1 day")
      const orders = (yield* calls.pull(connection, { dataType: "orders", ...request })).upserted
      for (const order of orders) {
        statuses.add(text(order, "status"))
        const [total, filled, open] = ["totalQuantity", "filledQuantity", "openQuantity"].map((key) =>
          Decimal.make(text(order, key))
        )
        expect(Decimal.add(filled ?? Decimal.zero, open ?? Decimal.zero)).toBe(total)
      }
    }
    expect([...statuses].toSorted()).toEqual(["ACCEPTED", "PARTIALLY_FILLED"])
    const trades = (yield* calls.pull(connection, { dataType: "trades", ...request })).upserted
    expect(trades.some((row) => text(row, "ticker") === "DBOT" && text(row, "type") === "buy")).toBe(true)
  })
)

it.effect("owes in the loan what the account shows, and is overdue only between due day and payment", () =>
  Effect.gen(function* () {
    yield* travelTo("2025-01-01T00:00:00.000Z")
    const { calls, connection } = yield* connect("", { institutionId: "demo-lender" })
    const overdue: Array<boolean> = []
    for (let day = 0; day < 500; day += 3) {
      yield* TestClock.adjust("3 days")
      const today = CalendarDate.make((yield* Timestamp.now).slice(0, 10))
      for (const account of yield* calls.listAccounts(connection)) {
        const [loan] = (yield* calls.pull(connection, {
          dataType: "loans",
          providerAccountIds: [account.providerAccountId],
          from: historyStart,
          to: today
        })).upserted
        expect(loan?.fields["principalBalance"]).toBe(Decimal.negate(account.balance))
        expect(loan?.fields["isOverdue"]).toBe(text(loan!, "nextPaymentDueDate") < today)
        overdue.push(loan?.fields["isOverdue"] === true)
      }
    }
    expect(new Set(overdue)).toEqual(new Set([true, false]))
  })
)

it.effect("uses all digits of its currencies, and no more", () =>
  Effect.gen(function* () {
    yield* morning
    const rows = (yield* read(yield* connect("", { institutionId: "demo-wallet" }))).upserted
    const scales = new Map<string, number>()
    for (const row of rows) {
      const currency = text(row, "currency")
      scales.set(currency, Math.max(scales.get(currency) ?? 0, Decimal.scale(amountOf(row))))
    }
    expect([...scales]).toEqual([
      ["JPY", 0],
      ["KWD", 3],
      ["x:DEMOCOIN", 8]
    ])
    for (const [code, digits] of scales) expect(Currency.minorDigits(Currency.make(code))).toBe(digits)
  })
)

it.effect("has between one and five years of history at any time, and the same one within an era", () =>
  Effect.sync(() => {
    for (let year = 1970; year < 2100; year++) {
      for (const month of [0, 5, 10, 11]) {
        const at = instant(year * 12 + month, 17, 8)
        const age = monthOf(at) - firstMonth(at)
        expect(age).toBeGreaterThanOrEqual(12)
        expect(age).toBeLessThan(60)
      }
    }
    expect(firstMonth(instant(2026 * 12 + 10, 21, 9))).toBe(2024 * 12 + 11)
    expect(firstMonth(instant(2029 * 12 + 10, 30, 23))).toBe(2024 * 12 + 11)
    expect(firstMonth(instant(2029 * 12 + 11, 1, 0))).toBe(2028 * 12 + 11)
  })
)

it.effect("asks for a new start when the history of a checkpoint was archived", () =>
  Effect.gen(function* () {
    yield* travelTo("2029-11-30T23:00:00.000Z")
    const subject = yield* connect("")
    const { checkpoint } = yield* read(subject)
    yield* TestClock.adjust("2 hours")
    const error = yield* Effect.flip(read(subject, checkpoint))
    expect(error._tag).toBe("CheckpointInvalid")
  })
)

it("rounds half to the even neighbour on both sides of zero", () => {
  const cases: ReadonlyArray<[bigint, bigint]> = [
    [5n, 0n],
    [15n, 2n],
    [16n, 2n],
    [25n, 2n],
    [-5n, 0n],
    [-15n, -2n],
    [-25n, -2n],
    [-26n, -3n]
  ]
  for (const [value, rounded] of cases) expect(proportion(value, 1n, 10n)).toBe(rounded)
})

it.effect("is built from the registry with the instance's own id and seed", () =>
  Effect.gen(function* () {
    yield* morning
    const [making] = Result.getOrThrow(
      configured(bundledProviders, [{ id: "demo:shop-window", config: { seed: "one" } }])
    )
    const driver = yield* Effect.isEffect(making)
      ? Effect.provide(making, Layer.mock(Outbound, {}))
      : Effect.die("made")
    expect([driver.kind, driver.instanceId]).toEqual(["demo", "demo:shop-window"])
    const direct = DemoProvider.make({ seed: "one" })
    const { calls, connection } = yield* connect("", { driver })
    expect(yield* calls.listAccounts(connection)).toEqual(yield* eachCall(direct).listAccounts(connection))
  })
)
