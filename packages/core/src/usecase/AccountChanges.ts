/** What people say of accounts: what they call them, and which way round their amounts are (decisions 5.3). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { reach } from "../access/Access.ts"
import type { Caller } from "../access/Caller.ts"
import type { Account, AccountRef } from "../bank/Account.ts"
import { AloneWithBanks } from "../bank/AloneWithBanks.ts"
import { natureOf, type Bank } from "../bank/Bank.ts"
import { unusableBank } from "../bank/BankRemoval.ts"
import { type AccountDetails, BankStore } from "../bank/BankStore.ts"
import { Conflict, type Forbidden, type NotFound } from "../failure/Failure.ts"
import { IdentityStore } from "../identity/IdentityStore.ts"
import type { LoggedMatch, MatchId } from "../identity/LoggedMatch.ts"
import { isOfFile } from "../identity/match/Coverage.ts"
import { type RecordScope, RecordStore } from "../record/RecordStore.ts"
import { Digest } from "../shared/Digest.ts"
import type { Ids } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { Leases } from "../storage/Lease.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import { signedTypes, turnedContent, type SignedType } from "../sync/SignOverride.ts"

const ofFiles = new Conflict({
  code: "INVALID_STATE",
  message:
    "Only what a connection shows can be turned round; of statement files the feed's sourceConfig.csv.negate says it",
  details: [{ field: "signOverride", message: "the account is read from statement files" }]
})

export class AccountChanges extends Context.Service<
  AccountChanges,
  {
    /**
     * Changes what is said of an account; feeds deliver what follows from it with their next sync. A name of null gives the
     * bank's back. `signOverride` turns the amounts of all transactions and trades that the connection has shown, and of
     * those that it shows from now on; words of people and rows of statement files stay. `Conflict` while the bank is read.
     */
    readonly update: (
      caller: Caller,
      ref: AccountRef,
      change: AccountDetails
    ) => Effect.Effect<
      { readonly bank: Bank; readonly row: Account },
      NotFound | Conflict | Forbidden | StorageUnavailable
    >
  }
>()("@millrace/core/usecase/AccountChanges") {
  static readonly layer: Layer.Layer<
    AccountChanges,
    never,
    BankStore | RecordStore | IdentityStore | Leases | Transactor | Digest | Ids
  > = Layer.effect(
    AccountChanges,
    Effect.gen(function* () {
      const banks = yield* BankStore
      const records = yield* RecordStore
      const identity = yield* IdentityStore
      const alone = yield* AloneWithBanks
      const { atomically } = yield* Transactor
      const digest = yield* Digest

      const opened = Effect.fnUntraced(function* (caller: Caller, { accountId, bankId }: AccountRef) {
        const { workspace } = caller.principal
        const bank = yield* reach(caller, "updateAccount", "Bank", yield* banks.get(workspace.id, bankId))
        const refusal = unusableBank(bank)
        if (refusal !== undefined) return yield* refusal
        const found = yield* banks.account(workspace.id, bankId, accountId)
        return { bank, row: yield* reach(caller, "updateAccount", "Account", found) }
      })

      /** All records of the connection, with their amounts turned round. What was merged into another one stays merged. */
      const turnRecords = Effect.fnUntraced(function* (scope: RecordScope & { readonly dataType: SignedType }) {
        const upTo = yield* records.lastChange(scope.accountId)
        for (let after = 0; after < upTo;) {
          const some = yield* records.changes(scope, { after, upTo, limit: limits.commitChunk })
          if (some.length === 0) return
          after = some[some.length - 1]!.changeNo
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
      const turnMatches = Effect.fnUntraced(function* (scope: RecordScope & { readonly dataType: SignedType }) {
        const of = (content: LoggedMatch["before"]) =>
          isOfFile(content) ? content : turnedContent(scope.dataType, content, digest)
        for (let before: MatchId | undefined; ;) {
          const some = yield* identity.matches(scope, {
            limit: limits.page.max,
            ...(before === undefined ? {} : { before })
          })
          for (const match of some) {
            yield* identity.setMatch({ ...match, before: of(match.before), observed: of(match.observed) })
          }
          if (some.length < limits.page.max) return
          before = some[some.length - 1]!.id
        }
      })

      const turn = Effect.fnUntraced(function* ({ id: accountId, workspaceId }: Account) {
        for (const dataType of signedTypes) {
          const scope = { workspaceId, accountId, dataType }
          yield* turnRecords(scope)
          yield* turnMatches(scope)
        }
      })

      return AccountChanges.of({
        update: Effect.fn("AccountChanges.update")(function* (caller, ref, change) {
          const { bank, row } = yield* opened(caller, ref)
          const turns = change.signOverride !== undefined && change.signOverride !== (row.signOverride ?? false)
          if (turns && natureOf(bank) !== "connected") return yield* ofFiles
          const written = Effect.gen(function* () {
            // Somebody may have said so, or have deleted the bank, since it was looked at.
            const { row: before } = yield* opened(caller, ref)
            if (turns && change.signOverride !== (before.signOverride ?? false)) yield* turn(before)
            yield* banks.describeAccount(before.id, change, yield* Timestamp.now)
            return yield* opened(caller, ref)
          })
          // Nothing is on its way that was read under the other sign.
          return yield* turns ? alone.act([bank.id], () => written) : atomically(written)
        })
      })
    })
  ).pipe(Layer.provide(AloneWithBanks.layer))
}
