import * as Effect from "effect/Effect"
import { operation } from "../../operation/Definition.ts"
import { exampleId, exampleTime, ownerExample } from "../../operation/Examples.ts"
import { freshList, freshnessOf } from "../../operation/Freshness.ts"
import { list } from "../../operation/Success.ts"
import { AccountData } from "../../usecase/AccountData.ts"
import { cached, refOf } from "./AccountRecord.ts"
import { schemaOf } from "./DataRecords.ts"
import { exampleFreshness, readThrough } from "./Examples.ts"

const Order = schemaOf("orders", "Order")

const orderExample = {
  id: exampleId("ord"),
  brokerageOrderId: "A-1042",
  date: exampleTime,
  status: "PENDING",
  action: "BUY",
  orderType: "LIMIT",
  timeInForce: "DAY",
  totalQuantity: 10,
  filledQuantity: 0,
  openQuantity: 10,
  canceledQuantity: 0,
  limitPrice: 95,
  stopPrice: null,
  trailingStop: null,
  executionPrice: null,
  currency: "EUR",
  security: "World Index Fund",
  ticker: "WLD",
  bank: "Demo Broker",
  ...ownerExample,
  executedAt: null,
  expiresAt: null
}

export const listOrders = operation({
  noun: "accounts",
  id: "listOrders",
  get: "/v1/banks/:bank_id/accounts/:account_id/orders",
  summary: "List open orders",
  description: `Lists open orders, newest first. Executed ones are trades. ${readThrough}`,
  access: { anyOf: ["banks:read"], role: "viewer" },
  repeats: "read",
  command: "accounts orders",
  tool: "get_orders",
  query: { cached },
  success: list(Order, { meta: freshList }),
  errors: ["Conflict"],
  example: { data: orderExample, meta: exampleFreshness },
  run: ({ caller, ids, query }) =>
    Effect.gen(function* () {
      const data = yield* AccountData
      const answer = yield* data.orders(caller, refOf(ids), query)
      return { rows: answer.rows, meta: freshnessOf(answer) }
    })
})
