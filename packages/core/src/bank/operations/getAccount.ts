import * as Effect from "effect/Effect"
import { operation } from "../../operation/Definition.ts"
import { freshness, freshnessOf } from "../../operation/Freshness.ts"
import { record } from "../../operation/Success.ts"
import { AccountData } from "../../usecase/AccountData.ts"
import { AccountRecord, accountToWire, refOf } from "./AccountRecord.ts"
import { accountExample, readThrough, exampleFreshness } from "./Examples.ts"

export const getAccount = operation({
  noun: "accounts",
  id: "getAccount",
  get: "/v1/banks/:bank_id/accounts/:account_id",
  summary: "Get an account",
  description: `Returns one account with its balance. ${readThrough}`,
  access: { anyOf: ["banks:read"], role: "viewer" },
  repeats: "read",
  command: "accounts get",
  tool: "get_account",
  success: record(AccountRecord, { meta: freshness }),
  errors: ["Conflict"],
  example: { data: accountExample, meta: exampleFreshness },
  run: ({ caller, ids }) =>
    Effect.gen(function* () {
      const data = yield* AccountData
      const answer = yield* data.account(caller, refOf(ids))
      return { data: accountToWire(answer.bank)(answer.row), meta: freshnessOf(answer) }
    })
})
