import { expect, it } from "@effect/vitest"
import { CalendarDate, Decimal } from "@millrace/core"
import type { PullRequest } from "@millrace/core/provider"
import { fakeQuiltt, type Incident } from "@millrace/testing/upstream"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { factory } from "../../../src/provider/quiltt/QuilttProvider.ts"
import { connect, driverOn, Kept, open, pagesOf, tagOf } from "../OnFake.ts"

const setting = Effect.gen(function* () {
  yield* TestClock.setTime(Date.UTC(2026, 10, 21, 9, 30))
  const fake = yield* fakeQuiltt()
  const driver = yield* driverOn(factory, fake)
  const kept = new Kept()
  const completed = yield* connect(driver, fake, kept)
  const ledger = fake.ledger()
  const idOf = (key: string) => ledger.account(key).id
  const session = yield* open(driver, completed, kept)
  return { fake, driver, kept, completed, ledger, idOf, session }
})

const isPage = ({ endpoint }: { readonly endpoint: string }) => endpoint === "MillraceTransactions"

const request = (dataType: PullRequest["dataType"], ...providerAccountIds: ReadonlyArray<string>): PullRequest => ({
  dataType,
  providerAccountIds,
  from: CalendarDate.make("2025-12-01"),
  to: CalendarDate.make("2026-11-21")
})

it.effect("has all digits and our signs of amounts, whatever sign they came with", () =>
  Effect.gen(function* () {
    const { idOf, ledger, session } = yield* setting
    const accounts = yield* session.listAccounts
    expect(accounts.map(({ balance, type }) => [type, balance])).toEqual(
      ledger.listed.map(({ key, type }) => [type, ledger.balance(key)])
    )
    expect(accounts.find(({ type }) => type === "credit_card")?.creditLimit).toBe("15000")
    ledger.post({ account: "checking", amount: Decimal.make("-123456789012.34567"), description: "Large" })
    ledger.post({ account: "checking", amount: Decimal.make("0.1"), description: "Small" })
    const read = yield* pagesOf(session, request("transactions", idOf("checking"), idOf("card")))
    expect(read.length).toBeGreaterThan(1)
    const rows = read.flatMap(({ upserted }) => upserted)
    const truth = new Map([...ledger.shown("checking"), ...ledger.shown("card")].map((row) => [row.id, row.amount]))
    expect(new Map(rows.map(({ fields, providerId }) => [providerId, fields["amount"]]))).toEqual(truth)
    expect(read.map(({ coverage }) => coverage)).toMatchObject([{ complete: false }, { complete: true }])
  })
)

it.effect("starts again where rows come or go while it pages", () =>
  Effect.gen(function* () {
    const { completed, driver, fake, idOf, kept, ledger } = yield* setting
    const asked = request("transactions", idOf("checking"), idOf("card"))
    const moves = [
      () => ledger.post({ account: "checking", amount: Decimal.make("-1"), description: "Late", date: ledger.today }),
      () => ledger.remove(ledger.shown("checking").at(-1)!)
    ]
    for (const act of moves) {
      const session = yield* open(driver, completed, kept)
      const first = yield* session.pull(asked)
      fake.server.beforeNext({ only: isPage, act })
      const position = first.end.kind === "more" ? first.end.position : ""
      expect(yield* tagOf(session.pull({ ...asked, position }))).toBe("MutationDuringPagination")
    }
    expect(yield* tagOf((yield* open(driver, completed, kept)).pull({ ...asked, position: "v1:{}" }))).toBe(
      "MutationDuringPagination"
    )
  })
)

it.effect("reads trades, holdings and loans apart from transactions", () =>
  Effect.gen(function* () {
    const { idOf, ledger, session } = yield* setting
    const trades = (yield* pagesOf(session, request("trades", idOf("brokerage")))).flatMap(({ upserted }) => upserted)
    expect(new Map(trades.map(({ fields, providerId }) => [providerId, [fields["type"], fields["amount"]]]))).toEqual(
      new Map(ledger.tradesOf("brokerage").map(({ amount, id, type }) => [id, [type, amount]]))
    )
    const rows = yield* pagesOf(session, request("transactions", idOf("brokerage")))
    expect(rows.flatMap(({ upserted }) => upserted)).toEqual([])
    const holdings = (yield* pagesOf(session, request("holdings", idOf("brokerage")))).flatMap(
      ({ upserted }) => upserted
    )
    expect(
      holdings.map(({ fields }) => [fields["ticker"], fields["quantity"], fields["costBasis"]]).toSorted()
    ).toEqual(
      ledger.holdings
        .get("brokerage")!
        .map(({ cost, quantity, security }) => [security.ticker, quantity, cost])
        .toSorted()
    )
    const loans = yield* pagesOf(session, request("loans", idOf("mortgage")))
    expect(loans[0]!.upserted).toMatchObject([
      { fields: { loanType: "mortgage", interestRatePercentage: "5.25", isOverdue: false, maturityDate: "2046-03-01" } }
    ])
    expect(yield* tagOf(session.pull(request("loans", idOf("checking"))))).toBe("Unsupported")
    expect(yield* tagOf(session.pull(request("orders", idOf("checking"))))).toBe("Unsupported")
  })
)

it.effect("takes nothing for gone while data are still coming in", () =>
  Effect.gen(function* () {
    const { completed, driver, fake, idOf, kept } = yield* setting
    fake.server.plan({
      incident: {
        kind: "answer",
        status: 200,
        body: { data: { connection: { id: completed.connection.ref, status: "SYNCING", accounts: [] } } }
      }
    })
    const first = yield* open(driver, completed, kept)
    expect((yield* first.inspect).status).toBe("pending")
    expect(yield* tagOf(first.listAccounts)).toBe("NotReady")
    fake.server.plan({
      incident: {
        kind: "answer",
        status: 200,
        body: {
          data: {
            connection: {
              id: completed.connection.ref,
              status: "A_STATUS_OF_NEXT_YEAR",
              accounts: [{ id: idOf("card"), name: "Card" }]
            }
          }
        }
      }
    })
    const second = yield* open(driver, completed, kept)
    const page = yield* second.pull(request("transactions", idOf("card")))
    expect(page.coverage).toEqual({ kind: "delta" })
    expect((yield* second.inspect).status).toBe("degraded")
  })
)

const answers: ReadonlyArray<readonly [name: string, incident: Incident, tag: string]> = [
  ["401", { kind: "unauthorized" }, "Misconfigured"],
  ["403", { kind: "forbidden" }, "ReauthRequired"],
  ["429", { kind: "rateLimited", retryAfter: 90 }, "RateLimited"],
  ["500", { kind: "serverError" }, "ProviderUnavailable"],
  ["503", { kind: "unavailable" }, "ProviderUnavailable"],
  ["a 404", { kind: "answer", status: 404, body: {} }, "ConnectionGone"],
  [
    "a redirect",
    { kind: "answer", status: 302, headers: { location: "https://x.example" }, body: "" },
    "ProtocolViolation"
  ],
  ["an error with 200: not found", { kind: "code", code: "NOT_FOUND" }, "ConnectionGone"],
  ["an error with 200: too many", { kind: "code", code: "THROTTLED" }, "RateLimited"],
  ["an error with 200: forbidden", { kind: "code", code: "FORBIDDEN" }, "ReauthRequired"],
  ["an error with 200: another schema", { kind: "code", code: "undefinedField" }, "ProtocolViolation"],
  ["an error with 200: unknown", { kind: "code", code: "SOLAR_FLARE" }, "ProviderUnavailable"],
  ["a page for people", { kind: "htmlPage" }, "ProviderUnavailable"],
  ["a cut connection", { kind: "dropped" }, "ProviderUnavailable"],
  ["half an answer", { kind: "truncated" }, "ProviderUnavailable"],
  [
    "errors beside data",
    {
      kind: "answer",
      status: 200,
      body: { data: { connection: null }, errors: [{ message: "half", extensions: null }] }
    },
    "ProviderUnavailable"
  ],
  ["no connection", { kind: "answer", status: 200, body: { data: { connection: null } } }, "ConnectionGone"],
  [
    "another connection",
    {
      kind: "answer",
      status: 200,
      body: { data: { connection: { id: "conn_other", status: "SYNCED", accounts: [] } } }
    },
    "ConnectionGone"
  ],
  ["nothing", { kind: "answer", status: 200, body: {} }, "ProtocolViolation"]
]

it.effect("gives every answer its meaning", () =>
  Effect.gen(function* () {
    const { completed, driver, fake, kept } = yield* setting
    for (const [name, incident, tag] of answers) {
      fake.server.plan({ incident })
      expect(yield* tagOf((yield* open(driver, completed, kept)).listAccounts), name).toBe(tag)
    }
    fake.server.plan({ incident: { kind: "rateLimited", retryAfter: 90 } })
    const error = yield* Effect.flip((yield* open(driver, completed, kept)).listAccounts)
    expect(error).toMatchObject({ _tag: "RateLimited", scope: "client", retryAfter: 90 })
    const reset = { "ratelimit-remaining": "3", "ratelimit-reset": String(Date.UTC(2026, 10, 21, 9, 30) / 1000 + 2) }
    expect(driver.readLimits!({ status: 200, headers: reset }, Date.UTC(2026, 10, 21, 9, 30))).toEqual([
      { limit: "requests", remaining: 3, resetSeconds: 2 }
    ])
  })
)

it.effect("tells a profile that was deleted from a secret that is wrong", () =>
  Effect.gen(function* () {
    const { completed, driver, kept } = yield* setting
    const { connection } = completed
    const other = { connection: { ...connection, secrets: { profileId: "p_deleted" } } }
    expect(yield* tagOf((yield* open(driver, other, kept)).listAccounts)).toBe("ConnectionGone")
    expect(yield* (yield* open(driver, other, kept)).revoke).toBe("done")
  })
)

it.effect("leaves out the rows that cannot be read, and says why", () =>
  Effect.gen(function* () {
    const { fake, idOf, session } = yield* setting
    const good = {
      id: "txn_1",
      account: { id: idOf("card") },
      date: "2026-11-02",
      entryType: "DEBIT",
      status: "POSTED"
    }
    const nodes = [
      { ...good, amount: 1.5, description: "Tea", currencyCode: "USD" },
      { ...good, id: " ", amount: 1 },
      { ...good, id: "txn_2", amount: 1, entryType: "SIDEWAYS" },
      { ...good, id: "txn_3", amount: "much" },
      { ...good, id: "txn_4", amount: 1, date: "2026-02-30" },
      null
    ]
    yield* session.listAccounts
    fake.server.plan({
      incident: {
        kind: "answer",
        status: 200,
        body: { data: { transactions: { count: 6, nodes, pageInfo: { hasNextPage: false, endCursor: null } } } }
      }
    })
    const page = yield* session.pull(request("transactions", idOf("card")))
    expect(page.upserted.map(({ fields }) => fields["amount"])).toEqual(["-1.5"])
    expect(
      page.quarantined.map(({ providerId, reason }) => [providerId, reason.replace(/(: | does not have).*/, "")])
    ).toEqual([
      ["", "id"],
      ["txn_2", "entryType"],
      ["txn_3", "amount"],
      ["txn_4", "date"],
      ["", "the row"]
    ])
  })
)

it.effect("asks the banks for balances anew where it may", () =>
  Effect.gen(function* () {
    const { fake, session } = yield* setting
    expect(yield* session.refresh!(["transactions"])).toEqual({ status: "not_supported" })
    expect(yield* session.refresh!(["balances"])).toEqual({ status: "refreshing" })
    expect(fake.server.requests.filter(({ path }) => path.endsWith("/balances/refresh")).length).toBe(4)
  })
)
