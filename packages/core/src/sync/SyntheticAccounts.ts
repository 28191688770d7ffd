/**
 * Accounts that the kernel makes for a feed, to hold the records of a source that has none: what mail, extractors and
 * automations give, and files that name no account.
 *
 * Each is the only one under a bank of its own, which belongs to one feed and one kind of source. Stores show neither to
 * anybody who does not ask for what was made for that feed, so that no list, read or limit can count them by mistake.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { maskNumber, type Account } from "../bank/Account.ts"
import type { Bank } from "../bank/Bank.ts"
import { BankStore, type SyntheticBank } from "../bank/BankStore.ts"
import { NotFound } from "../failure/Failure.ts"
import type { Feed, FeedId } from "../feed/Feed.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import { IdentityStore } from "../identity/IdentityStore.ts"
import type { MadeKind } from "../provider/ProviderKind.ts"
import { RecordChangeStore } from "../enrichment/history/RecordChangeStore.ts"
import { RecordStore } from "../record/RecordStore.ts"
import * as Decimal from "../shared/Decimal.ts"
import { Ids } from "../shared/Ids.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { Workspace } from "../workspace/Workspace.ts"

export interface SyntheticAccount {
  readonly bank: Bank
  readonly account: Account
}

const make = Effect.gen(function* () {
  const banks = yield* BankStore
  const feeds = yield* FeedStore
  const records = yield* RecordStore
  const changes = yield* RecordChangeStore
  const identity = yield* IdentityStore
  const ids = yield* Ids

  /** What was made for the feed; nothing where no source without accounts has given it anything yet. */
  const of = Effect.fnUntraced(function* (feedId: FeedId) {
    const made: Array<SyntheticAccount> = []
    for (const bank of yield* banks.made(feedId)) {
      for (const account of yield* banks.accounts(bank.id)) made.push({ bank, account })
    }
    return made
  })

  /**
   * The account of a feed for one kind of source, made where there is none. For the transaction that writes to it: until
   * it ends nobody else does, and the feed stays.
   */
  const hold = Effect.fnUntraced(function* (
    { currency }: { readonly currency: Workspace["baseCurrency"] },
    feed: Pick<Feed, "id" | "workspaceId" | "name" | "dataType">,
    kind: MadeKind
  ) {
    if (!(yield* feeds.hold(feed.id))) return yield* new NotFound({ resource: "Feed" })
    const now = yield* Timestamp.now
    const made: SyntheticBank = {
      id: yield* ids.next("bank"),
      workspaceId: feed.workspaceId,
      name: feed.name,
      source: kind,
      type: "other",
      order: 0,
      createdAt: now,
      updatedAt: now,
      madeFor: feed.id
    }
    const bank = yield* banks.holdMade(made)
    const [held] = yield* banks.accounts(bank.id)
    if (held !== undefined) return { bank, account: held }
    const account: Account = {
      id: yield* ids.next("account"),
      workspaceId: feed.workspaceId,
      bankId: bank.id,
      providerAccountId: kind,
      stableKeys: [],
      accountNumber: maskNumber(""),
      accountName: feed.name,
      accountType: "other",
      balance: Decimal.zero,
      availableBalance: Decimal.zero,
      currency,
      supports: [feed.dataType],
      state: "open",
      createdAt: now,
      updatedAt: now
    }
    yield* banks.putAccounts([account])
    return { bank, account }
  })

  /** Everything that was made for a feed goes, with its records: for the transaction that has removed the feed. */
  const remove = Effect.fnUntraced(function* ({ id, workspaceId }: Pick<Feed, "id" | "workspaceId">) {
    for (const bank of yield* banks.made(id)) {
      for (const account of yield* banks.accounts(bank.id)) {
        yield* records.forget(workspaceId, account.id)
        yield* changes.release(workspaceId, account.id)
        yield* identity.forget(workspaceId, account.id)
      }
      yield* banks.remove(workspaceId, bank.id)
    }
  })

  return { of, hold, remove }
})

export class SyntheticAccounts extends Context.Service<SyntheticAccounts>()("@millrace/core/sync/SyntheticAccounts", {
  make
}) {
  static readonly layer: Layer.Layer<
    SyntheticAccounts,
    never,
    BankStore | FeedStore | RecordStore | RecordChangeStore | IdentityStore | Ids
  > = Layer.effect(SyntheticAccounts, make)
}
