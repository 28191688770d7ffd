import { expect, it } from "@effect/vitest"
import { CalendarDate, Decimal } from "@millrace/core"
import type { PullRequest } from "@millrace/core/provider"
import { fakeFiskil, type Incident } from "@millrace/testing/upstream"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { factory } from "../../../src/provider/fiskil/FiskilProvider.ts"
import { connect, driverOn, Kept, open, pagesOf, tagOf } from "../OnFake.ts"

const setting = Effect.gen(function* () {
  yield* TestClock.setTime(Date.UTC(2026, 10, 21, 9, 30))
  const fake = yield* fakeFiskil({ pageRows: 25 })
  const driver = yield* driverOn(factory, fake)
  const kept = new Kept()
  const completed = yield* connect(driver, fake, kept)
  const ledger = fake.ledger()
  const idOf = (key: string) => ledger.account(key).id
  const session = yield* open(driver, completed, kept)
  return { fake, driver, kept, completed, ledger, idOf, session }
})

const request = (...providerAccountIds: ReadonlyArray<string>): PullRequest => ({
  dataType: "transactions",
  providerAccountIds,
  from: CalendarDate.make("2025-12-01"),
  to: CalendarDate.make("2026-11-21")
})

it.effect("reads pending rows without a day, and booked ones of the range by the day that the bank wrote", () =>
  Effect.gen(function* () {
    const { fake, idOf, ledger, session } = yield* setting
    ledger.post({ account: "everyday", amount: Decimal.make("-900719925474.09"), description: "Large" })
    const hold = ledger.post({ account: "everyday", amount: Decimal.make("-12.5"), description: "Hold", pending: true })
    const read = yield* pagesOf(session, request(idOf("everyday")))
    const rows = read.flatMap(({ upserted }) => upserted)
    expect(new Map(rows.map(({ fields, providerId }) => [providerId, [fields["amount"], fields["date"]]]))).toEqual(
      new Map(ledger.shown("everyday").map(({ amount, date, id }) => [id, [amount, date]]))
    )
    expect(rows.find(({ providerId }) => providerId === hold.id)).toMatchObject({
      pending: true,
      fields: { date: "2026-11-21" }
    })
    expect(read.at(-1)!.coverage).toEqual([
      { kind: "full", status: "pending", complete: true },
      { kind: "window", status: "posted", from: "2025-12-01", to: "2026-11-21", complete: true }
    ])
    expect(read.slice(0, -1).every(({ coverage }) => Array.isArray(coverage) && !coverage[0]!.complete)).toBe(true)
    // Links name another host: none but ours is asked, and nothing of the token leaves.
    expect(read.length).toBe(1 + Math.ceil(61 / 25))
    const [narrow] = yield* pagesOf(session, { ...request(idOf("everyday")), from: CalendarDate.make("2026-11-21") })
    expect(narrow!.upserted.map(({ pending }) => pending)).toEqual([true])
    expect(
      fake.server.requests.every(({ query }) => !query.has("end_user_id") || query.get("from") !== "2025-12-01")
    ).toBe(true)
  })
)

it.effect("shows what is owed as negative, and keeps no more of a number than its end", () =>
  Effect.gen(function* () {
    const { ledger, session } = yield* setting
    const accounts = yield* session.listAccounts
    expect(accounts.map(({ balance, number, type }) => [type, balance, number])).toEqual(
      ledger.listed.map(({ key, number, type }) => [type, ledger.balance(key), number.slice(-4)])
    )
    expect(JSON.stringify(accounts)).not.toContain(ledger.account("card").number)
    expect(accounts.map(({ creditLimit }) => creditLimit)).toEqual([undefined, "6000", undefined])
  })
)

it.effect("reads nothing with a consent that has ended, although the answers would still come", () =>
  Effect.gen(function* () {
    const { completed, driver, fake, idOf, kept } = yield* setting
    fake.break(completed.connection.ref, "consentExpired")
    const session = yield* open(driver, completed, kept)
    expect((yield* session.inspect).status).toBe("consent_expired")
    expect(yield* tagOf(session.pull(request(idOf("card"))))).toBe("ConsentRequired")
    fake.mend(completed.connection.ref)
    fake.break(completed.connection.ref, "institutionDown")
    expect((yield* (yield* open(driver, completed, kept)).inspect).status).toBe("degraded")
    fake.break(completed.connection.ref, "gone")
    const gone = yield* open(driver, completed, kept)
    expect((yield* gone.inspect).status).toBe("disconnected")
    expect(yield* tagOf(gone.listAccounts)).toBe("ConnectionGone")
  })
)

it.effect("waits for first data", () =>
  Effect.gen(function* () {
    const { completed, driver, fake, kept } = yield* setting
    fake.collecting!(completed.connection.ref, true)
    const session = yield* open(driver, completed, kept)
    expect((yield* session.inspect).status).toBe("pending")
    expect(yield* tagOf(session.listAccounts)).toBe("NotReady")
  })
)

const answers: ReadonlyArray<readonly [name: string, incident: Incident, tag: string]> = [
  ["403", { kind: "forbidden" }, "ConsentRequired"],
  ["429", { kind: "rateLimited", retryAfter: 90 }, "RateLimited"],
  ["500", { kind: "serverError" }, "ProviderUnavailable"],
  ["503", { kind: "unavailable" }, "ProviderUnavailable"],
  [
    "a fault of the bank",
    { kind: "code", code: "CONSUMERDATA_PROCESSING_ERROR", status: 500 },
    "InstitutionUnavailable"
  ],
  ["a person who is gone", { kind: "code", code: "end_user_not_found", status: 404 }, "ConnectionGone"],
  ["a request that is wrong", { kind: "code", code: "InvalidRequest" }, "ProtocolViolation"],
  ["a page for people", { kind: "htmlPage" }, "ProviderUnavailable"],
  ["a cut connection", { kind: "dropped" }, "ProviderUnavailable"],
  ["half an answer", { kind: "truncated" }, "ProviderUnavailable"],
  ["nothing", { kind: "answer", status: 200, body: {} }, "ProtocolViolation"],
  [
    "consents that cannot be read",
    { kind: "answer", status: 200, body: { consents: [{ active: "yes" }] } },
    "ProtocolViolation"
  ],
  [
    "a link that leads nowhere",
    {
      kind: "answer",
      status: 200,
      body: { consents: [{}], links: { next: "https://evil.example/?x=1" } }
    },
    "ProtocolViolation"
  ],
  ["no consents", { kind: "answer", status: 200, body: [] }, "ConnectionGone"]
]

it.effect("gives every answer its meaning", () =>
  Effect.gen(function* () {
    const { completed, driver, fake, kept } = yield* setting
    for (const [name, incident, tag] of answers) {
      fake.server.plan({ incident, only: ({ path }) => path === "/v1/consent" })
      expect(yield* tagOf((yield* open(driver, completed, kept)).listAccounts), name).toBe(tag)
    }
    fake.server.plan({ incident: { kind: "rateLimited", retryAfter: 90 }, only: ({ path }) => path === "/v1/consent" })
    const error = yield* Effect.flip((yield* open(driver, completed, kept)).listAccounts)
    expect(error).toMatchObject({
      _tag: "RateLimited",
      scope: "client",
      retryAfter: 90,
      requestId: expect.stringMatching(/^err_/)
    })
  })
)

it.effect("leaves out the rows that cannot be read or were not asked for", () =>
  Effect.gen(function* () {
    const { fake, idOf, session } = yield* setting
    yield* session.listAccounts
    const good = { account_id: idOf("card"), status: "PENDING", currency: "AUD" }
    const transactions = [
      { ...good, fiskil_id: "bank_tx_1", amount: "-1.5", description: "Tea" },
      { ...good, fiskil_id: "", amount: "1" },
      { ...good, fiskil_id: "bank_tx_2", amount: "1", status: "ODD" },
      { ...good, fiskil_id: "bank_tx_3", amount: "1,5" },
      { ...good, fiskil_id: "bank_tx_4", amount: "1", status: "POSTED" },
      { ...good, fiskil_id: "bank_tx_5", amount: "1", account_id: "another" }
    ]
    fake.server.plan({ incident: { kind: "answer", status: 200, body: { transactions } } })
    const page = yield* session.pull(request(idOf("card")))
    expect(page.upserted.map(({ fields, providerId }) => [providerId, fields["amount"]])).toEqual([
      ["bank_tx_1", "-1.5"]
    ])
    expect(
      page.quarantined.map(({ providerId, reason }) => [providerId, reason.replace(/(: | does not have).*/, "")])
    ).toEqual([
      ["", "fiskil_id"],
      ["bank_tx_2", "status"],
      ["bank_tx_3", "amount"]
    ])
  })
)

it.effect("asks the banks for balances anew, and says whom it is for only where somebody asks", () =>
  Effect.gen(function* () {
    const { completed, driver, fake, kept, session } = yield* setting
    const live = () => fake.server.requests.filter(({ query }) => query.get("fetch") === "true")
    expect(yield* session.refresh!(["balances"])).toEqual({ status: "refreshing" })
    expect(live().map(({ headers }) => headers["x-fiskil-client-ip-address"])).toEqual([
      undefined,
      undefined,
      undefined
    ])
    const interactive = yield* driver.open({
      connection: completed.connection,
      subject: { ref: kept.ref, secrets: kept.subject },
      keep: () => Effect.void,
      psu: { ipAddress: "203.0.113.9" }
    })
    yield* interactive.refresh!(["balances"])
    expect(live().at(-1)!.headers["x-fiskil-client-ip-address"]).toBe("203.0.113.9")
  })
)
