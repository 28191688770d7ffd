/** What people decide about which transactions are the same: matches, suggestions, the deleted and the removed. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { ActorRef } from "@millrace/core/access"
import { matchStates, suggestionStates } from "@millrace/core/identity"
import { Id, Timestamp } from "@millrace/core"
import { ofPath, StateConflict, Unprocessable } from "./ApiError.ts"
import { Transaction } from "./DataRecords.ts"
import { Deleted, Many, One } from "./Envelope.ts"
import { paging, Text } from "./Parameters.ts"

const Evidence = Schema.Struct({
  tier: Schema.Literals(["link", "id", "equal", "cost"]).annotate({
    description: "link: the bank says so; id: by the upstream's id; equal: equal content; cost: by likeness."
  }),
  cost: Schema.optionalKey(Schema.Int.annotate({ description: "Points: 0 is certain, above 1000 is never matched." })),
  parts: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Int).annotate({ description: "What the points are for." })
  ),
  margin: Schema.optionalKey(
    Schema.Int.annotate({ description: "Points by which the next best way to match everything is worse." })
  ),
  approximate: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "There was too much alike to try every way." })
  )
}).annotate({ identifier: "MatchEvidence" })

const decision = {
  decidedBy: Schema.NullOr(ActorRef),
  decidedAt: Schema.NullOr(Timestamp.Timestamp)
}

export const MatchRecord = Schema.Struct({
  id: Id("match"),
  accountId: Id("account"),
  recordId: Schema.String.annotate({ description: "The transaction that went on." }),
  separateId: Schema.NullOr(Schema.String).annotate({
    description: "The transaction that was observed has, or had, as one of its own."
  }),
  state: Schema.Literals(matchStates),
  secondSource: Schema.Boolean.annotate({
    description: "The observation came from another source, such as a file: the transaction kept what it said."
  }),
  evidence: Evidence,
  before: Transaction,
  observed: Transaction,
  jobId: Schema.NullOr(Id("job")),
  createdAt: Timestamp.Timestamp,
  ...decision
}).annotate({ identifier: "Match" })

export const SuggestionRecord = Schema.Struct({
  id: Id("suggestion"),
  accountId: Id("account"),
  recordId: Schema.String.annotate({ description: "The older transaction, which would go on." }),
  observedId: Schema.String.annotate({ description: "The younger one, which would be part of it." }),
  state: Schema.Literals(suggestionStates),
  evidence: Evidence,
  record: Transaction,
  observed: Transaction,
  jobId: Schema.NullOr(Id("job")),
  createdAt: Timestamp.Timestamp,
  ...decision
}).annotate({ identifier: "MatchSuggestion" })

const path = "/v1/banks/:bank_id/accounts/:account_id"
const ofAccount = { bank_id: Schema.String, account_id: Schema.String }
const ofMatch = { ...ofAccount, match_id: Schema.String }
const ofSuggestion = { ...ofAccount, suggestion_id: Schema.String }
const ofTransaction = { ...ofAccount, transaction_id: Schema.String }
const error = [...ofPath, StateConflict, Unprocessable] as const

export const CorrectionApi = HttpApiGroup.make("corrections", { topLevel: true }).add(
  HttpApiEndpoint.get("listMatches", `${path}/matches`, {
    params: ofAccount,
    query: {
      recordId: Schema.optionalKey(Text),
      state: Schema.optionalKey(Schema.Literals(matchStates)),
      ...paging
    },
    success: Many(MatchRecord),
    error: [...ofPath, StateConflict]
  }),
  HttpApiEndpoint.post("undoMatch", `${path}/matches/:match_id/undo`, {
    params: ofMatch,
    success: One(MatchRecord),
    error
  }),
  HttpApiEndpoint.post("redoMatch", `${path}/matches/:match_id/redo`, {
    params: ofMatch,
    success: One(MatchRecord),
    error
  }),
  HttpApiEndpoint.get("listSuggestions", `${path}/suggestions`, {
    params: ofAccount,
    query: {
      recordId: Schema.optionalKey(Text),
      state: Schema.optionalKey(Schema.Literals(suggestionStates)),
      ...paging
    },
    success: Many(SuggestionRecord),
    error: [...ofPath, StateConflict]
  }),
  HttpApiEndpoint.post("acceptSuggestion", `${path}/suggestions/:suggestion_id/accept`, {
    params: ofSuggestion,
    success: One(SuggestionRecord),
    error
  }),
  HttpApiEndpoint.post("rejectSuggestion", `${path}/suggestions/:suggestion_id/reject`, {
    params: ofSuggestion,
    success: One(SuggestionRecord),
    error
  }),
  HttpApiEndpoint.delete("deleteTransaction", `${path}/transactions/:transaction_id`, {
    params: ofTransaction,
    success: Deleted,
    error
  }),
  HttpApiEndpoint.post("restoreTransaction", `${path}/transactions/:transaction_id/restore`, {
    params: ofTransaction,
    success: One(Transaction),
    error
  })
)
