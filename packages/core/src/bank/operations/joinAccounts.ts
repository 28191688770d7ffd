import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { audits, operation } from "../../operation/Definition.ts"
import { exampleIds } from "../../operation/Examples.ts"
import { Text } from "../../operation/Parameters.ts"
import { record } from "../../operation/Success.ts"
import { AccountJoins } from "../../usecase/AccountJoins.ts"
import type { AccountId } from "../Account.ts"
import { AccountJoinRecord, joinToWire, refOf } from "./AccountJoinRecord.ts"
import { AccountRecord, accountToWire } from "./AccountRecord.ts"
import { accountExample, accountJoinExample } from "./Examples.ts"

const JoinedRecord = Schema.Struct({ account: AccountRecord, join: AccountJoinRecord }).annotate({
  identifier: "JoinedAccount"
})

export const joinAccounts = operation({
  noun: "joins",
  id: "joinAccounts",
  post: "/v1/banks/:bank_id/accounts/:account_id/join",
  summary: "Make one account out of two: one that came back under a new id, and the one that it was",
  description:
    "Makes one account out of two. The older one goes on with everything that refers to it, and is read where the " +
    "younger one was; records that both have become one, feeds and enrichments that named either name it, and what people wrote " +
    "stays. Refused for another currency or type, and while one of the two banks is read.",
  access: { anyOf: ["banks:write"], role: "editor", app: "own" },
  repeats: "key",
  command: "accounts join",
  tool: { absent: "A person decides which accounts are the same." },
  body: Schema.Struct({
    accountId: Text.annotate({ description: "The other account, of this or another bank of the workspace." })
  }),
  success: record(JoinedRecord),
  example: {
    body: { accountId: exampleIds.otherAccount },
    data: { account: accountExample, join: accountJoinExample }
  },
  audits: audits(AccountJoins, "join"),
  run: ({ caller, ids, body }) =>
    AccountJoins.use((accounts) =>
      Effect.map(accounts.join(caller, refOf(ids), body.accountId as AccountId), ({ account, bank, join }) => ({
        account: accountToWire(bank)(account),
        join: joinToWire(join)
      }))
    )
})
