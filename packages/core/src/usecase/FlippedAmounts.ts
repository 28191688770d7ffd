/** Turns the amounts of an account round: all that its connection has shown, and what matches that are taken back restore. */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Account } from "../bank/Account.ts"
import { IdentityStore } from "../identity/IdentityStore.ts"
import type { LoggedMatch, MatchId } from "../identity/LoggedMatch.ts"
import { isOfFile } from "../identity/match/Coverage.ts"
import { type RecordScope, RecordStore } from "../record/RecordStore.ts"
import { Digest } from "../shared/Digest.ts"
import { limits } from "../shared/Limits.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { signedTypes, turnedContent, type SignedType } from "../sync/SignOverride.ts"

/** Rows that a request turns itself, in a second or two; those of larger accounts are turned by a task. */
export const RowsTurnedAtOnce = Context.Reference<number>("@millrace/core/usecase/RowsTurnedAtOnce", {
  defaultValue: () => 20_000
})

/** The account has more rows than were allowed: what was turned until then is rolled back. */
export class TooManyRows extends Data.TaggedError("TooManyRows") {}

/** Turns an account, as part of the transaction it is called in; `most` rows at most. Alone with the bank. */
export type TurnAmounts = (account: Account, most?: number) => Effect.Effect<void, TooManyRows | StorageUnavailable>

type Scope = RecordScope & { readonly dataType: SignedType }

export const makeTurnAmounts: Effect.Effect<TurnAmounts, never, RecordStore | IdentityStore | Digest> = Effect.gen(
  function* () {
    const records = yield* RecordStore
    const identity = yield* IdentityStore
    const digest = yield* Digest

    /** All records of the connection, with their amounts flipped. What was merged into another one stays merged. */
    const turnRecords = Effect.fnUntraced(function* (
      scope: Scope,
      count: (rows: number) => Effect.Effect<void, TooManyRows>
    ) {
      const upTo = yield* records.lastChange(scope.accountId)
      for (let after = 0; after < upTo;) {
        const some = yield* records.changes(scope, { after, upTo, limit: limits.commitChunk })
        if (some.length === 0) return
        after = some[some.length - 1]!.changeNo
        yield* count(some.length)
        const shown = some.filter((record) => !isOfFile(record))
        yield* records.write(
          scope,
          shown.map((record) => ({ id: record.id, ...turnedContent(scope.dataType, record, digest) }))
        )
        yield* records.merge(
          scope,
          shown.flatMap(({ id, mergedInto: into }) => (into === undefined ? [] : [{ id, into }]))
        )
      }
    })

    /** What a match that is taken back restores is turned, too. */
    const turnMatches = Effect.fnUntraced(function* (
      scope: Scope,
      count: (rows: number) => Effect.Effect<void, TooManyRows>
    ) {
      const of = (content: LoggedMatch["before"]) =>
        isOfFile(content) ? content : turnedContent(scope.dataType, content, digest)
      for (let before: MatchId | undefined; ;) {
        const some = yield* identity.matches(scope, {
          limit: limits.page.max,
          ...(before === undefined ? {} : { before })
        })
        yield* count(some.length)
        for (const match of some) {
          yield* identity.setMatch({ ...match, before: of(match.before), observed: of(match.observed) })
        }
        if (some.length < limits.page.max) return
        before = some[some.length - 1]!.id
      }
    })

    return Effect.fnUntraced(function* ({ id: accountId, workspaceId }, most = Infinity) {
      let rows = 0
      const count = (more: number) =>
        Effect.suspend(() => {
          rows += more
          return rows > most ? Effect.fail(new TooManyRows()) : Effect.void
        })
      for (const dataType of signedTypes) {
        const scope = { workspaceId, accountId, dataType }
        yield* turnRecords(scope, count)
        yield* turnMatches(scope, count)
      }
    })
  }
)
