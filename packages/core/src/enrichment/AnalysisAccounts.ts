/** The accounts whose records set kinds look at, as they see them. */
import * as Effect from "effect/Effect"
import type { Account, AccountId } from "../bank/Account.ts"
import { balanceAsOf } from "../bank/Balance.ts"
import type { Bank } from "../bank/Bank.ts"
import { BankStore } from "../bank/BankStore.ts"
import type { DataType } from "../record/DataType.ts"
import { RecordStore } from "../record/RecordStore.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import type { Placing } from "./AnalysisPlaces.ts"
import type { AccountStatus, SetAccount } from "./kinds/SetKind.ts"

export const analysisAccounts = Effect.gen(function* () {
  const banks = yield* BankStore
  const records = yield* RecordStore

  /** What is known of all accounts of the workspace besides their records. */
  const statusesOf = Effect.fnUntraced(function* (scope: { workspaceId: Workspace["id"]; dataType: DataType }) {
    const statuses = new Map<AccountId, AccountStatus>()
    for (const bank of yield* banks.list([scope.workspaceId])) {
      const expires = bank.connectionStatus?.consentExpiresAt
      for (const account of yield* banks.accounts(bank.id)) {
        const asOf = balanceAsOf(bank, account)
        const syncedAt = yield* records.pulledAt({ ...scope, accountId: account.id })
        statuses.set(account.id, {
          balance: account.balance,
          ...(asOf === undefined ? {} : { balanceAsOf: asOf }),
          ...(syncedAt === undefined ? {} : { syncedAt }),
          ...(expires === undefined ? {} : { consentExpiresAt: expires })
        })
      }
    }
    return statuses
  })

  /** All accounts that are shown by feeds in scope, as set kinds see them. */
  const accountsOf = Effect.fnUntraced(function* (
    workspace: Workspace,
    places: Placing,
    statuses: ReadonlyMap<AccountId, AccountStatus> | undefined
  ) {
    const all = new Map<AccountId, SetAccount>()
    const owners = new Map<AccountId, { readonly bank: Bank; readonly account: Account }>()
    for (const bank of yield* banks.list([workspace.id])) {
      for (const account of yield* banks.accounts(bank.id)) {
        if (!places.isShown(account)) continue
        const { accountName, accountNumber, accountType, currency } = account
        owners.set(account.id, { bank, account })
        all.set(account.id, {
          accountId: account.id,
          bankId: bank.id,
          bankName: bank.name,
          accountName,
          accountNumber,
          accountType,
          currency,
          ...(statuses?.has(account.id) === true ? { status: statuses.get(account.id)! } : {}),
          ...(account.balanceAsOf === undefined
            ? {}
            : { syncedOn: CalendarDate.inZone(Timestamp.toMillis(account.balanceAsOf), workspace.timezone) })
        })
      }
    }
    const placeOf = (id: AccountId) => {
      const owner = owners.get(id)
      return owner === undefined ? Effect.undefined : places.place(owner.bank, owner.account)
    }
    return { all, placeOf }
  })

  return { statusesOf, accountsOf }
})
