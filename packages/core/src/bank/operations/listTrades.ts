import * as Effect from "effect/Effect"
import { operation } from "../../operation/Definition.ts"
import { exampleId, ownerExample } from "../../operation/Examples.ts"
import { freshList, freshnessOf } from "../../operation/Freshness.ts"
import { daysFrom, paging } from "../../operation/Parameters.ts"
import { list } from "../../operation/Success.ts"
import { AccountData } from "../../usecase/AccountData.ts"
import { cached, refOf } from "./AccountRecord.ts"
import { schemaOf } from "./DataRecords.ts"
import { exampleFreshness, readThrough } from "./Examples.ts"

const Trade = schemaOf("trades", "Trade")

const tradeExample = {
  id: exampleId("trd"),
  ...ownerExample,
  date: "2026-03-02",
  type: "buy",
  securityName: "World Index Fund",
  securityId: "IE00B4L5Y983",
  ticker: "WLD",
  quantity: 3.25,
  price: 96.4,
  amount: -313.3,
  currency: "EUR"
}

export const listTrades = operation({
  noun: "accounts",
  id: "listTrades",
  get: "/v1/banks/:bank_id/accounts/:account_id/trades",
  summary: "List trades",
  description: `Lists trades, newest first, of the last 90 days unless \`from\` says otherwise. ${readThrough}`,
  access: { anyOf: ["banks:read"], role: "viewer" },
  repeats: "read",
  command: "accounts trades",
  tool: "get_trades",
  query: {
    ...daysFrom("First day, inclusive; 90 days ago unless given", "Last day, inclusive; today unless given"),
    ...paging,
    cached
  },
  success: list(Trade, { meta: freshList }),
  errors: ["Conflict"],
  example: { data: tradeExample, meta: exampleFreshness },
  run: ({ caller, ids, query }) =>
    Effect.gen(function* () {
      const data = yield* AccountData
      const page = yield* data.trades(caller, refOf(ids), query)
      return { ...page, meta: { ...freshnessOf(page), window: page.window } }
    })
})
