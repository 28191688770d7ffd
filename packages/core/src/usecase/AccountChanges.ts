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
import type { IdentityStore } from "../identity/IdentityStore.ts"
import type { RecordStore } from "../record/RecordStore.ts"
import type { Digest } from "../shared/Digest.ts"
import type { Ids } from "../shared/Ids.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { Leases } from "../storage/Lease.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import { Tasks } from "../task/Tasks.ts"
import type { TaskStore } from "../task/TaskStore.ts"
import { signChangeTask } from "./SignChangeTaskKind.ts"
import { makeTurnAmounts, RowsTurnedAtOnce } from "./FlippedAmounts.ts"

const ofFiles = new Conflict({
  code: "INVALID_STATE",
  message: "Only what a connection shows can be flipped; of statement files the feed's sourceConfig.csv.negate says it",
  details: [{ field: "signOverride", message: "the account is read from statement files" }]
})

export class AccountChanges extends Context.Service<
  AccountChanges,
  {
    /**
     * Changes what is said of an account; feeds deliver what follows from it with their next sync. A name of null gives the
     * bank's back. `signOverride` turns the amounts of all transactions and trades that the connection has shown, and of
     * those that it shows from now on; words of people and rows of statement files stay. `Conflict` while the bank is read.
     * Where those are too many for one request, the account says since when it is asked for (`signAskedAt`), and a task does
     * it: until it has, everything is as it was. What the sign is at present takes the wish back.
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
    BankStore | RecordStore | IdentityStore | Leases | Transactor | TaskStore | Digest | Ids
  > = Layer.effect(
    AccountChanges,
    Effect.gen(function* () {
      const banks = yield* BankStore
      const alone = yield* AloneWithBanks
      const { atomically } = yield* Transactor
      const tasks = yield* Tasks
      const turn = yield* makeTurnAmounts

      const opened = Effect.fnUntraced(function* (caller: Caller, { accountId, bankId }: AccountRef) {
        const { workspace } = caller.principal
        const bank = yield* reach(caller, "updateAccount", "Bank", yield* banks.get(workspace.id, bankId))
        const refusal = unusableBank(bank)
        if (refusal !== undefined) return yield* refusal
        const found = yield* banks.account(workspace.id, bankId, accountId)
        return { bank, row: yield* reach(caller, "updateAccount", "Account", found) }
      })

      /**
       * Keeps that the sign is to be another one, or is to stay, and what else is said of the account. The task that waits goes
       * first: anyone who runs it has turned everything by then, or turns nothing any more.
       */
      const asked = Effect.fnUntraced(function* (
        caller: Caller,
        ref: AccountRef,
        { signOverride, ...said }: AccountDetails
      ) {
        const key = ref.accountId
        yield* tasks.withdraw(signChangeTask, key)
        const { bank, row } = yield* opened(caller, ref)
        const turns = signOverride !== undefined && signOverride !== (row.signOverride ?? false)
        const now = yield* Timestamp.now
        yield* banks.describeAccount(row.id, { ...said, signAskedAt: turns ? (row.signAskedAt ?? now) : null }, now)
        if (turns) {
          const payload = { workspaceId: row.workspaceId, bankId: bank.id, accountId: row.id }
          yield* tasks.enqueue(signChangeTask, { key, workspaceId: row.workspaceId, payload })
        }
        return yield* opened(caller, ref)
      })

      return AccountChanges.of({
        update: Effect.fn("AccountChanges.update")(function* (caller, ref, change) {
          const { bank, row } = yield* opened(caller, ref)
          const { signOverride } = change
          const turns = signOverride !== undefined && signOverride !== (row.signOverride ?? false)
          if (turns && natureOf(bank) !== "connected") return yield* ofFiles
          if (signOverride !== undefined && row.signAskedAt !== undefined) {
            return yield* atomically(asked(caller, ref, change))
          }
          const most = yield* RowsTurnedAtOnce
          // Somebody may have said so, or have deleted the bank, since it was looked at.
          const now = opened(caller, ref)
          const described = Effect.gen(function* () {
            const { row: before } = yield* now
            yield* banks.describeAccount(before.id, change, yield* Timestamp.now)
            return yield* now
          })
          if (!turns) return yield* atomically(described)
          const turned = Effect.gen(function* () {
            const { row: before } = yield* now
            if (signOverride !== (before.signOverride ?? false)) yield* turn(before, most)
            return yield* described
          })
          // Nothing is on its way that was read under the other sign.
          return yield* alone
            .act([bank.id], () => turned)
            .pipe(Effect.catchTag("TooManyRows", () => atomically(asked(caller, ref, change))))
        })
      })
    })
  ).pipe(Layer.provide([AloneWithBanks.layer, Tasks.layer]))
}
