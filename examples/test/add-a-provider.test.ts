import { expect, it } from "@effect/vitest"
import { NodeDigest } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { ProtocolViolation } from "@millrace/core/provider"
import { CalendarDate, Decimal } from "@millrace/core"
import { eachCall } from "@millrace/testing/fake"
import { type ProviderSuiteOptions, suite } from "@millrace/testing/suite/provider"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Outbound } from "@millrace/core/outbound"
import * as Layer from "effect/Layer"
import { listbank } from "../add-a-provider.ts"
import { outbound, serve } from "../LocalUpstream.ts"
import { program } from "../run-a-provider.ts"

interface Row {
  readonly id: string
  readonly date: string
  readonly text: string
  readonly amount: string
}

const account = (id: string, rows: ReadonlyArray<Row>) => ({
  id,
  name: `Account ${id}`,
  currency: "EUR",
  balance: Decimal.sum(rows.map(({ amount }) => Decimal.make(amount))),
  historyFrom: "2026-08-01",
  rows
})

const salary = { id: "1", date: "2026-08-03", text: "Salary", amount: "2100.00" }
const bakery = { id: "2", date: "2026-11-06", text: "Bakery", amount: "-4.80" }
const rent = { id: "3", date: "2026-11-09", text: "Rent", amount: "-950.00" }

/** The main account as it becomes: a row is added, one of an earlier day arrives late, one is corrected, one goes. */
const months: ReadonlyArray<ReadonlyArray<Row>> = [
  [salary, bakery],
  [salary, bakery, rent],
  [salary, { id: "4", date: "2026-11-01", text: "Café", amount: "-0.10" }, bakery, rent],
  [salary, { ...bakery, amount: "-5.80" }, rent],
  [bakery, rent]
]

const token = Redacted.make("s3cret")

const driverAt = Effect.fnUntraced(function* (url: string) {
  const client = yield* outbound
  return yield* Effect.provideService(
    listbank.make({ instanceId: "listbank:main", config: { url, token } }),
    Outbound,
    client
  )
})

const make: ProviderSuiteOptions["make"] = Effect.gen(function* () {
  let rows = months[0]!
  const savings = [{ id: "1", date: "2026-10-30", text: "Interest", amount: "0.07" }]
  const url = yield* serve(({ authorization }) =>
    authorization === "Bearer s3cret"
      ? [200, { accounts: [account("DE-1", rows), account("DE-2", savings)] }]
      : [401, { error: "who is this?" }]
  )
  return {
    driver: yield* driverAt(url),
    payload: { kind: "provider_connection_id", connectionId: "example" },
    refusedPayload: { kind: "provider_connection_id", connectionId: "elsewhere" },
    unknown: { ref: "elsewhere", secrets: {} },
    from: CalendarDate.make("2026-01-01"),
    advance: (move) => Effect.sync(() => (rows = months[move + 1] ?? rows)),
    truth: new Map([
      ["DE-1", { opening: Decimal.zero, posted: Decimal.make("2095.2") }],
      ["DE-2", { opening: Decimal.zero, posted: Decimal.make("0.07") }]
    ])
  }
})

const storage = Layer.merge(MemoryStorage.layer, NodeDigest.layer)

suite("add a provider", { make, storage, dataTypes: ["transactions"], moves: months.length - 1 })

it.live("add a provider: an answer of another form is an error that says where, never an empty list", () =>
  Effect.gen(function* () {
    const connection = { ref: "example", secrets: {} }
    const answers: ReadonlyArray<readonly [answer: unknown, path: string]> = [
      [null, ""],
      [{}, "accounts"],
      [{ accounts: [{ ...account("DE-1", []), balance: "much" }] }, "accounts[0].balance"]
    ]
    for (const [answer, path] of answers) {
      const driver = yield* driverAt(yield* serve(() => [200, answer]))
      const error = yield* Effect.flip(eachCall(driver).listAccounts(connection))
      expect(error).toEqual(
        new ProtocolViolation({ message: "The answer of The list does not have the agreed form", path })
      )
    }
  }).pipe(Effect.scoped)
)

it.live("add a provider: its rows arrive exact and in order", () =>
  Effect.gen(function* () {
    const rows = yield* program
    expect(rows.map(({ values }) => [values["date"], values["amount"], values["description"]])).toEqual([
      ["2026-01-05", "2100", "Salary"],
      ["2026-01-06", "-4.8", "Bakery"],
      ["2026-01-09", "-950", "Rent"]
    ])
  })
)
