import * as Effect from "effect/Effect"
import { operation } from "../../operation/Definition.ts"
import { freshList, freshnessOf } from "../../operation/Freshness.ts"
import { list } from "../../operation/Success.ts"
import { AccountData } from "../../usecase/AccountData.ts"
import { AccountRecord, accountToWire } from "./AccountRecord.ts"
import { accountExample, exampleFreshness, readThrough } from "./Examples.ts"

export const listAccounts = operation({
  noun: "accounts",
  id: "listAccounts",
  get: "/v1/banks/:bank_id/accounts",
  summary: "List the accounts of a bank",
  description: `Lists the accounts of a bank with their balances, oldest first. ${readThrough}`,
  access: { anyOf: ["banks:read"], role: "viewer" },
  repeats: "read",
  command: "accounts list",
  tool: "list_accounts",
  success: list(AccountRecord, { meta: freshList }),
  errors: ["Conflict"],
  example: { data: accountExample, meta: exampleFreshness },
  run: ({ caller, ids }) =>
    Effect.gen(function* () {
      const data = yield* AccountData
      const answer = yield* data.accounts(caller, ids.bank)
      return { rows: answer.rows.map(accountToWire(answer.bank)), meta: freshnessOf(answer) }
    })
})
