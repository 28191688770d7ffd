/** Port: all that a read of an account begins with, in one look. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { SyncDataType } from "../record/DataType.ts"
import { type PageQuery, RecordStore } from "../record/RecordStore.ts"
import type { ShownRecord } from "../record/LedgerRecord.ts"
import type { Timestamp } from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import type { Account, AccountRef } from "./Account.ts"
import type { Bank } from "./Bank.ts"
import { BankStore } from "./BankStore.ts"

export interface AccountLook {
  readonly bank: Option.Option<Bank>
  /** None where the bank is none. */
  readonly account: Option.Option<Account>
  /** When its records of the type were last read from upstream. */
  readonly pulledAt: Timestamp | undefined
  /** The newest change number of the account; anyone who reads records later reads at least up to there. */
  readonly lastChange: number
  /** The page that was asked for, read after the rest. Absent where it has to be read by itself. */
  readonly page?: ReadonlyArray<ShownRecord>
}

export class AccountLooks extends Context.Service<
  AccountLooks,
  {
    readonly look: (
      workspaceId: WorkspaceId,
      ref: AccountRef,
      dataType: SyncDataType,
      /** A page of its records, if it is wanted with the look. */
      page?: PageQuery
    ) => Effect.Effect<AccountLook, StorageUnavailable>
  }
>()("@millrace/core/bank/AccountLooks") {
  /** Of storage that looks several times. */
  static readonly layer: Layer.Layer<AccountLooks, never, BankStore | RecordStore> = Layer.effect(
    AccountLooks,
    Effect.gen(function* () {
      const banks = yield* BankStore
      const records = yield* RecordStore
      return AccountLooks.of({
        look: Effect.fnUntraced(function* (workspaceId, { accountId, bankId }, dataType, page) {
          const bank = yield* banks.get(workspaceId, bankId)
          const account = Option.isNone(bank) ? Option.none() : yield* banks.account(workspaceId, bankId, accountId)
          if (Option.isNone(account)) return { bank, account, pulledAt: undefined, lastChange: 0 }
          const scope = { workspaceId, accountId, dataType }
          const pulledAt = yield* records.pulledAt(scope)
          const found = { bank, account, pulledAt, lastChange: yield* records.lastChange(accountId) }
          return page === undefined ? found : { ...found, page: yield* records.shownPage(scope, page) }
        })
      })
    })
  )
}
