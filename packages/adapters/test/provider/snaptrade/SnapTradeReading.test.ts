import { expect, it } from "@effect/vitest"
import { CalendarDate, Decimal, Timestamp } from "@millrace/core"
import type { ProviderSession, PullRequest } from "@millrace/core/provider"
import { fakeSnapTrade } from "@millrace/testing/upstream"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { factory } from "../../../src/provider/snaptrade/SnapTradeProvider.ts"
import { connected, driverOn } from "../OnFake.ts"

const start = Timestamp.toMillis(Timestamp.make("2026-11-21T09:30:00.000Z"))
const from = CalendarDate.make("2025-01-01")
const to = CalendarDate.make("2026-11-21")

const opened = Effect.fnUntraced(function* (over: Readonly<Record<string, unknown>> = {}) {
  yield* TestClock.setTime(start)
  const fake = yield* fakeSnapTrade({ pageRows: 6 })
  const driver = yield* driverOn(factory, fake, over)
  const { completed, open } = yield* connected(driver, fake)
  const session = yield* open()
  const accounts = yield* session.listAccounts
  const ledger = fake.ledger()
  const request = (dataType: PullRequest["dataType"], key: string): PullRequest => ({
    dataType,
    providerAccountIds: [ledger.account(key).id],
    from,
    to
  })
  return { fake, driver, open, session, accounts, ledger, request, ref: completed.connection.ref }
})

const instrument = (kind: string, id: string, more = {}) => ({
  kind,
  id,
  symbol: id.toUpperCase(),
  description: id,
  ...more
})
const leg = (action: string) => ({ action, total_quantity: "1", instrument: { symbol: "X" } })
const order = (id: string, more: Readonly<Record<string, unknown>>) => ({
  brokerage_order_id: id,
  time_placed: "2026-11-20 15:00:00.5+00:00",
  price_currency: "USD",
  price_effect: "DEBIT",
  ...more
})

const asked = (session: ProviderSession, request: PullRequest) => Effect.flip(session.pull(request))

it.effect("SnapTrade: accounts have their total, what can be spent, their sort, and a key that outlives their id", () =>
  Effect.gen(function* () {
    const { accounts, fake, ledger } = yield* opened()
    expect(accounts.map(({ balance, name, supports, type }) => ({ balance, name, supports, type }))).toEqual([
      {
        name: "Margin",
        type: "brokerage",
        balance: Decimal.roundHalfEven(ledger.balance("margin"), 2),
        supports: ["balances", "trades", "holdings", "orders"]
      },
      {
        name: "Roth IRA",
        type: "retirement",
        balance: Decimal.roundHalfEven(ledger.balance("roth"), 2),
        supports: ["balances", "trades", "holdings", "orders"]
      },
      { name: "Savings", type: "savings", balance: ledger.balance("savings"), supports: ["balances", "transactions"] },
      {
        name: "Credit Card",
        type: "credit_card",
        balance: ledger.balance("card"),
        supports: ["balances", "transactions"]
      }
    ])
    expect(accounts[3]?.availableBalance).toBe(ledger.available("card"))
    const { number } = ledger.account("margin")
    expect(accounts[0]?.number).toBe(`****${number.slice(-4)}`)
    // Nothing that is kept of it has the whole number in it.
    expect(accounts[0]?.stableKeys).toHaveLength(2)
    expect(JSON.stringify(accounts)).not.toContain(number)
    // One list, and one look at the cash of each, however often it is asked for.
    expect(fake.server.requests.filter(({ endpoint }) => endpoint === "balances")).toHaveLength(4)
  }).pipe(Effect.scoped)
)

it.effect("SnapTrade: a look at one account asks for the connection, the list, and what is looked at", () =>
  Effect.gen(function* () {
    const { fake, open, request } = yield* opened()
    const looked = Effect.fnUntraced(function* (dataType: PullRequest["dataType"], key: string) {
      const before = fake.server.requests.length
      const session = yield* open()
      expect(yield* session.inspect).toMatchObject({ status: "connected" })
      yield* session.pull({ ...request(dataType, key), from: CalendarDate.make("2026-11-20") })
      return fake.server.requests.slice(before).map(({ endpoint }) => endpoint)
    })
    expect(yield* looked("orders", "margin")).toEqual(["connection", "accounts", "orders"])
    expect(yield* looked("transactions", "savings")).toEqual(["connection", "accounts", "activities"])
    expect(yield* looked("holdings", "roth")).toEqual(["connection", "accounts", "positions", "balances"])
  }).pipe(Effect.scoped)
)

it.effect("SnapTrade: trades have the signs of cash and units, exact numbers, and fees that are positive", () =>
  Effect.gen(function* () {
    const { ledger, request, session } = yield* opened()
    const page = yield* session.pull({ ...request("trades", "margin"), from: CalendarDate.make("2026-06-01") })
    const bought = ledger.tradesOf("margin").find(({ security }) => security?.kind === "crypto")!
    const whole = request("trades", "margin")
    const all = []
    let position: string | undefined
    do {
      const { end, upserted } = yield* session.pull(position === undefined ? whole : { ...whole, position })
      all.push(...upserted)
      position = end.kind === "more" ? end.position : undefined
    } while (position !== undefined)
    expect(page.upserted.length).toBeLessThan(all.length)
    expect(all.map(({ providerId }) => providerId)).toEqual(ledger.tradesOf("margin").map(({ id }) => id))
    expect(all.find(({ providerId }) => providerId === bought.id)).toMatchObject({
      pending: false,
      fields: {
        date: bought.date,
        settlementDate: bought.settlementDate,
        type: "buy",
        quantity: bought.quantity,
        price: bought.price,
        amount: bought.amount,
        fees: bought.fees,
        ticker: "COIN",
        securityId: bought.security!.id,
        currency: "USD"
      }
    })
  }).pipe(Effect.scoped)
)

it.effect(
  "SnapTrade: coverage ends where SnapTrade has read to, and begins where it says that the history begins",
  () =>
    Effect.gen(function* () {
      const { fake, open, ledger, request } = yield* opened()
      const oldest = ledger.tradesOf("margin").at(-1)!.date
      const readTo = CalendarDate.make("2026-11-19")
      fake.server.plan({
        incident: {
          kind: "answer",
          status: 200,
          body: [
            {
              id: ledger.account("margin").id,
              name: "Margin",
              number: "1",
              balance: { total: { amount: 1, currency: "USD" } },
              sync_status: {
                transactions: {
                  initial_sync_completed: true,
                  last_successful_sync: readTo,
                  first_transaction_date: oldest
                }
              }
            }
          ]
        },
        only: ({ endpoint }) => endpoint === "accounts"
      })
      const session = yield* open()
      const whole = request("trades", "margin")
      const first = yield* session.pull({ ...whole, from: CalendarDate.make("2026-10-01") })
      expect(first.coverage).toEqual({
        kind: "window",
        from: "2026-10-01",
        to: readTo,
        complete: true,
        historyFrom: [{ providerAccountId: ledger.account("margin").id, from: "2026-10-01" }]
      })
      const later = yield* session.pull({ ...whole, from: CalendarDate.make("2026-11-20") })
      expect(later.coverage).toEqual({ kind: "window", from: "2026-11-20", to, complete: false })
      const begun = yield* session.pull(whole)
      expect(begun.coverage).toEqual({ kind: "window", from, to: readTo, complete: false })
    }).pipe(Effect.scoped)
)

it.effect("SnapTrade: rows that come in while pages are read are noticed, also where their number stays the same", () =>
  Effect.gen(function* () {
    const { fake, ledger, request, session } = yield* opened()
    const deposit = () =>
      ledger.trade({
        account: "margin",
        date: ledger.today,
        type: "contribution",
        amount: Decimal.make("5"),
        fees: Decimal.zero,
        description: "In between"
      })
    const whole = request("trades", "margin")
    const first = yield* session.pull(whole)
    if (first.end.kind !== "more") return expect.fail("one page holds it all")
    deposit()
    expect((yield* asked(session, { ...whole, position: first.end.position }))._tag).toBe("MutationDuringPagination")
    const again = yield* session.pull(whole)
    if (again.end.kind !== "more") return expect.fail("one page holds it all")
    // One in, one out: the total is what it was.
    deposit()
    ledger.trades.delete(ledger.tradesOf("margin").at(-1)!.line)
    expect((yield* asked(session, { ...whole, position: again.end.position }))._tag).toBe("MutationDuringPagination")
    expect(fake.server.requests.filter(({ endpoint }) => endpoint === "activities")).toHaveLength(4)
  }).pipe(Effect.scoped)
)

it.effect(
  "SnapTrade: holdings and cash come to the total; cost is that of all units, and of options of all shares",
  () =>
    Effect.gen(function* () {
      const { fake, ledger, open, request, session } = yield* opened()
      const { coverage, upserted } = yield* session.pull(request("holdings", "margin"))
      const values = upserted.map(({ fields }) => Decimal.make(String(fields["currentValue"])))
      expect(Decimal.sum(values)).toBe(ledger.balance("margin"))
      expect(upserted[0]).toMatchObject({ providerId: "CUR:USD", fields: { isCashEquivalent: true } })
      expect(coverage).toEqual({ kind: "full", complete: true })
      fake.server.plan({
        incident: {
          kind: "answer",
          status: 200,
          body: {
            results: [
              {
                instrument: instrument("option", "call", { multiplier: "100" }),
                units: "-2",
                price: "1.5",
                cost_basis: "0.25",
                currency: "USD"
              },
              {
                instrument: instrument("future", "es", { multiplier: "50" }),
                units: "1",
                price: "5000",
                cost_basis: "4900",
                currency: "USD"
              },
              {
                instrument: instrument("mutualfund", "cashfund"),
                units: "10.5",
                price: "1",
                currency: "USD",
                cash_equivalent: true
              },
              { instrument: instrument("crypto", "btc"), units: "1", price: null, currency: "USDC" },
              { instrument: instrument("stock", "call"), units: "3", price: "2", currency: null },
              { instrument: { kind: "stock" }, units: "1" }
            ],
            data_freshness: { as_of: "2026-11-21T08:00:00.123456+00:00" }
          }
        },
        only: ({ endpoint }) => endpoint === "positions"
      })
      const odd = yield* (yield* open()).pull(request("holdings", "margin"))
      expect(
        odd.upserted.map(({ fields, providerId }) => [
          providerId,
          fields["quantity"],
          fields["currentValue"],
          fields["costBasis"],
          fields["currency"]
        ])
      ).toEqual([
        [
          "CUR:USD",
          Decimal.subtract(ledger.cash("margin"), Decimal.make("10.5")),
          Decimal.subtract(ledger.cash("margin"), Decimal.make("10.5")),
          undefined,
          "USD"
        ],
        ["call", "-2", "-300", "-50", "USD"],
        ["es", "1", undefined, undefined, "USD"],
        ["cashfund", "10.5", "10.5", undefined, "USD"],
        ["btc", "1", undefined, undefined, "x:USDC"],
        ["call#2", "3", "6", undefined, "USD"]
      ])
      expect(odd.upserted[1]?.fields["asOf"]).toBe("2026-11-21T08:00:00.123Z")
      expect(odd.quarantined).toHaveLength(1)
      expect(odd.coverage).toEqual({ kind: "full", complete: false })
    }).pipe(Effect.scoped)
)

it.effect("SnapTrade: an empty list of positions means none only where SnapTrade has read them", () =>
  Effect.gen(function* () {
    const { fake, ledger, open, request } = yield* opened()
    ledger.holdings.set("roth", [])
    const empty = { kind: "answer", status: 200, body: [] } as const
    fake.server.plan({ incident: empty, only: ({ endpoint }) => endpoint === "balances", times: 4 })
    const id = ledger.account("roth").id
    expect((yield* (yield* open()).pull(request("holdings", "roth"))).coverage).toEqual({
      kind: "full",
      complete: true,
      none: [id]
    })
    const hidden = (status: Readonly<Record<string, unknown>>) =>
      fake.server.plan({
        incident: {
          kind: "answer",
          status: 200,
          body: [
            {
              id,
              name: "Plan",
              balance: { total: { amount: "12.5", currency: "USD" } },
              sync_status: { holdings: status }
            }
          ]
        },
        only: ({ endpoint }) => endpoint === "accounts"
      })
    hidden({ initial_sync_completed: true, holdings_unavailable: true })
    const session = yield* open()
    expect((yield* session.listAccounts)[0]?.supports).toEqual(["balances", "trades", "orders"])
    expect((yield* asked(session, request("holdings", "roth")))._tag).toBe("Unsupported")
    hidden({ initial_sync_completed: false })
    expect((yield* asked(yield* open(), request("holdings", "roth")))._tag).toBe("NotReady")
  }).pipe(Effect.scoped)
)

it.effect("SnapTrade: open orders are told leg by leg, closed ones not at all", () =>
  Effect.gen(function* () {
    const { fake, ledger, open, request, session } = yield* opened()
    const { coverage, upserted } = yield* session.pull(request("orders", "margin"))
    const [account] = request("orders", "margin").providerAccountIds
    // SnapTrade looks back 90 days: of what was placed before nothing is said.
    expect(fake.server.requests.at(-1)?.query.get("days")).toBe("90")
    expect(coverage).toEqual({
      kind: "window",
      from: "2026-08-24",
      to: "2026-11-21",
      complete: true,
      historyFrom: [{ providerAccountId: account, from: "2026-08-24" }]
    })
    expect(upserted).toMatchObject([
      {
        fields: {
          status: "PARTIAL",
          action: "BUY",
          orderType: "LIMIT",
          timeInForce: "GTC",
          totalQuantity: "10",
          filledQuantity: "4",
          openQuantity: "6",
          canceledQuantity: "0",
          limitPrice: "101.25"
        }
      }
    ])
    fake.server.plan({
      incident: {
        kind: "answer",
        status: 200,
        body: {
          orders: [
            order("a", { status: "PENDING", order_type: "StopLimit", legs: [leg("BUY_TO_OPEN"), leg("SELL_TO_OPEN")] }),
            order("b", { status: "EXECUTED", legs: [leg("BUY")] }),
            order("c", {
              status: "A_NEW_ONE",
              trailing_stop: { amount: "5", type: "PERCENT" },
              legs: [leg("SELL_TO_CLOSE")]
            }),
            order("d", { status: "PENDING", time_placed: null, legs: [leg("BUY")] }),
            order("e", { status: "PENDING", legs: [] })
          ]
        }
      },
      only: ({ endpoint }) => endpoint === "orders"
    })
    const odd = yield* (yield* open()).pull(request("orders", "margin"))
    expect(
      odd.upserted.map(({ fields, providerId }) => [providerId, fields["action"], fields["orderType"], fields["date"]])
    ).toEqual([
      ["a/1", "BUY", "STOP_LIMIT", "2026-11-20T15:00:00.500Z"],
      ["a/2", "SELL_SHORT", "STOP_LIMIT", "2026-11-20T15:00:00.500Z"],
      ["c", "SELL", "TRAILING_STOP", "2026-11-20T15:00:00.500Z"]
    ])
    expect(odd.quarantined).toEqual([
      { providerId: "d", reason: "time_placed is no instant" },
      { providerId: "e", reason: "legs is empty" }
    ])
    // Which legs of what could not be read are still open is not known.
    expect(odd.coverage).toMatchObject({ kind: "window", complete: false })
    expect(ledger.orders.get("margin")).toHaveLength(1)
  }).pipe(Effect.scoped)
)

it.effect("SnapTrade: a refresh is asked for where it costs nothing, or where paying for it was allowed", () =>
  Effect.gen(function* () {
    const free = yield* opened()
    expect(yield* free.session.refresh!(["transactions", "holdings"])).toEqual({ status: "refreshing" })
    expect(free.fake.server.requests.at(-1)?.path).toMatch(/\/transactions\/sync$/)
    expect(yield* free.session.refresh!(["holdings"])).toEqual({ status: "not_supported" })
    expect(free.driver.capabilities.refresh?.billable).toBe(false)
    const paid = yield* opened({ paidRefresh: true })
    expect(yield* paid.session.refresh!(["holdings"])).toEqual({ status: "refreshing" })
    expect(paid.fake.server.requests.at(-1)?.path).toMatch(/\/refresh$/)
    paid.fake.server.plan({ incident: { kind: "code", code: "1141", status: 403 } })
    expect(yield* paid.session.refresh!(["holdings"])).toEqual({ status: "not_supported" })
  }).pipe(Effect.scoped)
)

it.effect("SnapTrade: nothing that goes wrong shows a secret", () =>
  Effect.gen(function* () {
    const { fake, open, request } = yield* opened()
    const secrets = [...fake.secrets, ...fake.connections.flatMap((one) => one.secrets)]
    expect(secrets).toHaveLength(2)
    for (const incident of [
      { kind: "unauthorized" },
      { kind: "forbidden" },
      { kind: "serverError" },
      { kind: "dropped" },
      { kind: "truncated" },
      { kind: "htmlPage" },
      { kind: "htmlPage", status: 502 },
      { kind: "rateLimited", retryAfter: 7 }
    ] as const) {
      fake.server.plan({ incident })
      const error = yield* asked(yield* open(), request("trades", "margin"))
      const text = `${JSON.stringify(error)} ${String(error)} ${error.stack}`
      expect(secrets.filter((secret) => text.includes(secret))).toEqual([])
    }
  }).pipe(Effect.scoped)
)
