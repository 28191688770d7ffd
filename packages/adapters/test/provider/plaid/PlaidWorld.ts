/** A driver of Plaid that asks the fake one, and what tests do with both. */
import { OutboundClient, privateHosts } from "@millrace/adapters"
import { CalendarDate } from "@millrace/core"
import { Outbound, type OutboundResponse } from "@millrace/core/outbound"
import type { Connection, ObservedRecord, ProviderDriver, PullRequest } from "@millrace/core/provider"
import { beginOf, completeOf, keptIn } from "@millrace/testing/fake"
import type { PlaidFake, PlaidFakeOptions, SignIn, TrueLedger, TrueRow } from "@millrace/testing/upstream"
import { startPlaid } from "@millrace/testing/upstream"
import { type Model, applied, run } from "@millrace/testing/suite/provider"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { factory } from "../../../src/provider/plaid/PlaidProvider.ts"

/** The driver as an instance of the fake's settings makes it. */
export const driverOf = (fake: PlaidFake, outbound: Outbound["Service"], more: object = {}) => {
  const { secret, ...config } = fake.config
  return Effect.provideService(
    factory.make({
      instanceId: "plaid:us",
      config: { ...config, environment: "sandbox", secret: Redacted.make(secret), ...more }
    }),
    Outbound,
    outbound
  )
}

export const start = Effect.fnUntraced(function* (options: PlaidFakeOptions = {}, more: object = {}) {
  const fake = yield* startPlaid(options)
  const client = yield* OutboundClient.make({ privateHosts: Result.getOrThrow(privateHosts(["127.0.0.1"])) })
  return { fake, driver: yield* driverOf(fake, client, more) }
})

/** A person connects a bank. */
export const connect = Effect.fnUntraced(function* (fake: PlaidFake, driver: ProviderDriver, who: SignIn = {}) {
  const attemptSecrets: Record<string, string> = {}
  const step = yield* driver.beginConnect(beginOf({ keepAttempt: keptIn(attemptSecrets) }))
  const payload = fake.signIn(step, who)
  const completed = yield* driver.completeConnect(completeOf(payload, { attemptSecrets }))
  return { ...completed, step, attemptSecrets, payload, ledger: fake.ledger(who) }
})

export const everything = (
  dataType: PullRequest["dataType"],
  accounts: ReadonlyArray<string>,
  more: Partial<PullRequest> = {}
): PullRequest => ({
  dataType,
  providerAccountIds: accounts,
  from: CalendarDate.make("2024-01-01"),
  to: CalendarDate.make("2027-01-01"),
  ...more
})

/** One whole run, applied to what a reader has. */
export const read = Effect.fnUntraced(function* (
  driver: ProviderDriver,
  connection: Connection,
  request: PullRequest,
  model: Model
) {
  const answer = yield* run(driver, connection, request)
  return { answer, model: applied(request.checkpoint === undefined ? new Map() : model, answer) }
})

interface Shown {
  readonly id: string
  readonly account: string
  readonly pending: boolean
  readonly date: unknown
  readonly amount: unknown
  readonly text: unknown
}

const byId = (a: Shown, b: Shown): number => (a.id < b.id ? -1 : 1)

export const shownOf = (rows: Iterable<ObservedRecord>): ReadonlyArray<Shown> =>
  Array.from(rows, ({ fields, pending, providerAccountId, providerId }) => ({
    id: providerId,
    account: providerAccountId,
    pending,
    date: fields["date"],
    amount: fields["amount"],
    text: fields["originalDescription"]
  })).toSorted(byId)

/** The same of the truth. */
export const truthOf = (ledger: TrueLedger, idOf: (id: string) => string): ReadonlyArray<Shown> =>
  ledger
    .shown()
    .map((row: TrueRow) => ({
      id: idOf(row.id),
      account: idOf(ledger.account(row.account).id),
      pending: row.pending,
      date: row.date,
      amount: row.amount,
      text: row.description
    }))
    .toSorted(byId)

/** A client that asks the fake without a network, and changes its answers: for what is asked thousands of times. */
export const directly = (fake: PlaidFake, change: (text: string, path: string) => string): Outbound["Service"] => ({
  request: ({ body = "", headers = {}, url }) =>
    Effect.sync((): OutboundResponse => {
      const path = new URL(url).pathname
      const text = typeof body === "string" ? body : new TextDecoder().decode(body)
      const plain = Object.entries(headers).map(([name, value]) => [
        name,
        Redacted.isRedacted(value) ? String(Redacted.value(value)) : value
      ])
      const asked = {
        at: 0,
        method: "POST",
        path,
        query: new URLSearchParams(),
        rawQuery: "",
        headers: Object.fromEntries(plain) as Record<string, string>,
        body: text,
        rawBody: new TextEncoder().encode(text),
        endpoint: path
      }
      const answer = fake.answer(asked)
      return {
        status: answer.status,
        headers: {},
        body: new TextEncoder().encode(change(JSON.stringify(answer.body), path))
      }
    })
})
