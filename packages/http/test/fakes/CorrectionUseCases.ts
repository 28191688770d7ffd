/** The use cases of identity in memory: one match and one suggestion. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Corrections } from "@millrace/core/kernel"
import type { LedgerRef } from "@millrace/core/identity"
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
      matches: Effect.fnUntraced(function* (_, ref, query) {
        yield* note("listMatches", query)
        yield* within(ref)
        yield* checkCursor(query)
        return { rows: [Records.match], hasMore: query.cursor === undefined, cursor: "next" }
      }),
      undo: (caller, ref, id) => Effect.andThen(note("undoMatch", caller.cause), matchOf(ref, id)),
      redo: (caller, ref, id) => Effect.andThen(note("redoMatch", caller.cause), matchOf(ref, id)),
      suggestions: Effect.fnUntraced(function* (_, ref, query) {
        yield* note("listSuggestions", query)
        yield* within(ref)
        yield* checkCursor(query)
        return { rows: [Records.suggestion], hasMore: false }
      }),
      accept: (caller, ref, id) => Effect.andThen(note("acceptSuggestion", caller.cause), suggestionOf(ref, id)),
      reject: (caller, ref, id) => Effect.andThen(note("rejectSuggestion", caller.cause), suggestionOf(ref, id)),
      remove: (caller, ref, id) =>
        Effect.andThen(note("deleteTransaction", caller.cause), Effect.asVoid(transactionOf(ref, id))),
      restore: (caller, ref, id) => Effect.andThen(note("restoreTransaction", caller.cause), transactionOf(ref, id)),
      purge: Effect.succeed(0)
    })
  )
