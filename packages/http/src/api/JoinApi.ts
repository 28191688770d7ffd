/** What people decide about which accounts are the same (decisions 12). */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { ActorRef } from "@millrace/core/access"
import { joinEvidence } from "@millrace/core/bank"
import { Id, Timestamp } from "@millrace/core"
import { AccountRecord } from "./AccountApi.ts"
import { ofBody, ofPath, StateConflict, Unprocessable } from "./ApiError.ts"
import { One, OneWith } from "./Envelope.ts"
import { Text } from "./Parameters.ts"

export const AccountJoinRecord = Schema.Struct({
  id: Id("accountJoin"),
  accountId: Id("account").annotate({ description: "The older account, which goes on." }),
  joinedId: Id("account").annotate({ description: "The younger account, which is part of it." }),
  matched: Schema.Int.annotate({ description: "Records that both accounts had, and that became one." }),
  suggested: Schema.Int.annotate({
    description: "Pairs that are not certain, or that people wrote on in both accounts: `listSuggestions` lists them."
  }),
  createdBy: ActorRef,
  createdAt: Timestamp.Timestamp
}).annotate({ identifier: "AccountJoin" })

export const JoinSuggestionRecord = Schema.Struct({
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

const JoinedRecord = Schema.Struct({ account: AccountRecord, join: AccountJoinRecord }).annotate({
  identifier: "JoinedAccount"
})

const PartedRecord = Schema.Struct({ accounts: Schema.Array(AccountRecord) }).annotate({
  identifier: "PartedAccounts"
})

const path = "/v1/banks/:bank_id/accounts/:account_id"
const params = { bank_id: Schema.String, account_id: Schema.String }

export const JoinApi = HttpApiGroup.make("joins", { topLevel: true }).add(
  HttpApiEndpoint.get("listAccountJoins", `${path}/joins`, {
    params,
    success: One(AccountJoinsRecord),
    error: [...ofPath, StateConflict]
  }),
  HttpApiEndpoint.post("joinAccounts", `${path}/join`, {
    params,
    payload: Schema.Struct({
      accountId: Text.annotate({ description: "The other account, of this or another bank of the workspace." })
    }),
    success: One(JoinedRecord),
    error: [...ofPath, ...ofBody, StateConflict, Unprocessable]
  }),
  HttpApiEndpoint.post("partAccounts", `${path}/part`, {
    params,
    success: OneWith(PartedRecord, Schema.Struct({ warnings: Schema.Array(Schema.String) })),
    error: [...ofPath, StateConflict, Unprocessable]
  })
)
