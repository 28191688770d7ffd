/**
 * The demo bank as an upstream of the conformance suite: what its world holds at an instant, without pages, checkpoints or
 * a wire. Opening balances are those of the tests, so that sums are proven by something else than the driver.
 */
import { Decimal } from "@millrace/core"
import type { Fields } from "@millrace/core/record"
import {
  type FakeConnection,
  type FakeUpstream,
  type SignIn,
  fakeTime,
  startFakeServer,
  TrueLedger,
  type TrueSecurity
} from "@millrace/testing/upstream"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type DemoConnection, fromInput, toRef } from "../../../src/provider/demo/DemoConnection.ts"
import { at } from "../../../src/provider/demo/Entry.ts"
import { type InstitutionId, institutionOf } from "../../../src/provider/demo/Institutions.ts"
import { loanFields } from "../../../src/provider/demo/LoanMonth.ts"
import { holdingFields, portfolio, tradeFields } from "../../../src/provider/demo/Portfolio.ts"
import {
  accountId,
  accountNumber,
  amount,
  brokerMonths,
  ledger,
  sums,
  world
} from "../../../src/provider/demo/World.ts"

export interface DemoUpstreamOptions {
  readonly institution: InstitutionId
  /** Opening balances, by the slug of the account. */
  readonly openings: Readonly<Record<string, string>>
}

const seed = "suite"

const decimal = (value: unknown): Decimal.Decimal => (Decimal.is(value) ? value : Decimal.zero)

const securityOf = (fields: Fields, currency: TrueSecurity["currency"]): TrueSecurity => ({
  id: String(fields["securityId"]),
  name: String(fields["securityName"]),
  kind: fields["isCashEquivalent"] === true ? "cash" : "equity",
  currency
})

/** All that the bank holds now. */
const ledgerOf = (
  connection: DemoConnection,
  openings: DemoUpstreamOptions["openings"],
  now: () => number
): TrueLedger => {
  const here = world(seed, connection, now())
  const { bankType, countryCodes, name } = institutionOf(connection.institution)
  const truth = new TrueLedger({
    institution: { id: connection.institution, name, countryCode: countryCodes[0]!, bankType, status: "ok" },
    accounts: here.accounts.map((account) => ({
      key: account.slug,
      id: accountId(here, account),
      number: accountNumber(here, account),
      name: account.name,
      type: account.type,
      currency: account.currency,
      opening: Decimal.make(openings[account.slug]!),
      ...(account.creditLimit === undefined ? {} : { creditLimit: amount(account, account.creditLimit) }),
      supports: account.supports
    })),
    now
  })
  const entries = ledger(here)
  for (const account of here.accounts) {
    const own = entries.get(account.slug) ?? []
    for (const entry of account.supports.includes("transactions") ? own : []) {
      const posting = at(entry, here.now)
      if (posting === undefined) continue
      truth.post({
        account: account.slug,
        id: entry.id,
        date: posting.date,
        pending: entry.pending,
        amount: amount(account, posting.units),
        description: posting.text
      })
    }
    if (account.supports.includes("loans")) {
      const owed = account.opening + sums(here, account, own).posted
      const fields = loanFields(here.key, account, here.firstMonth, owed, here.now)
      if (fields !== undefined) {
        truth.loans.set(account.slug, {
          account: account.slug,
          kind: "other",
          principal: decimal(fields["principalBalance"]),
          ratePercent: Decimal.zero,
          isOverdue: false
        })
      }
    }
    if (!account.supports.includes("holdings")) continue
    const held = portfolio(account, brokerMonths(here), here.now)
    for (const trade of held.trades) {
      const fields = tradeFields(account, trade)
      truth.trade({
        account: account.slug,
        date: fields["date"] as never,
        type: "buy",
        amount: decimal(fields["amount"]),
        fees: Decimal.zero,
        description: trade.description
      })
    }
    truth.holdings.set(
      account.slug,
      holdingFields(account, held, here.now).map((fields) => ({
        account: account.slug,
        security: securityOf(fields, account.currency),
        quantity: decimal(fields["quantity"]),
        price: decimal(fields["currentPrice"]),
        value: decimal(fields["currentValue"]),
        asOf: here.now
      }))
    )
    for (const order of held.orders) {
      truth.order({
        account: account.slug,
        security: { ...order.security, kind: "equity", currency: account.currency } as never,
        action: "BUY",
        type: "LIMIT",
        timeInForce: "GTC",
        quantity: Decimal.zero,
        filled: Decimal.zero
      })
    }
  }
  return truth
}

/** A world of its own for each person. */
export const demoUpstream = Effect.fnUntraced(function* ({ institution, openings }: DemoUpstreamOptions) {
  const { now } = yield* fakeTime
  const server = yield* startFakeServer(() => {
    const unasked = { status: 500, body: "the demo bank is asked nothing" }
    return { about: () => ({ endpoint: "none" }), answer: () => unasked, refuse: () => unasked, enumKeys: new Set() }
  })
  const connections: Array<FakeConnection> = []
  const connectionOf = ({ person = "ada" }: SignIn = {}): DemoConnection =>
    Result.getOrThrow(fromInput(person, institution, now()))
  const { bankType, countryCodes, name } = institutionOf(institution)
  return {
    kind: "demo",
    isOffline: true,
    config: { seed },
    secrets: [],
    server,
    institutions: [{ id: institution, name, countryCode: countryCodes[0]!, bankType, status: "ok" }],
    ledger: (who) => ledgerOf(connectionOf(who), openings, now),
    connections,
    signIn: (_, who) => {
      const connection = connectionOf(who)
      const ref = toRef(connection)
      if (!connections.some((one) => one.ref === ref)) {
        connections.push({
          ref,
          institution: ledgerOf(connection, openings, now).institution,
          get ledger() {
            return ledgerOf(connection, openings, now)
          },
          isRevoked: false,
          secrets: []
        })
      }
      return { kind: "provider_connection_id", connectionId: connection.text, institutionId: institution }
    },
    refused: (_, how) =>
      how === "malformed"
        ? { kind: "provider_connection_id", connectionId: "demo:of-nothing", institutionId: institution }
        : how === "otherKind"
          ? { kind: "plaid_public_token", publicToken: "public-sandbox-1" }
          : // Every text is a person of the demo bank.
            undefined,
    repair: () => ({ kind: "provider_connection_id", connectionId: "ada", institutionId: institution }),
    unknown: () => ({ ref: "v1.demo-elsewhere.normal..", secrets: {} }),
    break: () => undefined,
    mend: () => undefined,
    breakages: []
  } satisfies FakeUpstream
})
