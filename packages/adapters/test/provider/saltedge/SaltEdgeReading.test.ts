import { expect, it } from "@effect/vitest"
import { CalendarDate, Decimal, Timestamp } from "@millrace/core"
import type { ProviderSession, PullRequest } from "@millrace/core/provider"
import { fakeSaltEdge } from "@millrace/testing/upstream"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { factory } from "../../../src/provider/saltedge/SaltEdgeProvider.ts"
import { connected, driverOn, pagesOf } from "../OnFake.ts"

const start = Timestamp.toMillis(Timestamp.make("2026-11-21T09:30:00.000Z"))
const from = CalendarDate.make("2026-01-01")
const to = CalendarDate.make("2026-11-21")

const opened = Effect.fnUntraced(function* () {
  yield* TestClock.setTime(start)
  const fake = yield* fakeSaltEdge({ pageRows: 10, copies: 4, days: 80, rows: 24 })
  const driver = yield* driverOn(factory, fake)
  const { completed, open } = yield* connected(driver, fake)
  const ledger = fake.ledger()
  const request = (key: string): PullRequest => ({
    dataType: "transactions",
    providerAccountIds: [ledger.account(key).id],
    from,
    to
  })
  return { fake, open, session: yield* open(), ledger, request, ref: completed.connection.ref }
})

/** All pages of a run. */
const read = Effect.fnUntraced(function* (session: ProviderSession, request: PullRequest) {
  const pages = yield* pagesOf(session, request)
  const { coverage, end } = pages.at(-1)!
  return {
    rows: pages.flatMap(({ upserted }) => upserted),
    quarantined: pages.flatMap(({ quarantined }) => quarantined),
    coverage,
    checkpoint: end.kind === "done" ? end.checkpoint : undefined,
    pages: pages.length
  }
})

it.effect("Salt Edge: a whole read shows every row once, copies left out, pending ones apart", () =>
  Effect.gen(function* () {
    const { ledger, request, session } = yield* opened()
    const whole = yield* read(session, request("giro"))
    const truth = ledger.shown("giro")
    expect(whole.pages).toBeGreaterThan(2)
    expect(new Set(whole.rows.map(({ providerId }) => providerId))).toEqual(new Set(truth.map(({ id }) => id)))
    expect(whole.rows).toHaveLength(truth.length)
    expect(Decimal.sum(whole.rows.map(({ fields }) => Decimal.make(String(fields["amount"]))))).toBe(
      Decimal.sum(truth.map(({ amount }) => amount))
    )
    expect(whole.rows.filter(({ pending }) => pending)).toHaveLength(1)
    expect(whole.coverage).toEqual([
      { kind: "window", from, to, complete: true, status: "posted" },
      { kind: "full", complete: true, status: "pending" }
    ])
  }).pipe(Effect.scoped)
)

it.effect("Salt Edge: the next read begins where the last thirty days do, and finds late rows of any day", () =>
  Effect.gen(function* () {
    const { fake, ledger, open, request, session } = yield* opened()
    const whole = yield* read(session, request("giro"))
    const day = CalendarDate.addDays(to, -30)
    const recent = ledger.shown("giro").filter(({ date, pending }) => !pending && date >= day)
    const oldest = recent.map(({ id }) => id).toSorted()[0]!
    expect(whole.checkpoint).toBe(`v1:${oldest}:${day}`)
    const late = ledger.post({
      account: "giro",
      amount: Decimal.make("-7.5"),
      description: "Late",
      date: CalendarDate.make("2026-09-09")
    })
    const gone = recent[0]!
    ledger.remove(gone)
    const since = { ...request("giro"), from: CalendarDate.addDays(to, -20), checkpoint: whole.checkpoint! }
    const next = yield* read(yield* open(), since)
    const ids = next.rows.map(({ providerId }) => providerId)
    expect(ids).toContain(late.id)
    expect(ids).not.toContain(gone.id)
    expect(ids).toHaveLength(recent.length + 1)
    // The days that it shows whole are those of the checkpoint, not those that were asked for.
    expect(next.coverage).toMatchObject([{ from: day, to, complete: true, status: "posted" }, {}])
    const asked = fake.server.requests.filter(({ endpoint }) => endpoint === "transactions").at(-2)!
    expect(asked.query.get("pending")).toBe("false")
    // Older days than those of the checkpoint need everything.
    const older = yield* read(yield* open(), { ...since, from: CalendarDate.addDays(to, -50) })
    expect(older.coverage).toMatchObject([{ from: CalendarDate.addDays(to, -50) }, {}])
    expect(older.rows.filter(({ fields }) => String(fields["date"]) < CalendarDate.addDays(to, -50))).toEqual([])
    for (const checkpoint of ["", "v1:", "v2:1:2026-01-01", "v1:x:2026-01-01", "v1:1:2026-02-30"]) {
      expect((yield* Effect.flip((yield* open()).pull({ ...since, checkpoint })))._tag).toBe("CheckpointInvalid")
    }
  }).pipe(Effect.scoped)
)

it.effect("Salt Edge: where the bank is read in between, the read begins anew", () =>
  Effect.gen(function* () {
    const { fake, ledger, open, request } = yield* opened()
    const pending = ledger.shown("giro").find((row) => row.pending)!
    fake.server.beforeNext({
      only: ({ query }) => query.get("pending") === "true",
      act: () => void ledger.settle(pending)
    })
    const first = yield* Effect.flip(read(yield* open(), request("giro")))
    expect(first._tag).toBe("MutationDuringPagination")
    const again = yield* read(yield* open(), request("giro"))
    expect(again.rows.filter((row) => row.pending)).toEqual([])
    expect(again.rows).toHaveLength(ledger.shown("giro").length)
  }).pipe(Effect.scoped)
)

it.effect("Salt Edge: a session that began before the bank was read goes on with what is there now", () =>
  Effect.gen(function* () {
    const { ledger, request, session } = yield* opened()
    yield* session.listAccounts
    ledger.post({ account: "giro", amount: Decimal.make("-1"), description: "Since" })
    expect((yield* Effect.flip(read(session, request("giro"))))._tag).toBe("MutationDuringPagination")
    expect((yield* read(session, request("giro"))).rows).toHaveLength(ledger.shown("giro").length)
  }).pipe(Effect.scoped)
)

const account = (nature: string, balance: number, extra: unknown) => ({
  id: "77",
  nature,
  balance,
  currency_code: "eur",
  extra
})

it.effect("Salt Edge: accounts have signs, limits, loans and keys in which no number can be read", () =>
  Effect.gen(function* () {
    const { fake, ledger, open, session } = yield* opened()
    const accounts = yield* session.listAccounts
    expect(
      accounts.map(({ balance, creditLimit, supports, type }) => ({ balance, creditLimit, supports, type }))
    ).toEqual([
      {
        type: "checking",
        balance: ledger.balance("giro"),
        creditLimit: undefined,
        supports: ["balances", "transactions"]
      },
      {
        type: "savings",
        balance: ledger.balance("savings"),
        creditLimit: undefined,
        supports: ["balances", "transactions"]
      },
      {
        type: "credit_card",
        balance: ledger.balance("card"),
        creditLimit: "2500",
        supports: ["balances", "transactions"]
      },
      {
        type: "mortgage",
        balance: ledger.balance("mortgage"),
        creditLimit: undefined,
        supports: ["balances", "transactions", "loans"]
      }
    ])
    const { number } = ledger.account("giro")
    expect(accounts[0]?.stableKeys).toHaveLength(3)
    expect(accounts[0]?.stableKeys.join()).not.toContain(number)
    const loans = yield* session.pull({
      dataType: "loans",
      providerAccountIds: [ledger.account("mortgage").id],
      from,
      to
    })
    expect(loans.upserted[0]?.fields).toEqual({
      loanType: "annuity",
      principalBalance: "182400",
      interestRatePercentage: "3.85",
      currency: "EUR"
    })
    const signs: ReadonlyArray<readonly [unknown, string]> = [
      [account("credit_card", 120.5, { credit_limit: 1000, available_amount: 879.5 }), "-120.5"],
      [account("credit_card", 120.5, { credit_limit: 1000, available_amount: 1120.5 }), "120.5"],
      [account("credit_card", 120.5, null), "120.5"],
      [account("loan", 9000, { credit_limit: "much" }), "-9000"],
      [account("something_new", -3.005, {}), "-3"]
    ]
    for (const [body, balance] of signs) {
      fake.server.plan({
        incident: { kind: "answer", status: 200, body: { data: [body], meta: { next_id: null } } },
        only: ({ endpoint }) => endpoint === "accounts"
      })
      expect((yield* (yield* open()).listAccounts)[0]?.balance).toBe(balance)
    }
  }).pipe(Effect.scoped)
)

it.effect("Salt Edge: rows have their days, amounts with all digits, and what cannot be read is put aside", () =>
  Effect.gen(function* () {
    const { fake, ledger, open, request } = yield* opened()
    const account_id = ledger.account("giro").id
    const body =
      `{"data":[` +
      `{"id":"9000000000000000001","account_id":"${account_id}","status":"posted","mode":"transfer","made_on":"2026-11-01","amount":-1234567890.123456789,"currency_code":"EUR","description":" Rent ","category":"rent","extra":{"posting_date":"2026-11-03","end_to_end_id":"E2E-1","payee":"Landlord"}},` +
      `{"id":"9000000000000000002","account_id":"1","status":"posted","made_on":"2026-11-01","amount":1,"currency_code":"EUR","description":"Not ours"},` +
      `{"id":"9000000000000000003","account_id":"${account_id}","status":"brand_new","made_on":"2026-11-02","amount":1e2,"currency_code":"EUR","description":"","extra":{"additional":"Told elsewhere","mcc":5411}},` +
      `{"id":"9000000000000000004","account_id":"${account_id}","status":"posted","made_on":"2026-02-30","amount":1,"currency_code":"EUR","description":"No day"},` +
      `{"id":"9000000000000000005","account_id":"${account_id}","status":"posted","made_on":"2026-11-02","amount":"much","currency_code":"EUR"}` +
      `],"meta":{"next_id":null}}`
    fake.server.plan({
      incident: { kind: "answer", status: 200, body },
      only: ({ query }) => query.get("pending") === "false"
    })
    const { quarantined, rows } = yield* read(yield* open(), request("giro"))
    expect(
      rows.filter(({ pending }) => !pending).map(({ fields, providerId }) => ({ providerId, ...fields }))
    ).toMatchObject([
      {
        providerId: "9000000000000000001",
        date: "2026-11-03",
        authorizedDate: "2026-11-01",
        amount: "-1234567890.123456789",
        debitAmount: "1234567890.123456789",
        creditAmount: "0",
        description: "Rent",
        merchantName: "Landlord",
        reference: "E2E-1",
        category: "RENT_AND_UTILITIES",
        type: "TRANSFER_OUTGOING"
      },
      { providerId: "9000000000000000003", amount: "100", description: "Told elsewhere", type: "OTHER" }
    ])
    expect(quarantined).toEqual([
      { providerId: "9000000000000000002", reason: "account_id is another account's" },
      { providerId: "9000000000000000004", reason: "made_on is no day" },
      { providerId: "9000000000000000005", reason: "amount does not have the agreed form" }
    ])
  }).pipe(Effect.scoped)
)

it.effect("Salt Edge: pages that lead back are no list", () =>
  Effect.gen(function* () {
    const { fake, open, request } = yield* opened()
    for (const next_id of ["0", "abc", "-5"]) {
      fake.server.plan({
        incident: { kind: "answer", status: 200, body: { data: [], meta: { next_id } } },
        only: ({ query }) => query.get("pending") === "false"
      })
      expect((yield* Effect.flip((yield* open()).pull(request("giro"))))._tag).toBe("ProtocolViolation")
    }
  }).pipe(Effect.scoped)
)
