import * as Schema from "effect/Schema"
import { ActorRef } from "../../access/ActorRef.ts"
import type { AccountRef } from "../../bank/Account.ts"
import { Transaction, recordToWire } from "../../bank/operations/DataRecords.ts"
import { Id } from "../../shared/Ids.ts"
import * as Timestamp from "../../shared/Timestamp.ts"
import type { LedgerRef, MatchView, SuggestionView } from "../IdentityLog.ts"
import { matchStates, type LoggedMatch } from "../LoggedMatch.ts"
import { suggestionStates } from "../LoggedSuggestion.ts"

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

const decisionToWire = ({ decided }: Pick<LoggedMatch, "decided">) => ({
  decidedBy: decided?.by ?? null,
  decidedAt: decided?.at ?? null
})

/** Name every field, so that nothing internal can slip through. */
export const matchToWire = ({ before, match, observed }: MatchView) => ({
  id: match.id,
  accountId: match.accountId,
  recordId: match.recordId,
  separateId: match.separateId ?? null,
  state: match.state,
  secondSource: match.secondSource ?? false,
  evidence: match.evidence,
  before: recordToWire("transactions", before),
  observed: recordToWire("transactions", observed),
  jobId: match.jobId ?? null,
  createdAt: match.at,
  ...decisionToWire(match)
})

export const suggestionToWire = ({ observed, record, suggestion }: SuggestionView) => ({
  id: suggestion.id,
  accountId: suggestion.accountId,
  recordId: suggestion.recordId,
  observedId: suggestion.observedId,
  state: suggestion.state,
  evidence: suggestion.evidence,
  record: recordToWire("transactions", record),
  observed: recordToWire("transactions", observed),
  jobId: suggestion.jobId ?? null,
  createdAt: suggestion.at,
  ...decisionToWire(suggestion)
})

export const refOf = (ids: {
  readonly bank: AccountRef["bankId"]
  readonly account: AccountRef["accountId"]
}): LedgerRef => ({
  bankId: ids.bank,
  accountId: ids.account,
  dataType: "transactions"
})

export const matched = (view: MatchView) => matchToWire(view)

export const suggested = (view: SuggestionView) => suggestionToWire(view)
