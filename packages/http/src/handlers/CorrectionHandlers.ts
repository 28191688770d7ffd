import * as Effect from "effect/Effect"
import type { AccountRef } from "@millrace/core/bank"
import { Corrections } from "@millrace/core/kernel"
import type { LedgerRef, LoggedMatch, MatchView, SuggestionView } from "@millrace/core/identity"
import { toWire as recordToWire } from "../api/DataRecords.ts"
import { deleted, many, one } from "../api/Envelope.ts"
import { serve } from "./Serve.ts"

const decision = ({ decided }: Pick<LoggedMatch, "decided">) => ({
  decidedBy: decided?.by ?? null,
  decidedAt: decided?.at ?? null
})

/** Name every field, so that nothing internal can slip through. */
const matchToWire = ({ before, match, observed }: MatchView) => ({
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
  ...decision(match)
})

const suggestionToWire = ({ observed, record, suggestion }: SuggestionView) => ({
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
  ...decision(suggestion)
})

const refOf = (ids: { readonly bank: AccountRef["bankId"]; readonly account: AccountRef["accountId"] }): LedgerRef => ({
  bankId: ids.bank,
  accountId: ids.account,
  dataType: "transactions"
})

const matched = (view: MatchView) => one(matchToWire(view))
const suggested = (view: SuggestionView) => one(suggestionToWire(view))

export const layer = serve(
  "corrections",
  Effect.gen(function* () {
    const corrections = yield* Corrections
    return {
      listMatches: ({ caller, ids, query, self }) =>
        Effect.map(corrections.matches(caller, refOf(ids), query), (page) =>
          many(self, page.rows.map(matchToWire), page)
        ),
      undoMatch: ({ caller, ids }) => Effect.map(corrections.undo(caller, refOf(ids), ids.match), matched),
      redoMatch: ({ caller, ids }) => Effect.map(corrections.redo(caller, refOf(ids), ids.match), matched),
      listSuggestions: ({ caller, ids, query, self }) =>
        Effect.map(corrections.suggestions(caller, refOf(ids), query), (page) =>
          many(self, page.rows.map(suggestionToWire), page)
        ),
      acceptSuggestion: ({ caller, ids }) =>
        Effect.map(corrections.accept(caller, refOf(ids), ids.suggestion), suggested),
      rejectSuggestion: ({ caller, ids }) =>
        Effect.map(corrections.reject(caller, refOf(ids), ids.suggestion), suggested),
      deleteTransaction: ({ caller, ids }) =>
        Effect.as(corrections.remove(caller, refOf(ids), ids.transaction), deleted),
      restoreTransaction: ({ caller, ids }) =>
        Effect.map(corrections.restore(caller, refOf(ids), ids.transaction), (row) =>
          one(recordToWire("transactions", row))
        )
    }
  })
)
