import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { operation } from "../../operation/Definition.ts"
import { exampleIds } from "../../operation/Examples.ts"
import { record } from "../../operation/Success.ts"
import { Id } from "../../shared/Ids.ts"
import { AccountJoins } from "../../usecase/AccountJoins.ts"
import { joinEvidence } from "../JoinSuggestions.ts"
import { AccountJoinRecord, joinToWire, refOf } from "./AccountJoinRecord.ts"
import { accountJoinExample } from "./Examples.ts"

const JoinSuggestionRecord = Schema.Struct({
  bankId: Id("bank"),
  accountId: Id("account"),
  evidence: Schema.Array(Schema.Literals(joinEvidence)).annotate({ description: "In what the two accounts agree." })
}).annotate({ identifier: "AccountJoinSuggestion" })

const AccountJoinsRecord = Schema.Struct({
  joins: Schema.Array(AccountJoinRecord).annotate({ description: "Newest first; the first one can be taken back." }),
  suggestions: Schema.Array(JoinSuggestionRecord).annotate({
    description: "Accounts that may be the same one. Nothing is done before a person says so."
  })
}).annotate({ identifier: "AccountJoins" })

const accountJoinsExample = {
  joins: [accountJoinExample],
  suggestions: [
    {
      bankId: exampleIds.bank,
      accountId: exampleIds.otherAccount,
      evidence: ["institution", "currency", "type", "number", "name"]
    }
  ]
}

export const listAccountJoins = operation({
  noun: "joins",
  id: "listAccountJoins",
  get: "/v1/banks/:bank_id/accounts/:account_id/joins",
  summary: "List what became part of an account, and which accounts may be the same one",
  description:
    "Lists the accounts that became part of this one, and accounts that may be the same one, each with what speaks " +
    "for it. An account that comes back under a new id is known again by keys that its bank keeps; where there are " +
    "none, it is a person who can tell.",
  access: { anyOf: ["banks:read"], role: "viewer", app: "own" },
  repeats: "read",
  command: "accounts joins",
  tool: "list_account_joins",
  success: record(AccountJoinsRecord),
  errors: ["Conflict"],
  example: { data: accountJoinsExample },
  run: ({ caller, ids }) =>
    AccountJoins.use((accounts) =>
      Effect.map(accounts.list(caller, refOf(ids)), ({ joins, suggestions }) => ({
        joins: joins.map(joinToWire),
        suggestions
      }))
    )
})
