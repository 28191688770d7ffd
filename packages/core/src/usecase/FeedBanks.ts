/** Banks that are made with a feed, and what happens to them when it goes. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { AccountId } from "../bank/Account.ts"
import type { Bank } from "../bank/Bank.ts"
import { BankStore } from "../bank/BankStore.ts"
import type { Feed } from "../feed/Feed.ts"
import type { SourceConfig } from "../feed/FeedConfig.ts"
import type { FeedStore } from "../feed/FeedStore.ts"
import type { IdentityStore } from "../identity/IdentityStore.ts"
import type { RecordChangeStore } from "../enrichment/history/RecordChangeStore.ts"
import type { RecordStore } from "../record/RecordStore.ts"
import { Ids } from "../shared/Ids.ts"
import { nextOrder } from "../shared/Order.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import { SyntheticAccounts } from "../sync/SyntheticAccounts.ts"
import type { Workspace, WorkspaceId } from "../workspace/Workspace.ts"

const make = Effect.gen(function* () {
  const banks = yield* BankStore
  const made = yield* SyntheticAccounts
  const ids = yield* Ids

  /** Statement files are booked under a bank of their own (decisions 7.1). */
  const ofFiles = Effect.fnUntraced(function* (workspace: Workspace, name: string, config: SourceConfig | undefined) {
    if (config?.type === "upload" && config.accountId !== undefined) return undefined
    const now = yield* Timestamp.now
    const others = yield* banks.list([workspace.id])
    const bank: Bank = {
      id: yield* ids.next("bank"),
      workspaceId: workspace.id,
      name: (config?.type === "upload" ? config.bankName : undefined) ?? name,
      source: "file",
      type: "other",
      order: nextOrder(others),
      createdAt: now,
      updatedAt: now
    }
    return bank
  })

  /** For the transaction that has removed the feed. */
  const remove = Effect.fnUntraced(function* (feed: Feed) {
    yield* made.remove(feed)
    if (feed.fileBankId === undefined) return
    // What its files gave stays where it is; a bank of nothing is useless.
    const accounts = yield* banks.accounts(feed.fileBankId)
    if (accounts.some(({ state }) => state === "open")) return
    yield* banks.remove(feed.workspaceId, feed.fileBankId)
  })

  /** The bank of an account that is listed. */
  const bankOf = Effect.fnUntraced(function* (workspaceId: WorkspaceId, accountId: AccountId) {
    for (const bank of yield* banks.list([workspaceId])) {
      if (Option.isSome(yield* banks.account(workspaceId, bank.id, accountId))) return bank.id
    }
    return undefined
  })

  return { ofFiles, remove, bankOf }
})

export class FeedBanks extends Context.Service<FeedBanks>()("@millrace/core/usecase/FeedBanks", { make }) {
  static readonly layer: Layer.Layer<
    FeedBanks,
    never,
    BankStore | FeedStore | RecordStore | IdentityStore | RecordChangeStore | Ids
  > = Layer.effect(FeedBanks, make).pipe(Layer.provide(SyntheticAccounts.layer))
}
