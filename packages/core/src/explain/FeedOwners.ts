/** The accounts whose records a feed shows. */
import * as Effect from "effect/Effect"
import type { Account } from "../bank/Account.ts"
import type { Bank } from "../bank/Bank.ts"
import { BankStore } from "../bank/BankStore.ts"
import { showsAccount } from "../enrichment/AnalysisPlaces.ts"
import type { Feed } from "../feed/Feed.ts"

export interface FeedOwner {
  readonly bank: Bank
  readonly account: Account
}

/** Those that were made for the feed come first. */
export const feedOwners = Effect.map(BankStore, (banks) =>
  Effect.fnUntraced(function* (feed: Feed) {
    const owners: Array<FeedOwner> = []
    for (const bank of [...(yield* banks.made(feed.id)), ...(yield* banks.list([feed.workspaceId]))]) {
      for (const account of yield* banks.accounts(bank.id)) {
        if (showsAccount(feed, account)) owners.push({ bank, account })
      }
    }
    return owners
  })
)
