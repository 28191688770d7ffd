import * as Effect from "effect/Effect"
import { operation } from "../../operation/Definition.ts"
import { exampleId, exampleTime, ownerExample } from "../../operation/Examples.ts"
import { freshList, freshnessOf } from "../../operation/Freshness.ts"
import { list } from "../../operation/Success.ts"
import { AccountData } from "../../usecase/AccountData.ts"
import { cached, refOf } from "./AccountRecord.ts"
import { schemaOf } from "./DataRecords.ts"
import { exampleFreshness, readThrough } from "./Examples.ts"

const Holding = schemaOf("holdings", "Holding")

const holdingExample = {
  id: exampleId("hld"),
  ...ownerExample,
  securityName: "World Index Fund",
  securityId: "IE00B4L5Y983",
  ticker: "WLD",
  quantity: 41.5,
  costBasis: 3612.4,
  currentValue: 4000.6,
  currentPrice: 96.4,
  currency: "EUR",
  isCashEquivalent: false,
  asOf: exampleTime
}

export const listHoldings = operation({
  noun: "accounts",
  id: "listHoldings",
  get: "/v1/banks/:bank_id/accounts/:account_id/holdings",
  summary: "List investment holdings",
  description: `Lists what an investment account holds now, the most valuable first. ${readThrough}`,
  access: { anyOf: ["banks:read"], role: "viewer" },
  repeats: "read",
  command: "accounts holdings",
  tool: "get_holdings",
  query: { cached },
  success: list(Holding, { meta: freshList }),
  errors: ["Conflict"],
  example: { data: holdingExample, meta: exampleFreshness },
  run: ({ caller, ids, query }) =>
    Effect.gen(function* () {
      const data = yield* AccountData
      const answer = yield* data.holdings(caller, refOf(ids), query)
      return { rows: answer.rows, meta: freshnessOf(answer) }
    })
})
