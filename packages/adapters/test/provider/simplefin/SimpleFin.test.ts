import { expect, it } from "@effect/vitest"
import { OutboundClient, privateHosts } from "@millrace/adapters"
import { CalendarDate } from "@millrace/core"
import { Outbound, type OutboundResponse } from "@millrace/core/outbound"
import type { Connection, ProviderDriver, ProviderError, PullRequest } from "@millrace/core/provider"
import { beginOf, completeOf, openFor } from "@millrace/testing/fake"
import { Seeded } from "@millrace/testing/model"
import { type Incident, move, mutatedJson, startSimpleFin } from "@millrace/testing/upstream"
import { applied, run } from "@millrace/testing/suite/provider"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { accessOf, claimUrlOf } from "../../../src/provider/simplefin/SimpleFinAccess.ts"
import { toldBy } from "../../../src/provider/simplefin/SimpleFinAccounts.ts"
import { factory } from "../../../src/provider/simplefin/SimpleFinProvider.ts"

const at = Date.parse("2026-11-21T09:30:00.000Z")
const to = CalendarDate.make("2026-11-21")

const tokenOf = (url: string) => Buffer.from(url).toString("base64")

const driverWith = (outbound: Outbound["Service"], bridgeUrl: string) =>
  Effect.provideService(factory.make({ instanceId: "simplefin:main", config: { bridgeUrl } }), Outbound, outbound)

const start = Effect.fnUntraced(function* (options: Parameters<typeof startSimpleFin>[0] = {}) {
  yield* TestClock.setTime(at)
  const fake = yield* startSimpleFin(options)
  const client = yield* OutboundClient.make({ privateHosts: Result.getOrThrow(privateHosts(["127.0.0.1"])) })
  const driver = yield* driverWith(client, fake.config.bridgeUrl)
  const { connection } = yield* driver.completeConnect(completeOf(fake.paste()))
  return { fake, driver, connection, ledger: fake.ledger() }
})

const everything = (accounts: ReadonlyArray<string>, more: Partial<PullRequest> = {}): PullRequest => ({
  dataType: "transactions",
  providerAccountIds: accounts,
  from: CalendarDate.make("2026-08-23"),
  to,
  ...more
})

const accountsOf = (driver: ProviderDriver, connection: Connection) =>
  Effect.flatMap(openFor(driver, connection), ({ listAccounts }) => listAccounts)

it.effect(
  "claims a setup token once, keeps its credentials apart from the address, and says what a used one means",
  () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(at)
      const fake = yield* startSimpleFin()
      const client = yield* OutboundClient.make({ privateHosts: Result.getOrThrow(privateHosts(["127.0.0.1"])) })
      const driver = yield* driverWith(client, fake.config.bridgeUrl)
      expect(yield* driver.beginConnect(beginOf())).toEqual({
        kind: "popup",
        url: `${fake.config.bridgeUrl}/simplefin/create`,
        expiresAt: "2026-11-21T10:30:00.000Z"
      })
      const payload = fake.paste()
      const { connection, institution } = yield* driver.completeConnect(completeOf(payload))
      expect(connection.secrets).toEqual({
        url: `${fake.server.url}/simplefin`,
        username: "user15A5A",
        password: "pass1word9C9C9C"
      })
      expect(connection.ref).toBe(fake.connections[0]!.ref)
      expect(institution).toMatchObject({ id: "simplefin", name: "First Platypus Bank" })
      const used = yield* Effect.flip(driver.completeConnect(completeOf(payload)))
      expect(used).toMatchObject({ _tag: "InvalidConnectPayload", providerCode: "403" })
      expect(used.message).toContain("claimed already")
      expect(fake.connections).toHaveLength(1)
      for (const how of ["unknown", "malformed", "otherKind"] as const) {
        const error = yield* Effect.flip(driver.completeConnect(completeOf(fake.refused(undefined, how)!)))
        expect([how, error._tag]).toEqual([how, "InvalidConnectPayload"])
      }
      expect(fake.server.requests.some(({ rawQuery }) => rawQuery.includes("pass1word"))).toBe(false)
    }).pipe(Effect.scoped)
)

it.effect("asks no private address that a token leads to", () =>
  Effect.gen(function* () {
    const client = yield* OutboundClient.make()
    const driver = yield* driverWith(client, "https://bridge.simplefin.org")
    for (const url of [
      "http://127.0.0.1:9/claim",
      "https://169.254.169.254/latest",
      "https://10.0.0.1/x",
      "ftp://x/y"
    ]) {
      const connectionId = Buffer.from(url).toString("base64")
      const error = yield* Effect.flip(
        driver.completeConnect(completeOf({ kind: "provider_connection_id", connectionId }))
      )
      expect([url, error._tag]).toEqual([url, "InvalidConnectPayload"])
    }
  }).pipe(Effect.scoped)
)

it("takes tokens and access URLs apart, and refuses what is none", () => {
  // The public token of the protocol's own page.
  expect(claimUrlOf("aHR0cHM6Ly9icmlkZ2Uuc2ltcGxlZmluLm9yZy9zaW1wbGVmaW4vY2xhaW0vZGVtbw==\n")).toBe(
    "https://bridge.simplefin.org/simplefin/claim/demo"
  )
  for (const url of [
    "https://user:pass@bridge.example/claim",
    "https://x.example/#frag",
    "no url at all",
    "javascript:1"
  ]) {
    expect(claimUrlOf(Buffer.from(url).toString("base64"))).toBeUndefined()
  }
  const claim = "https://bridge.example/claim"
  expect(accessOf("https://de%40mo:p%2Fw@bridge.example/simplefin/\n", claim)).toEqual({
    url: "https://bridge.example/simplefin",
    username: "de@mo",
    password: "p/w"
  })
  for (const text of ["https://bridge.example/simplefin", "http://a:b@bridge.example/simplefin", "", "a b"]) {
    expect(accessOf(text, claim)).toBeUndefined()
  }
})

it.effect("asks its bridges alone, wherever a token or an access leads to", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(at)
    const fake = yield* startSimpleFin()
    const asked: Array<string> = []
    const outbound = Outbound.of({
      request: ({ url }) =>
        Effect.sync(() => {
          asked.push(url)
          return { status: 200, headers: {}, body: new TextEncoder().encode("https://a:b@evil.example/simplefin") }
        })
    })
    const driver = yield* driverWith(outbound, "https://bridge.example:8443")
    const refused = [
      "http://admin.internal/api/delete-everything",
      "https://bridge.example/claim",
      "http://bridge.example:8443/claim",
      "https://bridge.example.evil.example:8443/claim",
      "https://bridge.simplefin.org/simplefin/claim/demo",
      fake.server.url
    ]
    for (const url of refused) {
      const payload = { kind: "provider_connection_id", connectionId: tokenOf(url) } as const
      const error = yield* Effect.flip(driver.completeConnect(completeOf(payload)))
      expect([url, error._tag, asked]).toEqual([url, "InvalidConnectPayload", []])
    }
    // A bridge leads nowhere else either.
    const own = { kind: "provider_connection_id", connectionId: tokenOf("https://bridge.example:8443/claim") } as const
    expect((yield* Effect.flip(driver.completeConnect(completeOf(own))))._tag).toBe("ProtocolViolation")
    expect(asked).toEqual(["https://bridge.example:8443/claim"])
    const secrets = { url: "https://evil.example/simplefin", username: "a", password: "b" }
    const error = yield* Effect.flip(accountsOf(driver, { ref: "sfin_x", secrets }))
    expect([error._tag, asked.length]).toEqual(["Misconfigured", 1])
  }).pipe(Effect.scoped)
)

it.effect("proves nothing of an account whose bank could not be read for one of the windows", () =>
  Effect.gen(function* () {
    const { connection, driver, fake } = yield* start()
    const session = yield* openFor(driver, connection)
    const ids = (yield* session.listAccounts).map(({ providerAccountId }) => providerAccountId)
    const request = {
      dataType: "transactions",
      providerAccountIds: ids,
      from: CalendarDate.make("2026-06-01"),
      to: CalendarDate.make("2026-11-21")
    } as const
    const last = Effect.fnUntraced(function* (brokenAt: number) {
      let page = yield* session.pull(request)
      for (let n = 1; page.end.kind === "more"; n++) {
        if (n === brokenAt) fake.break(connection.ref, "institutionDown")
        page = yield* session.pull({ ...request, position: page.end.position })
        fake.mend(connection.ref)
      }
      return page.coverage
    })
    expect(yield* last(0)).toMatchObject({ kind: "window", complete: true })
    expect(yield* last(1)).toMatchObject({ kind: "window", complete: false })
  }).pipe(Effect.scoped)
)

it.effect("reads accounts, rows and holdings of a run with one request, exactly", () =>
  Effect.gen(function* () {
    const { connection, driver, fake, ledger } = yield* start()
    const before = fake.server.requests.length
    const session = yield* openFor(driver, connection)
    expect(yield* session.inspect).toEqual({ status: "connected", lastUpstreamUpdateAt: "2026-11-21T09:30:00.000Z" })
    const accounts = yield* session.listAccounts
    const ids = accounts.map(({ providerAccountId }) => providerAccountId)
    expect(accounts.map(({ balance, supports, type }) => [type, balance, supports.length])).toEqual([
      ["checking", ledger.balance("checking"), 2],
      ["credit_card", ledger.balance("card"), 2],
      ["brokerage", ledger.balance("broker"), 3]
    ])
    const page = yield* session.pull(everything(ids, { from: CalendarDate.make("2026-10-07") }))
    expect(page.end).toEqual({ kind: "done" })
    const truth = ledger.shown().filter(({ date, pending }) => pending || date >= "2026-10-07")
    expect(
      page.upserted
        .map(({ fields, pending, providerId }) => [providerId, pending, fields["date"], fields["amount"]])
        .toSorted()
    ).toEqual(truth.map(({ amount, date, id, pending }) => [id, pending, date, amount]).toSorted())
    const holdings = yield* session.pull({ ...everything([ids[2]!]), dataType: "holdings" })
    expect(holdings.upserted.map(({ fields }) => [fields["ticker"], fields["quantity"], fields["costBasis"]])).toEqual(
      ledger.holdings.get("broker")!.map(({ cost, quantity, security }) => [security.ticker, quantity, cost])
    )
    expect((yield* Effect.flip(session.pull({ ...everything(ids), dataType: "trades" })))._tag).toBe("Unsupported")
    expect(fake.server.requests.length - before).toBe(1)
    const { query } = fake.server.requests.at(-1)!
    expect(Object.fromEntries(query)).toEqual({
      "start-date": String(Date.parse("2026-09-24T00:00:00Z") / 1000),
      "end-date": String(Date.parse("2026-11-23T00:00:00Z") / 1000),
      pending: "1"
    })
  }).pipe(Effect.scoped)
)

it.effect("reads history in windows of at most 60 days, each row once", () =>
  Effect.gen(function* () {
    const { connection, driver, fake, ledger } = yield* start({ days: 170, rows: 60 })
    const ids = (yield* accountsOf(driver, connection)).map(({ providerAccountId }) => providerAccountId)
    const from = CalendarDate.make("2026-05-01")
    const whole = yield* run(driver, connection, everything(ids, { from }))
    expect(whole.pages).toBe(4)
    expect(whole.upserted.map(({ providerId }) => providerId).toSorted()).toEqual(
      ledger
        .shown()
        .map(({ id }) => id)
        .toSorted()
    )
    expect(whole.coverages.at(-1)).toEqual({ kind: "window", from, to, complete: true })
    const spans = fake.server.requests
      .filter(({ query }) => query.has("start-date"))
      .map(({ query }) => (Number(query.get("end-date")) - Number(query.get("start-date"))) / 86_400)
    expect(Math.max(...spans)).toBe(60)
  }).pipe(Effect.scoped)
)

it.effect.each([1, 2, 3])("shows each time what a random script has left (seed %s)", (seed) =>
  Effect.gen(function* () {
    const { connection, driver, fake, ledger } = yield* start({ seed, rows: 15, days: 30 })
    const seeded = new Seeded(seed)
    for (let round = 0; round < 8; round++) {
      yield* TestClock.adjust("3 hours")
      for (let n = seeded.below(20); n >= 0; n--) {
        move(ledger, seeded, { account: seeded.pick(["checking", "card"]), keepsIds: false })
      }
      const ids = (yield* accountsOf(driver, connection)).map(({ providerAccountId }) => providerAccountId)
      const end = CalendarDate.addDays(to, 2)
      const model = applied(new Map(), yield* run(driver, connection, everything(ids, { to: end })))
      expect(
        [...model.values()].map(({ fields, pending, providerId }) => [providerId, pending, fields["amount"]]).toSorted()
      ).toEqual(
        ledger
          .shown()
          .map(({ amount, id, pending }) => [id, pending, amount])
          .toSorted()
      )
    }
    expect(fake.server.exceeded.length).toBeLessThanOrEqual(8)
  }).pipe(Effect.scoped)
)

it.effect("says which bank could not be read, and proves nothing of its accounts", () =>
  Effect.gen(function* () {
    const { connection, driver, fake, ledger } = yield* start()
    fake.break(connection.ref, "institutionDown")
    const session = yield* openFor(driver, connection)
    expect(yield* session.inspect).toMatchObject({
      status: "degraded",
      errorCode: "PARTIAL_FAILURE",
      errorMessage: "SimpleFIN says: Connection to First Platypus Bank may need attention: sign in"
    })
    const ids = ledger.listed.map(({ id }) => id)
    const page = yield* session.pull(everything(ids, { from: CalendarDate.make("2026-10-07") }))
    expect(page.coverage).toMatchObject({ kind: "window", complete: false })
    // Another bank of the same access is sure of its rows.
    const account = { name: "A", currency: "USD", balance: "1.50", transactions: [] }
    const body = {
      errors: ["Connection to Gingham CU may need attention"],
      accounts: [
        { ...account, id: "a", org: { name: "First Platypus Bank" } },
        { ...account, id: "b", org: { name: "Gingham CU" } }
      ]
    }
    fake.server.plan({ incident: { kind: "answer", status: 200, body } })
    const partly = yield* (yield* openFor(driver, connection)).pull(
      everything(["a", "b"], { from: CalendarDate.make("2026-10-07") })
    )
    expect(partly.coverage).toMatchObject([{ kind: "window", complete: true, providerAccountIds: ["a"] }])
  }).pipe(Effect.scoped)
)

it("repeats what SimpleFIN tells as plain sentences of bounded length", () => {
  const told = toldBy({
    accounts: [],
    unread: [],
    errors: ["<script>alert(1)</script>See https://evil.example/?q=1 now\u0007", 7, "", "x".repeat(5_000)],
    errlist: [{ msg: "Second list" }, {}]
  })
  expect(told.map((text) => text.slice(0, 40))).toEqual(["alert(1) See now", "x".repeat(40), "Second list"])
  expect(told[1]).toHaveLength(300)
})

const incidents: ReadonlyArray<readonly [Incident, expected: object]> = [
  [
    { kind: "rateLimited", retryAfter: 7_200 },
    { _tag: "RateLimited", scope: "connection", retryAfter: 7_200 }
  ],
  [
    { kind: "answer", status: 429, body: "" },
    { _tag: "RateLimited", retryAfter: 3_600 }
  ],
  [{ kind: "unauthorized" }, { _tag: "ConnectionGone" }],
  [{ kind: "forbidden" }, { _tag: "ConnectionGone" }],
  [
    { kind: "answer", status: 402, body: "" },
    { _tag: "ConsentRequired", providerCode: "402" }
  ],
  [{ kind: "serverError" }, { _tag: "ProviderUnavailable" }],
  [{ kind: "unavailable" }, { _tag: "ProviderUnavailable" }],
  [{ kind: "dropped" }, { _tag: "ProviderUnavailable" }],
  [{ kind: "truncated" }, { _tag: "ProviderUnavailable" }],
  [{ kind: "htmlPage" }, { _tag: "ProviderUnavailable" }],
  [
    { kind: "answer", status: 200, body: { accounts: {} } },
    { _tag: "ProtocolViolation", path: "accounts" }
  ]
]

it.effect("has an error for whatever goes wrong on the way, asks once, and tells no secret", () =>
  Effect.gen(function* () {
    const { connection, driver, fake } = yield* start()
    for (const [incident, expected] of incidents) {
      fake.server.plan({ incident })
      const before = fake.server.requests.length
      const error = yield* Effect.flip(accountsOf(driver, connection))
      expect(error).toMatchObject(expected)
      expect(fake.server.requests.length - before).toBe(1)
      const told = JSON.stringify(error) + String(error)
      expect(Object.values(connection.secrets).filter((one) => told.includes(one))).toEqual([])
    }
  }).pipe(Effect.scoped)
)

it.effect("tells that the subscription ended or the access was taken back, and goes on with a new token", () =>
  Effect.gen(function* () {
    const { connection, driver, fake } = yield* start()
    const health = Effect.flatMap(openFor(driver, connection), ({ inspect }) => inspect)
    fake.break(connection.ref, "consentExpired")
    expect(yield* health).toMatchObject({ status: "consent_expired", errorCode: "PAYMENT_REQUIRED" })
    fake.break(connection.ref, "gone")
    expect(yield* health).toMatchObject({ status: "disconnected", errorCode: "CONNECTION_GONE" })
    fake.mend(connection.ref)
    const before = yield* accountsOf(driver, connection)
    const step = yield* driver.beginConnect(beginOf({ reconnect: connection }))
    const payload = fake.repair(step, connection.ref)
    const mended = yield* driver.completeConnect(completeOf(payload, { reconnect: connection }))
    expect(mended.connection.ref).toBe(connection.ref)
    expect(mended.connection.secrets).not.toEqual(connection.secrets)
    expect(yield* accountsOf(driver, mended.connection)).toEqual(before)
    expect(yield* (yield* openFor(driver, mended.connection)).revoke).toBe("done")
  }).pipe(Effect.scoped)
)

const seeds = process.env["MILLRACE_LONG"] === "1" ? 10_000 : 400

it.effect(`survives ${seeds} answers that were changed at random: an error with a name, or rows that can be read`, () =>
  Effect.gen(function* () {
    const { connection, fake, ledger } = yield* start({ rows: 3 })
    const ids = ledger.listed.map(({ id }) => id)
    let seed = 0
    const direct: Outbound["Service"] = {
      request: ({ headers = {}, url }) =>
        Effect.sync((): OutboundResponse => {
          const { pathname, search, searchParams } = new URL(url)
          const authorization = Buffer.from(
            `${connection.secrets["username"]}:${connection.secrets["password"]}`
          ).toString("base64")
          expect(Object.keys(headers)).toContain("authorization")
          const answer = fake.answer({
            at,
            method: "GET",
            path: pathname,
            query: searchParams,
            rawQuery: search.slice(1),
            headers: { authorization: `Basic ${authorization}` },
            body: "",
            rawBody: new Uint8Array(),
            endpoint: pathname
          })
          const text = mutatedJson(JSON.stringify(answer.body), new Seeded(seed))
          return { status: answer.status, headers: {}, body: new TextEncoder().encode(text) }
        })
    }
    const driver = yield* driverWith(direct, fake.config.bridgeUrl)
    let failures = 0
    for (seed = 0; seed < seeds; seed++) {
      const session = yield* openFor(driver, connection)
      const calls: ReadonlyArray<Effect.Effect<unknown, ProviderError>> = [
        session.pull(everything(ids)),
        session.pull({ ...everything(ids), dataType: "holdings" }),
        session.listAccounts,
        session.inspect
      ]
      const exit = yield* Effect.exit(calls[seed % calls.length]!)
      if (Exit.isSuccess(exit)) continue
      failures++
      if (!exit.cause.reasons.some(Cause.isFailReason)) return expect.fail(`seed ${seed}: ${Cause.pretty(exit.cause)}`)
    }
    expect(failures).toBeGreaterThan(10)
  }).pipe(Effect.scoped)
)

const bank = { domain: "bank.example", name: "First Bank" }
const [posted, later] = [1_795_176_000, 1_795_262_400]

it.effect("reads rows without a description by payee, else by memo, else without a text", () =>
  Effect.gen(function* () {
    const { connection, driver, fake } = yield* start()
    const transactions = [
      { id: "A1", posted, amount: "-19.99", description: "" },
      { id: "A2", posted: later, amount: "-6.00" },
      { id: "A4", posted: later, amount: "-7.00", description: "", payee: "", memo: "ATM WITHDRAWAL 77" },
      { id: "A5", posted: later, amount: "-8.00", description: null, payee: { odd: true }, memo: "NIGHT SAFE" },
      { id: "B1", posted, amount: "-7.00", description: "COFFEE" }
    ]
    const account = { org: bank, id: "ACT-1", name: "Checking", currency: "USD", balance: "100.00", transactions }
    fake.server.plan({ incident: { kind: "answer", status: 200, body: { errors: [], accounts: [account] } }, times: 9 })
    const session = yield* openFor(driver, connection)
    const { quarantined, upserted } = yield* session.pull(everything(["ACT-1"]))
    expect(quarantined).toEqual([])
    expect(upserted.map(({ fields, providerId }) => [providerId, fields["amount"], fields["description"]])).toEqual([
      ["A1", "-19.99", ""],
      ["A2", "-6", ""],
      ["A4", "-7", "ATM WITHDRAWAL 77"],
      ["A5", "-8", "NIGHT SAFE"],
      ["B1", "-7", "COFFEE"]
    ])
  }).pipe(Effect.scoped)
)

it.effect("names each odd account with its field, and reads the good one", () =>
  Effect.gen(function* () {
    const { connection, driver, fake } = yield* start()
    const good = { org: bank, id: "G", name: "Good Checking", currency: "USD", balance: "100.00", transactions: [] }
    const odd = (id: string, change: object) => ({ ...good, id, name: `Odd ${id}`, ...change })
    const accounts = [
      good,
      odd("H", { balance: null }),
      odd("I", { balance: "1,234.56" }),
      odd("J", { currency: null }),
      odd("K", { name: undefined }),
      odd("L", { "balance-date": "today" }),
      odd("M", {}),
      odd("M", { balance: "2" })
    ]
    fake.server.plan({ incident: { kind: "answer", status: 200, body: { errors: [], accounts } }, times: 9 })
    const session = yield* openFor(driver, connection)
    expect((yield* session.listAccounts).map(({ providerAccountId }) => providerAccountId)).toEqual(["G"])
    expect(
      (yield* session.unreadAccounts!).map(({ providerAccountId, reason }) => [providerAccountId, reason])
    ).toEqual([
      ["H", "balance does not have the agreed form"],
      ["I", "balance does not have the agreed form"],
      ["J", "currency does not have the agreed form"],
      ["K", "name does not have the agreed form"],
      ["L", "balance-date does not have the agreed form"],
      ["M", "id is listed twice"]
    ])
  }).pipe(Effect.scoped)
)
