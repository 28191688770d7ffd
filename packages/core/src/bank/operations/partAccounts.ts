import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { audits, operation } from "../../operation/Definition.ts"
import { exampleIds } from "../../operation/Examples.ts"
import { record } from "../../operation/Success.ts"
import { AccountJoins } from "../../usecase/AccountJoins.ts"
import { refOf } from "./AccountJoinRecord.ts"
import { AccountRecord, accountToWire } from "./AccountRecord.ts"
import { accountExample } from "./Examples.ts"

const PartedRecord = Schema.Struct({ accounts: Schema.Array(AccountRecord) }).annotate({
  identifier: "PartedAccounts"
})

export const partAccounts = operation({
  noun: "joins",
  id: "partAccounts",
  post: "/v1/banks/:bank_id/accounts/:account_id/part",
  summary: "Take back the latest join of an account",
  description:
    "Takes back the latest join: both accounts are as they were. What arrived since belongs to the account whose " +
    "upstream it came from. Enrichments that somebody changed meanwhile are left as they are: `meta.warnings` names them.",
  access: { anyOf: ["banks:write"], role: "editor", app: "own" },
  repeats: "key",
  command: "accounts part",
  tool: { absent: "A person decides which accounts are the same." },
  success: record(PartedRecord, { meta: { warnings: Schema.Array(Schema.String) } }),
  example: {
    data: {
      accounts: [accountExample, { ...accountExample, id: exampleIds.otherAccount, accountName: "Everyday account" }]
    },
    meta: { warnings: [] }
  },
  audits: audits(AccountJoins, "part"),
  run: ({ caller, ids }) =>
    AccountJoins.use((accounts) =>
      Effect.map(accounts.part(caller, refOf(ids)), ({ accounts: parted, left }) => ({
        data: { accounts: parted.map(({ account, bank }) => accountToWire(bank)(account)) },
        meta: {
          warnings: left.map(
            ({ id, name }) => `The enrichment "${name}" (${id}) was changed meanwhile: it names the older account still`
          )
        }
      }))
    )
})
