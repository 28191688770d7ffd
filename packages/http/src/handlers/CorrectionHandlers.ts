import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { actorOf } from "@millrace/core/access/Principal"
import { Corrections } from "@millrace/core/identity/Corrections"
import type { LedgerRef, MatchView, SuggestionView } from "@millrace/core/identity/IdentityLog"
import type { LoggedMatch } from "@millrace/core/identity/LoggedMatch"
import { Api } from "../api/Api.ts"
import { toWire as recordToWire } from "../api/DataRecords.ts"
import { deleted, many, one } from "../api/Envelope.ts"
import { answering } from "../errors.ts"
import { principal, target, workspace } from "../middleware/CurrentRequest.ts"
import { identified } from "./Identified.ts"

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

const ofAccount = Effect.fnUntraced(function* (params: { readonly bank_id: string; readonly account_id: string }) {
  const ref: LedgerRef = {
    workspace: yield* workspace,
    bankId: yield* identified("bank", params.bank_id),
    accountId: yield* identified("account", params.account_id),
    dataType: "transactions"
  }
  return ref
})

const actor = Effect.map(principal, actorOf)

export const layer = HttpApiBuilder.group(
  Api,
  "corrections",
  Effect.fnUntraced(function* (handlers) {
    const corrections = yield* Corrections
    return handlers
      .handle("listMatches", ({ params, query }) =>
        answering(
          Effect.gen(function* () {
            const page = yield* corrections.matches(yield* ofAccount(params), query)
            return many(yield* target, page.rows.map(matchToWire), page)
          })
        )
      )
      .handle("undoMatch", ({ params }) =>
        answering(
          Effect.gen(function* () {
            const ref = yield* ofAccount(params)
            const id = yield* identified("match", params.match_id)
            return one(matchToWire(yield* corrections.undo(yield* actor, ref, id)))
          })
        )
      )
      .handle("redoMatch", ({ params }) =>
        answering(
          Effect.gen(function* () {
            const ref = yield* ofAccount(params)
            const id = yield* identified("match", params.match_id)
            return one(matchToWire(yield* corrections.redo(yield* actor, ref, id)))
          })
        )
      )
      .handle("listSuggestions", ({ params, query }) =>
        answering(
          Effect.gen(function* () {
            const page = yield* corrections.suggestions(yield* ofAccount(params), query)
            return many(yield* target, page.rows.map(suggestionToWire), page)
          })
        )
      )
      .handle("acceptSuggestion", ({ params }) =>
        answering(
          Effect.gen(function* () {
            const ref = yield* ofAccount(params)
            const id = yield* identified("suggestion", params.suggestion_id)
            return one(suggestionToWire(yield* corrections.accept(yield* actor, ref, id)))
          })
        )
      )
      .handle("rejectSuggestion", ({ params }) =>
        answering(
          Effect.gen(function* () {
            const ref = yield* ofAccount(params)
            const id = yield* identified("suggestion", params.suggestion_id)
            return one(suggestionToWire(yield* corrections.reject(yield* actor, ref, id)))
          })
        )
      )
      .handle("deleteTransaction", ({ params }) =>
        answering(
          Effect.gen(function* () {
            const ref = yield* ofAccount(params)
            const id = yield* identified("transaction", params.transaction_id)
            yield* corrections.remove(yield* actor, ref, id)
            return deleted
          })
        )
      )
      .handle("restoreTransaction", ({ params }) =>
        answering(
          Effect.gen(function* () {
            const ref = yield* ofAccount(params)
            const id = yield* identified("transaction", params.transaction_id)
            return one(recordToWire("transactions", yield* corrections.restore(yield* actor, ref, id)))
          })
        )
      )
  })
)
