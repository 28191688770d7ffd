/** The use cases of identity in memory: one match and one suggestion. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Corrections } from "@millrace/core/identity/Corrections"
import type { LedgerRef } from "@millrace/core/identity/IdentityLog"
import { checkCursor, only } from "./Checks.ts"
import * as Records from "./Records.ts"

type Note = (operation: string, ...args: ReadonlyArray<unknown>) => Effect.Effect<void>

const within = Effect.fnUntraced(function* (ref: LedgerRef) {
  yield* only("Bank", Records.bank.id, ref.bankId, undefined)
  yield* only("Account", Records.account.id, ref.accountId, undefined)
})
const matchOf = (ref: LedgerRef, id: string) =>
  Effect.andThen(within(ref), only("Match", Records.match.match.id, id, Records.match))
const suggestionOf = (ref: LedgerRef, id: string) =>
  Effect.andThen(within(ref), only("Suggestion", Records.suggestion.suggestion.id, id, Records.suggestion))
const transactionOf = (ref: LedgerRef, id: string) =>
  Effect.andThen(within(ref), only("Transaction", Records.match.match.recordId, id, Records.transaction))

export const layer = (note: Note) =>
  Layer.succeed(
    Corrections,
    Corrections.of({
      matches: Effect.fnUntraced(function* (ref, query) {
        yield* note("listMatches", query)
        yield* within(ref)
        yield* checkCursor(query)
        return { rows: [Records.match], hasMore: query.cursor === undefined, cursor: "next" }
      }),
      undo: (by, ref, id) => Effect.andThen(note("undoMatch", by), matchOf(ref, id)),
      redo: (by, ref, id) => Effect.andThen(note("redoMatch", by), matchOf(ref, id)),
      suggestions: Effect.fnUntraced(function* (ref, query) {
        yield* note("listSuggestions", query)
        yield* within(ref)
        yield* checkCursor(query)
        return { rows: [Records.suggestion], hasMore: false }
      }),
      accept: (by, ref, id) => Effect.andThen(note("acceptSuggestion", by), suggestionOf(ref, id)),
      reject: (by, ref, id) => Effect.andThen(note("rejectSuggestion", by), suggestionOf(ref, id)),
      remove: (by, ref, id) => Effect.andThen(note("deleteTransaction", by), Effect.asVoid(transactionOf(ref, id))),
      restore: (by, ref, id) => Effect.andThen(note("restoreTransaction", by), transactionOf(ref, id)),
      purge: Effect.succeed(0)
    })
  )
