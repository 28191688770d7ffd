import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { audits, operation } from "../../operation/Definition.ts"
import { record } from "../../operation/Success.ts"
import { Name } from "../../shared/Name.ts"
import { AccountChanges } from "../../usecase/AccountChanges.ts"
import { AccountRecord, accountToWire, refOf } from "./AccountRecord.ts"
import { accountExample } from "./Examples.ts"

const UpdateAccount = Schema.Struct({
  accountName: Schema.optionalKey(
    Schema.NullOr(Name).annotate({ description: "What you call it. null: what the bank calls it." })
  ),
  signOverride: Schema.optionalKey(
    Schema.Boolean.annotate({
      description:
        "true where the connection shows money that comes in as negative: amounts are flipped, those of before as well. An account with many rows is turned after the answer: signChange tells it. What it is at present takes a change back that is under way."
    })
  )
}).annotate({ identifier: "UpdateAccount" })

export const updateAccount = operation({
  noun: "accounts",
  id: "updateAccount",
  put: "/v1/banks/:bank_id/accounts/:account_id",
  summary: "Change the name of an account, or flip the sign of its amounts",
  description:
    "Changes what you call an account (`null`: what the bank calls it), or flips the sign of its amounts, where the connection " +
    "shows money that comes in as negative. The latter changes all transactions and trades that the connection has shown, " +
    "and those that it shows from now on; what a person said of a record stays, and so do rows of statement files. Feeds " +
    "deliver what follows with their next sync. Refused (409) while the bank is read.",
  access: { anyOf: ["banks:write"], role: "admin" },
  repeats: "inherent",
  command: "accounts update",
  tool: "update_account",
  body: UpdateAccount,
  success: record(AccountRecord),
  errors: ["Conflict"],
  example: {
    body: { accountName: "Household", signOverride: true },
    data: { ...accountExample, accountName: "Household", signOverride: true }
  },
  audits: audits(AccountChanges, "update"),
  run: ({ caller, ids, body }) =>
    AccountChanges.use((changes) =>
      Effect.map(changes.update(caller, refOf(ids), body), ({ bank, row }) => accountToWire(bank)(row))
    )
})
