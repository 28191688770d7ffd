/**
 * What people decide about the identity of records (enrichments A8 and D1.9): parting what was matched wrongly,
 * joining what was not matched, deleting and bringing back.
 *
 * Every act is one transaction under the lease of the bank, so that none meets a sync that is writing the same
 * account; it is kept with who did it and when, it can be taken back, and it moves change numbers, so that feeds
 * deliver what follows from it, by a local run.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { reach } from "../access/Access.ts"
import type { Caller } from "../access/Caller.ts"
import type { OperationId } from "../access/catalogue.generated.ts"
import { ownerOf, toPublic } from "../bank/PublicRecord.ts"
import { AloneWithBanks } from "../bank/AloneWithBanks.ts"
import { unusableBank } from "../bank/BankRemoval.ts"
import { BankStore } from "../bank/BankStore.ts"
import type { FeedStore } from "../feed/FeedStore.ts"
import { Conflict, NotFound, Unprocessable, type CursorUnusable, type Forbidden } from "../failure/Failure.ts"
import { idKindOf, namesOf } from "../record/DataType.ts"
import type { Fields } from "../record/FieldValue.ts"
import { RecordStore, type RecordScope } from "../record/RecordStore.ts"
import { Cursors } from "../cursor/Cursors.ts"
import { Ids } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import type { Page } from "../shared/Page.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { Leases } from "../storage/Lease.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { Transactor } from "../storage/Transactor.ts"
import { LocalRuns } from "../task/LocalRuns.ts"
import type { TaskStore } from "../task/TaskStore.ts"
import { DecisionLog } from "./DecisionLog.ts"
import {
  IdentityLog,
  matchView,
  type LedgerRef,
  type MatchesQuery,
  type MatchView,
  type Opened,
  type SuggestionsQuery,
  type SuggestionView
} from "./IdentityLog.ts"
import { IdentityStore } from "./IdentityStore.ts"
import { Joining } from "./Joining.ts"
import type { Decided, LoggedMatch, MatchId } from "./LoggedMatch.ts"
import type { LoggedSuggestion, SuggestionId } from "./LoggedSuggestion.ts"
import { unlearn } from "./match/LearntTexts.ts"
import { nameOf, RowReader } from "./match/MatchRow.ts"
import { mayBeTwins } from "./match/ReadingPairs.ts"
import { contentOf } from "./MatchWrites.ts"
import { isSplitOrder } from "./match/SplitOrder.ts"

type ReadError = NotFound | Conflict | Forbidden | StorageUnavailable
type ActError = ReadError | Unprocessable

const refused = (what: string, is: string) =>
  new Conflict({ code: "INVALID_STATE", message: `${what} is ${is}`, details: [] })

export class Corrections extends Context.Service<
  Corrections,
  {
    /** Matches that can be taken back, newest first. */
    readonly matches: (
      caller: Caller,
      ref: LedgerRef,
      query: MatchesQuery
    ) => Effect.Effect<Page<MatchView>, ReadError | CursorUnusable>
    /**
     * Parts a match: what was observed becomes a record of its own, the record gets back what it said before,
     * and the two are never matched again by themselves. Later matches of the observation stay with it.
     */
    readonly undo: (caller: Caller, ref: LedgerRef, id: MatchId) => Effect.Effect<MatchView, ActError>
    /** Takes an undo back: the two are one again, by a match of its own. */
    readonly redo: (caller: Caller, ref: LedgerRef, id: MatchId) => Effect.Effect<MatchView, ActError>
    /** Newest first. */
    readonly suggestions: (
      caller: Caller,
      ref: LedgerRef,
      query: SuggestionsQuery
    ) => Effect.Effect<Page<SuggestionView>, ReadError | CursorUnusable>
    /**
     * The older record goes on with what the younger one says; the younger one is gone. What people wrote on
     * the older one, and its rows at destinations, stay. Of two parts of one order neither goes: they change places,
     * so that what people wrote is on the other part. A row that was taken for a record and may be a second payment (both
     * are one record then) becomes a record of its own. One that was rejected can still be accepted.
     */
    readonly accept: (caller: Caller, ref: LedgerRef, id: SuggestionId) => Effect.Effect<SuggestionView, ActError>
    /** The two are never matched again by themselves. */
    readonly reject: (caller: Caller, ref: LedgerRef, id: SuggestionId) => Effect.Effect<SuggestionView, ActError>
    /** The record is none, and does not come back however often the upstream shows it. */
    readonly remove: (caller: Caller, ref: LedgerRef, recordId: string) => Effect.Effect<void, ActError>
    /**
     * Brings back a record that a person deleted or the upstream no longer shows. The latter is kept from then
     * on, whatever the upstream shows.
     */
    readonly restore: (caller: Caller, ref: LedgerRef, recordId: string) => Effect.Effect<Fields, ActError>
    /** Forgets what is too old to be taken back. Returns how much. */
    readonly purge: Effect.Effect<number, StorageUnavailable>
  }
>()("@millrace/core/identity/Corrections") {
  static readonly layer: Layer.Layer<
    Corrections,
    never,
    BankStore | FeedStore | RecordStore | IdentityStore | TaskStore | Leases | Transactor | Cursors | Ids
  > = Layer.effect(
    Corrections,
    Effect.gen(function* () {
      const banks = yield* BankStore
      const records = yield* RecordStore
      const identity = yield* IdentityStore
      const alone = yield* AloneWithBanks
      const ids = yield* Ids
      const localRuns = yield* LocalRuns
      const log = yield* IdentityLog
      const facts = yield* DecisionLog
      const { absorb, exchange, part } = yield* Joining

      const open = Effect.fnUntraced(function* (
        caller: Caller,
        operation: OperationId,
        { accountId, bankId, dataType }: LedgerRef
      ) {
        const { workspace } = caller.principal
        const bank = yield* reach(caller, operation, "Bank", yield* banks.get(workspace.id, bankId))
        const refusal = unusableBank(bank)
        if (refusal !== undefined) return yield* refusal
        const found = yield* banks.account(workspace.id, bankId, accountId)
        const account = yield* reach(caller, operation, "Account", found)
        const scope: RecordScope = { workspaceId: workspace.id, accountId, dataType }
        return { scope, owner: ownerOf(bank, account) } satisfies Opened
      })

      const act = Effect.fnUntraced(function* <A, E, R>(
        caller: Caller,
        operation: OperationId,
        ref: LedgerRef,
        body: (opened: Opened, decided: Decided) => Effect.Effect<A, E, R>
      ) {
        const opened = yield* open(caller, operation, ref)
        const decided: Decided = { by: caller.cause, at: yield* Timestamp.now }
        return yield* alone.act([ref.bankId], () =>
          Effect.tap(body(opened, decided), () => localRuns.ofAccounts(opened.scope, [ref.accountId]))
        )
      })

      const held = Effect.fnUntraced(function* (scope: RecordScope, id: string) {
        return (yield* records.held(scope, [id]))[0]
      })

      const matchOf = Effect.fnUntraced(function* (scope: RecordScope, id: MatchId) {
        const match = yield* identity.match(scope, id)
        if (Option.isNone(match)) return yield* new NotFound({ resource: "Match" })
        return match.value
      })

      const suggestionOf = Effect.fnUntraced(function* (scope: RecordScope, id: SuggestionId) {
        const suggestion = yield* identity.suggestion(scope, id)
        if (Option.isNone(suggestion)) return yield* new NotFound({ resource: "Suggestion" })
        return suggestion.value
      })

      /** The pair of a suggestion, both of them in a state in which something can be decided about them. */
      const pair = Effect.fnUntraced(function* (scope: RecordScope, recordId: string, observedId: string) {
        const noun = namesOf[scope.dataType].one
        const [a, b] = [yield* held(scope, recordId), yield* held(scope, observedId)]
        if (a === undefined || b === undefined) return yield* refused(noun, "part of another one already")
        for (const { state } of [a, b])
          if (state === "deleted") return yield* refused(noun, "deleted; restore it first")
        return { a, b }
      })

      /** The observation of a match becomes a record of its own. */
      const partMatch = Effect.fnUntraced(function* (scope: RecordScope, match: LoggedMatch, decided: Decided) {
        const noun = namesOf[scope.dataType].one
        if (match.state !== "made") return yield* refused("Match", match.state)
        const record = yield* held(scope, match.recordId)
        if (record === undefined) return yield* refused(noun, "part of another one; undo that match first")
        if (record.state === "deleted") return yield* refused(noun, "deleted; restore it first")
        const separateId = match.separateId ?? (yield* ids.next(idKindOf[scope.dataType]))
        const { after, before } = yield* part(scope, match, record, separateId)
        const undone: LoggedMatch = { ...match, state: "undone", separateId, decided }
        yield* identity.setMatch(undone)
        if (match.before.pending && !match.observed.pending) {
          const reader = new RowReader()
          const [pending, booked] = [match.before, match.observed].map((said) => {
            const row = reader.read(said.fields, said.date, said.pending)
            return row === undefined ? "" : nameOf(row)
          })
          const { learnt } = yield* identity.recall(scope)
          yield* identity.setLearnt(scope, unlearn(learnt, pending!, booked!))
        }
        yield* facts.forbid(scope, decided, { id: record.id, content: before }, { id: separateId, content: after })
        for (const suggestion of yield* identity.suggestions(scope, { recordId: record.id, limit: 1_000 })) {
          if (suggestion.observedId === separateId && suggestion.state === "accepted") {
            yield* identity.decideSuggestion(suggestion, "rejected", decided)
          }
        }
        return undone
      })

      /** The match of a row that may be a second payment. */
      const twinMatch = Effect.fnUntraced(function* (scope: RecordScope, { jobId, recordId }: LoggedSuggestion) {
        const made = yield* identity.matches(scope, { recordId, state: "made", limit: limits.page.max })
        const found = made.find((match) => mayBeTwins(match.evidence) && match.jobId === jobId)
        return found ?? (yield* new NotFound({ resource: "Match" }))
      })

      const undo: Corrections["Service"]["undo"] = Effect.fn("Corrections.undo")((caller, ref, id) =>
        act(
          caller,
          "undoMatch",
          ref,
          Effect.fnUntraced(function* (opened, decided) {
            const { scope } = opened
            return matchView(opened, yield* partMatch(scope, yield* matchOf(scope, id), decided))
          })
        )
      )

      const redo: Corrections["Service"]["redo"] = Effect.fn("Corrections.redo")((caller, ref, id) =>
        act(
          caller,
          "redoMatch",
          ref,
          Effect.fnUntraced(function* (opened, decided) {
            const { scope } = opened
            const match = yield* matchOf(scope, id)
            if (match.state !== "undone" || match.separateId === undefined) return yield* refused("Match", match.state)
            const { a, b } = yield* pair(scope, match.recordId, match.separateId)
            const made = yield* absorb(scope, decided, a, b, match.evidence)
            return matchView(opened, yield* matchOf(scope, made))
          })
        )
      )

      const decide = (to: "accepted" | "rejected"): Corrections["Service"]["accept"] =>
        Effect.fn(`Corrections.${to}`)((caller, ref, id) =>
          act(
            caller,
            to === "accepted" ? "acceptSuggestion" : "rejectSuggestion",
            ref,
            Effect.fnUntraced(function* (opened, decided) {
              const { scope } = opened
              const suggestion = yield* suggestionOf(scope, id)
              const { state } = suggestion
              if (state === "accepted" || state === to) return yield* refused("Suggestion", state)
              const { a, b } = yield* pair(scope, suggestion.recordId, suggestion.observedId)
              if (a.id === b.id) {
                // One record may be two payments.
                if (to === "accepted") yield* partMatch(scope, yield* twinMatch(scope, suggestion), decided)
              } else if (to === "rejected") {
                yield* facts.forbid(scope, decided, { id: a.id, content: a }, { id: b.id, content: b })
              } else {
                if (b.state !== "live") return yield* refused(namesOf[scope.dataType].one, b.state)
                // Both parts of an order are there: what people wrote moves to the other one, and nothing goes.
                if (isSplitOrder(suggestion.evidence) && a.state === "live") yield* exchange(scope, a, b)
                else yield* absorb(scope, decided, a, b, suggestion.evidence)
              }
              yield* identity.decideSuggestion(suggestion, to, decided)
              const [view] = yield* log.suggestionViews(opened, [{ ...suggestion, state: to, decided }])
              return view!
            })
          )
        )

      const tombstone = Effect.fnUntraced(function* (scope: RecordScope, recordId: string) {
        const record = yield* held(scope, recordId)
        if (record === undefined) return yield* new NotFound({ resource: namesOf[scope.dataType].one })
        return record
      })

      const remove: Corrections["Service"]["remove"] = Effect.fn("Corrections.remove")((caller, ref, recordId) =>
        act(
          caller,
          "deleteTransaction",
          ref,
          Effect.fnUntraced(function* ({ scope }, decided) {
            const record = yield* tombstone(scope, recordId)
            if (record.state === "deleted") return yield* new NotFound({ resource: namesOf[scope.dataType].one })
            yield* facts.lift(scope, decided, (fact) => fact.kind === "keep" && fact.recordId === recordId)
            yield* facts.decide(scope, decided, "delete", { recordId })
            yield* records.write(scope, [{ ...contentOf(record), id: recordId, state: "deleted" }])
          })
        )
      )

      const restore: Corrections["Service"]["restore"] = Effect.fn("Corrections.restore")((caller, ref, recordId) =>
        act(
          caller,
          "restoreTransaction",
          ref,
          Effect.fnUntraced(function* ({ owner, scope }, decided) {
            const record = yield* tombstone(scope, recordId)
            if (record.state === "live") return yield* refused(namesOf[scope.dataType].one, "live")
            yield* facts.lift(scope, decided, (fact) => fact.kind === "delete" && fact.recordId === recordId)
            if (record.state === "removed") yield* facts.decide(scope, decided, "keep", { recordId })
            yield* records.write(scope, [{ ...contentOf(record), id: recordId, state: "live" }])
            return toPublic(scope.dataType, record, owner)
          })
        )
      )

      return Corrections.of({
        matches: Effect.fn("Corrections.matches")(function* (caller, ref, query) {
          return yield* log.matches(yield* open(caller, "listMatches", ref), ref, query)
        }),
        undo,
        redo,
        suggestions: Effect.fn("Corrections.suggestions")(function* (caller, ref, query) {
          return yield* log.suggestions(yield* open(caller, "listSuggestions", ref), ref, query)
        }),
        accept: decide("accepted"),
        reject: decide("rejected"),
        remove,
        restore,
        purge: identity.purge(purgeBatch).pipe(Effect.withSpan("Corrections.purge"))
      })
    })
  ).pipe(
    Layer.provide([IdentityLog.layer, Joining.layer, AloneWithBanks.layer, LocalRuns.layer]),
    Layer.provide(DecisionLog.layer)
  )
}

/** Rows of each kind that one run of `purge` takes away at most. */
const purgeBatch = 5_000
