import { expect, it } from "@effect/vitest"
import { CalendarDate, Decimal } from "@millrace/core"
import { openFor } from "@millrace/testing/fake"
import { Seeded } from "@millrace/testing/model"
import { move } from "@millrace/testing/upstream"
import { run } from "@millrace/testing/suite/provider"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { connect, everything, read, shownOf, start, truthOf } from "./PlaidWorld.ts"

const at = Date.parse("2026-11-21T09:30:00.000Z")
const moving = ["checking", "savings", "card"]

it.effect("shows accounts with exact balances, debts as negative ones, and what each of them has", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(at)
    const { driver, fake } = yield* start()
    const { connection, ledger } = yield* connect(fake, driver)
    const accounts = yield* (yield* openFor(driver, connection)).listAccounts
    expect(accounts.map(({ balance, name }) => [name, balance])).toEqual(
      ledger.listed.map(({ key, name }) => [name, ledger.balance(key)])
    )
    expect(accounts.map(({ supports, type }) => [type, supports])).toEqual([
      ["checking", ["balances", "transactions"]],
      ["savings", ["balances", "transactions"]],
      ["credit_card", ["balances", "transactions", "loans"]],
      ["brokerage", ["balances", "holdings", "trades"]],
      ["mortgage", ["balances", "loans"]]
    ])
    expect(Decimal.isNegative(accounts[2]!.balance) && Decimal.isNegative(accounts[4]!.balance)).toBe(true)
    expect(accounts[2]).toMatchObject({ creditLimit: "5000", availableBalance: ledger.available("card") })
    // A new connection of the same person has new ids, and the same keys.
    const second = yield* connect(fake, driver)
    const again = yield* (yield* openFor(driver, second.connection)).listAccounts
    expect(again.map(({ stableKeys }) => stableKeys)).toEqual(accounts.map(({ stableKeys }) => stableKeys))
    expect(
      again.some(({ providerAccountId }) => accounts.some((one) => one.providerAccountId === providerAccountId))
    ).toBe(false)
    expect(new Set(accounts.flatMap(({ stableKeys }) => stableKeys)).size).toBe(
      accounts.flatMap(({ stableKeys }) => stableKeys).length
    )
  }).pipe(Effect.scoped)
)

it.effect.each([1, 2, 3])("follows every event of a random script to the true ledger, page by page (seed %s)", (seed) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(at)
    const { driver, fake } = yield* start({ pageSize: 9, seed, rows: 20 })
    const { connection, ledger } = yield* connect(fake, driver)
    const { idOf } = fake.items[0]!
    const seeded = new Seeded(seed)
    const request = everything("transactions", [])
    let { answer, model } = yield* read(driver, connection, request, new Map())
    expect(answer.pages).toBeGreaterThan(5)
    expect(shownOf(model.values())).toEqual(truthOf(ledger, idOf))
    for (let round = 0; round < 12; round++) {
      yield* TestClock.adjust("5 hours")
      for (let n = seeded.below(25); n >= 0; n--)
        move(ledger, seeded, { account: seeded.pick(moving), keepsIds: false })
      if (seeded.once(3)) {
        fake.server.beforeNext({
          only: ({ body }) => body.includes("cursor"),
          act: () => void move(ledger, seeded, { account: "checking" })
        })
      }
      ;({ answer, model } = yield* read(
        driver,
        connection,
        { ...request, ...(answer.checkpoint === undefined ? {} : { checkpoint: answer.checkpoint }) },
        model
      ))
    }
    fake.server.calm()
    const last = { ...request, ...(answer.checkpoint === undefined ? {} : { checkpoint: answer.checkpoint }) }
    ;({ model } = yield* read(driver, connection, last, model))
    expect(shownOf(model.values())).toEqual(truthOf(ledger, idOf))
    expect(fake.server.exceeded).toEqual([])
  }).pipe(Effect.scoped)
)

it.effect("says which pending row a posted one settles, where Plaid does", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(at)
    const { driver, fake } = yield* start({ rows: 0 })
    const { connection, ledger } = yield* connect(fake, driver)
    const { idOf } = fake.items[0]!
    const hold = (description: string) =>
      ledger.post({ account: "checking", amount: Decimal.make("-12.3400"), description, pending: true })
    const [linked, unlinked] = [hold("FUEL 1"), hold("FUEL 2")]
    const request = everything("transactions", [])
    const first = yield* run(driver, connection, request)
    ledger.settle(linked)
    ledger.settle(unlinked, { isLinked: false })
    const next = yield* run(driver, connection, { ...request, checkpoint: first.checkpoint! })
    expect(next.removed.map(({ providerId }) => providerId).toSorted()).toEqual(
      [linked, unlinked].map(({ id }) => idOf(id)).toSorted()
    )
    expect(
      next.upserted.map(({ fields, pendingProviderId }) => [fields["originalDescription"], pendingProviderId])
    ).toEqual([
      ["FUEL 1", idOf(linked.id)],
      ["FUEL 2", undefined]
    ])
    expect(next.upserted[0]!.fields).toMatchObject({ amount: "-12.34", debitAmount: "12.34", creditAmount: "0" })
  }).pipe(Effect.scoped)
)

it.effect("begins a loop again that changed meanwhile, and everything where the cursor is not accepted any more", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(at)
    const { driver, fake } = yield* start({ pageSize: 10 })
    const { connection, ledger } = yield* connect(fake, driver)
    const session = yield* openFor(driver, connection)
    const request = everything("transactions", [])
    const page = yield* session.pull(request)
    if (page.end.kind !== "more") return expect.fail("there is more than a page")
    expect(page.coverage).toEqual({ kind: "full", complete: false })
    ledger.post({ account: "checking", amount: Decimal.make("1"), description: "MEANWHILE" })
    const position = page.end.position
    const changed = yield* Effect.flip(session.pull({ ...request, position }))
    expect(changed).toMatchObject({
      _tag: "MutationDuringPagination",
      providerCode: "TRANSACTIONS_SYNC_MUTATION_DURING_PAGINATION"
    })
    const { checkpoint } = yield* run(driver, connection, request)
    fake.loseCheckpoints(connection.ref)
    expect(yield* Effect.flip(session.pull({ ...request, checkpoint: checkpoint! }))).toMatchObject({
      _tag: "CheckpointInvalid",
      providerCode: "INVALID_FIELD"
    })
    // A checkpoint of another connection never leaves the house.
    const other = yield* connect(fake, driver, { person: "ben" })
    const asked = fake.server.requests.length
    const foreign = yield* Effect.flip(
      (yield* openFor(driver, other.connection)).pull({ ...request, checkpoint: checkpoint! })
    )
    expect([foreign._tag, fake.server.requests.length]).toEqual(["CheckpointInvalid", asked])
  }).pipe(Effect.scoped)
)

it.effect("is never done with a connection whose first data are not there yet", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(at)
    const { driver, fake } = yield* start()
    const { connection } = yield* connect(fake, driver)
    fake.collecting(connection.ref, true)
    const session = yield* openFor(driver, connection)
    expect(yield* Effect.flip(session.pull(everything("transactions", [])))).toMatchObject({
      _tag: "NotReady",
      retryAfter: 30
    })
    fake.collecting(connection.ref, false)
    expect((yield* session.pull(everything("transactions", []))).upserted.length).toBeGreaterThan(0)
  }).pipe(Effect.scoped)
)

it.effect("reads trades by windows in pages, and notices that the number of them changed", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(at)
    const { driver, fake } = yield* start({ pageSize: 2 })
    const { connection, ledger } = yield* connect(fake, driver)
    const { idOf } = fake.items[0]!
    const broker = idOf(ledger.account("broker").id)
    const request = everything("trades", [broker], { from: CalendarDate.make("2026-01-01") })
    const whole = yield* run(driver, connection, request)
    expect(whole.pages).toBe(3)
    const rows = whole.upserted.map(({ fields, providerId }) => [
      providerId,
      fields["type"],
      fields["amount"],
      fields["quantity"],
      fields["fees"]
    ])
    expect(rows).toEqual(
      ledger.tradesOf("broker").map((trade) => [
        idOf(trade.id),
        trade.type,
        trade.amount,
        // Of a dividend Plaid shows no units.
        trade.security === undefined ? undefined : (trade.quantity ?? "0"),
        trade.fees
      ])
    )
    const session = yield* openFor(driver, connection)
    const page = yield* session.pull(request)
    if (page.end.kind !== "more") return expect.fail("there is more than a page")
    ledger.trade({
      account: "broker",
      date: ledger.today,
      type: "fee",
      amount: Decimal.make("-1"),
      fees: Decimal.zero,
      description: "Fee"
    })
    const { position } = page.end
    expect((yield* Effect.flip(session.pull({ ...request, position })))._tag).toBe("MutationDuringPagination")
    const later = yield* run(driver, connection, { ...request, from: CalendarDate.make("2026-11-01") })
    expect(later.upserted.every(({ fields }) => String(fields["date"]) >= "2026-11-01")).toBe(true)
    expect(later.upserted.length).toBeLessThan(rows.length)
  }).pipe(Effect.scoped)
)

it.effect("shows holdings with what all units have cost, and debts with what is owed", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(at)
    const { driver, fake } = yield* start()
    const { connection, ledger } = yield* connect(fake, driver)
    const { idOf } = fake.items[0]!
    const session = yield* openFor(driver, connection)
    const ids = (yield* session.listAccounts).map(({ providerAccountId }) => providerAccountId)
    const holdings = yield* session.pull(everything("holdings", ids))
    expect(holdings.upserted.map(({ fields }) => fields)).toEqual(
      ledger.holdings.get("broker")!.map(({ cost, price, quantity, security, value }) => ({
        securityId: security.id,
        securityName: security.name,
        ticker: security.ticker,
        quantity,
        costBasis: cost,
        currentValue: value,
        currentPrice: price,
        currency: "USD",
        isCashEquivalent: false,
        asOf: "2026-11-20T23:00:00.000Z"
      }))
    )
    const loans = yield* session.pull(everything("loans", ids))
    expect(
      loans.upserted.map(({ fields, providerId }) => [providerId, fields["loanType"], fields["principalBalance"]])
    ).toEqual([
      [idOf(ledger.account("card").id), "credit_card", Decimal.negate(ledger.balance("card"))],
      [idOf(ledger.account("mortgage").id), "mortgage", "182400.37"]
    ])
    expect(loans.upserted[1]!.fields).toMatchObject({ interestRatePercentage: "5.25", nextPaymentAmount: "1210.4" })
    // Nothing is held any more: Plaid lists the account and no position.
    ledger.holdings.set("broker", [])
    const empty = yield* session.pull(everything("holdings", ids))
    expect(empty.coverage).toMatchObject({ kind: "full", none: [idOf(ledger.account("broker").id)] })
    expect((yield* Effect.flip(session.pull(everything("orders", ids))))._tag).toBe("Unsupported")
  }).pipe(Effect.scoped)
)

it.effect("asks Plaid to read from the bank now, where the operator has ordered it", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(at)
    const { driver, fake } = yield* start()
    const { connection } = yield* connect(fake, driver)
    const session = yield* openFor(driver, connection)
    expect(yield* session.refresh!(["transactions", "holdings"])).toEqual({ status: "refreshing" })
    expect(fake.refreshes).toHaveLength(2)
    fake.server.plan({ incident: { kind: "code", code: "INVALID_PRODUCT" }, times: 2 })
    expect(yield* session.refresh!(["transactions", "trades"])).toEqual({ status: "not_supported" })
    const plain = yield* start({}, { refresh: false })
    expect(plain.driver.capabilities.refresh).toBeUndefined()
  }).pipe(Effect.scoped)
)

it.effect("tells rows that cannot be read, and reads the others", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(at)
    const { driver, fake } = yield* start({ rows: 0 })
    const { connection } = yield* connect(fake, driver)
    const row = { account_id: "a", pending: false, date: "2026-11-01", name: "X", iso_currency_code: "USD" }
    const added = [
      { ...row, transaction_id: "ok", amount: 0.1 },
      { ...row, transaction_id: "amount", amount: "much" },
      { ...row, transaction_id: "date", amount: 1, date: "2026-02-30" },
      { ...row, transaction_id: "currency", amount: 1, iso_currency_code: null },
      { ...row, transaction_id: " ", amount: 1 },
      { ...row, transaction_id: "custom", amount: 1, iso_currency_code: null, unofficial_currency_code: "BTC" }
    ]
    const body = { added, modified: [], removed: [], next_cursor: "c", has_more: false }
    fake.server.plan({ incident: { kind: "answer", status: 200, body } })
    const page = yield* (yield* openFor(driver, connection)).pull(everything("transactions", []))
    expect(page.upserted.map(({ fields, providerId }) => [providerId, fields["amount"], fields["currency"]])).toEqual([
      ["ok", "-0.1", "USD"],
      ["custom", "-1", "x:BTC"]
    ])
    expect(page.quarantined).toEqual([
      { providerId: "amount", reason: "amount does not have the agreed form" },
      { providerId: "date", reason: "date does not have the agreed form" },
      { providerId: "currency", reason: "iso_currency_code: is no currency" },
      { providerId: "", reason: "transaction_id does not have the agreed form" }
    ])
  }).pipe(Effect.scoped)
)
