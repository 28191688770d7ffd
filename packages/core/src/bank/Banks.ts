/** Bank connections: listing and connecting (decisions 5.2). */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { NotFound, PlanLimitReached } from "../failure/Failure.ts"
import type { Account } from "../account/Account.ts"
import type { ConnectPayload } from "../provider/Provider.ts"
import type { ProviderError } from "../provider/ProviderError.ts"
import type { ProviderNotAvailable } from "../provider/Providers.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import type { Bank, BankId } from "./Bank.ts"

export interface Connected {
  readonly bank: Bank
  /** False when the connection was known already. */
  readonly created: boolean
  readonly accounts: ReadonlyArray<Account>
}

export class Banks extends Context.Service<
  Banks,
  {
    readonly list: (workspace: Workspace) => Effect.Effect<ReadonlyArray<Bank>, StorageUnavailable>
    readonly get: (workspace: Workspace, id: BankId) => Effect.Effect<Bank, NotFound | StorageUnavailable>
    /** Completes a connection: verified upstream, stored with its secrets, accounts read. */
    readonly connect: (
      workspace: Workspace,
      request: { readonly instanceId: string; readonly attemptId: string; readonly payload: ConnectPayload }
    ) => Effect.Effect<Connected, ProviderNotAvailable | ProviderError | PlanLimitReached | StorageUnavailable>
    /** Reads accounts and balances anew; accounts that are no longer listed become `missing`. */
    readonly refreshAccounts: (
      bank: Bank
    ) => Effect.Effect<ReadonlyArray<Account>, ProviderNotAvailable | ProviderError | NotFound | StorageUnavailable>
  }
>()("@millrace/core/bank/Banks") {}
