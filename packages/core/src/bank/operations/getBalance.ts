import * as Effect from "effect/Effect"
import { operation } from "../../operation/Definition.ts"
import { exampleTime, namedExample, ownerExample } from "../../operation/Examples.ts"
import { freshness, freshnessOf } from "../../operation/Freshness.ts"
import { record } from "../../operation/Success.ts"
import { AccountData } from "../../usecase/AccountData.ts"
import { cached, refOf } from "./AccountRecord.ts"
import { recordToWire, schemaOf } from "./DataRecords.ts"
import { readThrough, exampleFreshness } from "./Examples.ts"

const Balance = schemaOf("balances", "Balance")

const balanceExample = {
  date: exampleTime,
  bank: "Demo National Bank",
  ...namedExample,
  ...ownerExample,
  amount: 1842.17,
  availableBalance: 1793.62,
  limit: null,
  currency: "EUR",
  current: 1842.17,
  available: 1793.62,
  asOf: exampleTime
}

export const getBalance = operation({
  noun: "accounts",
  id: "getBalance",
  get: "/v1/banks/:bank_id/accounts/:account_id/balances",
  summary: "Get the latest balance",
  description: `Returns the latest balance; a debt is negative. ${readThrough}`,
  access: { anyOf: ["banks:read"], role: "viewer" },
  repeats: "read",
  command: "accounts balance",
  tool: "get_balance",
  query: { cached },
  success: record(Balance, { meta: freshness }),
  errors: ["Conflict"],
  example: { data: balanceExample, meta: exampleFreshness },
  run: ({ caller, ids, query }) =>
    Effect.gen(function* () {
      const data = yield* AccountData
      const answer = yield* data.balance(caller, refOf(ids), query)
      return { data: recordToWire("balances", answer.row), meta: freshnessOf(answer) }
    })
})
