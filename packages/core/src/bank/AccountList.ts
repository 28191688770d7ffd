/** The accounts of a bank, as its upstream lists them. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ActorRef } from "../access/ActorRef.ts"
import { EventStore } from "../event/EventStore.ts"
import type { ObservedAccount, ProviderSession } from "../provider/Provider.ts"
import type { ProviderError } from "../provider/ProviderError.ts"
import type { UnreadAccount } from "../provider/ReadAccounts.ts"
import { Ids } from "../shared/Ids.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import { maskNumber, type Account } from "./Account.ts"
import { matchAccounts } from "./AccountLineage.ts"
import type { Bank } from "./Bank.ts"
import { accountEvents, accountJoinSuggested } from "./BankEvents.ts"
import { BankStore } from "./BankStore.ts"
import { joinSuggestions, makeOwnedOf } from "./JoinSuggestions.ts"

export interface AccountList {
  readonly accounts: ReadonlyArray<Account>
  /** Whether the read before listed the same accounts: else neither read can be trusted to be complete. */
  readonly agrees: boolean
  /** Accounts that the upstream lists in a form that cannot be read: they stay as they were, and are none of `accounts`. */
  readonly unread: ReadonlyArray<Account>
}

export class AccountLists extends Context.Service<
  AccountLists,
  {
    /**
     * Reads the accounts and stores them; those that are no longer listed become `missing`. `first` is the beginning of
     * the transaction that reads what is held and writes what is listed: anyone who reads without the lease of the bank holds it
     * there (`BankStore.hold`). It is given the accounts that cannot be read. Events tell what has changed, with `cause` as
     * who looked.
     */
    readonly read: <E>(
      bank: Bank,
      session: Pick<ProviderSession, "listAccounts" | "unreadAccounts">,
      first: (unread: ReadonlyArray<UnreadAccount>) => Effect.Effect<void, E>,
      cause: ActorRef
    ) => Effect.Effect<AccountList, ProviderError | StorageUnavailable | E>
    /** Stores what somebody has read, within the transaction of anyone who holds the bank. */
    readonly write: (
      bank: Bank,
      observed: ReadonlyArray<ObservedAccount>,
      unread: ReadonlyArray<UnreadAccount>,
      cause: ActorRef
    ) => Effect.Effect<AccountList, StorageUnavailable>
  }
>()("@millrace/core/bank/AccountList/AccountLists") {
  static readonly layer: Layer.Layer<AccountLists, never, BankStore | EventStore | Ids | Transactor> = Layer.effect(
    AccountLists,
    Effect.gen(function* () {
      const store = yield* BankStore
      const ids = yield* Ids
      const events = yield* EventStore
      const { atomically } = yield* Transactor
      const ownedOf = yield* makeOwnedOf

      const accountOf = Effect.fnUntraced(function* (bank: Bank, held: Account | undefined, observed: ObservedAccount) {
        const now = yield* Timestamp.now
        const { balanceAsOf, creditLimit, subtype } = observed
        const next: Account = {
          id: held?.id ?? (yield* ids.next("account")),
          workspaceId: bank.workspaceId,
          bankId: bank.id,
          providerAccountId: observed.providerAccountId,
          stableKeys: [...new Set([...observed.stableKeys, ...(held?.stableKeys ?? [])])],
          accountNumber: maskNumber(observed.number),
          // A name that a person gave is never overwritten.
          accountName: held?.accountName ?? observed.name,
          ...(held?.upstreamName === undefined ? {} : { upstreamName: held.upstreamName }),
          ...(held?.signOverride === undefined ? {} : { signOverride: held.signOverride }),
          ...(held?.signAskedAt === undefined ? {} : { signAskedAt: held.signAskedAt }),
          accountType: observed.type,
          ...(subtype === undefined ? {} : { accountSubtype: subtype }),
          balance: observed.balance,
          availableBalance: observed.availableBalance ?? observed.balance,
          currency: observed.currency,
          ...(creditLimit === undefined ? {} : { creditLimit }),
          ...(balanceAsOf === undefined ? {} : { balanceAsOf }),
          ...(held?.historyFrom === undefined ? {} : { historyFrom: held.historyFrom }),
          ...(held?.readFrom === undefined ? {} : { readFrom: held.readFrom }),
          ...(held?.joinedInto === undefined ? {} : { joinedInto: held.joinedInto }),
          ...(held?.joins === undefined ? {} : { joins: held.joins }),
          supports: observed.supports,
          state: "open",
          createdAt: held?.createdAt ?? now,
          updatedAt: now
        }
        return next
      })

      /** What people are asked about accounts that are new. */
      const suggested = Effect.fnUntraced(function* (
        bank: Bank,
        held: ReadonlyArray<Account>,
        listed: ReadonlyArray<Account>,
        cause: ActorRef
      ) {
        const known = new Set(held.map(({ id }) => id))
        const added = listed.filter(({ id }) => !known.has(id))
        if (added.length === 0) return []
        const all = yield* ownedOf(bank.workspaceId)
        return added.flatMap((account) => {
          const like = joinSuggestions({ bank, account }, all)
          if (like.length === 0) return []
          const data = { bankId: bank.id, accountId: account.id, likeIds: like.map(({ accountId }) => accountId) }
          return [accountJoinSuggested.of({ workspaceId: bank.workspaceId, subjectId: account.id, cause, data })]
        })
      })

      const write = Effect.fnUntraced(function* (
        bank: Bank,
        observed: ReadonlyArray<ObservedAccount>,
        unread: ReadonlyArray<UnreadAccount>,
        cause: ActorRef
      ) {
        // Anyone who joins accounts has the bank to themselves: what is held cannot become another one from here on.
        const held = yield* store.accounts(bank.id)
        const now = yield* Timestamp.now
        const unreadIds = new Set(unread.map(({ providerAccountId }) => providerAccountId))
        // What is listed under its own id is no other account, however alike.
        const known = matchAccounts(
          held.filter(({ providerAccountId }) => !unreadIds.has(providerAccountId)),
          observed
        )
        const listed: Array<Account> = []
        for (const one of observed) listed.push(yield* accountOf(bank, known.get(one), one))
        const listedIds = new Set(listed.map((account) => account.id))
        const left = held.filter((account) => !listedIds.has(account.id) && account.state === "open")
        // An id that none of them has may be what is wrong with the account: then it can be any of them.
        const heldIds = new Set(held.map(({ providerAccountId }) => providerAccountId))
        const isAnyone = unread.some(({ providerAccountId }) => !heldIds.has(providerAccountId))
        const isUnread = ({ providerAccountId }: Account): boolean => isAnyone || unreadIds.has(providerAccountId)
        const missing = left
          .filter((account) => !isUnread(account))
          .map((account): Account => ({ ...account, state: "missing", updatedAt: now }))
        const all = [...listed, ...missing]
        yield* store.putAccounts(all)
        yield* events.append([...accountEvents(held, all, cause), ...(yield* suggested(bank, held, listed, cause))])
        const before = new Set(held.filter(({ state }) => state === "open").map(({ id }) => id))
        const agrees = missing.length === 0 && listed.every(({ id }) => before.has(id))
        return { accounts: all, agrees, unread: left.filter(isUnread) } satisfies AccountList
      })

      const read = Effect.fn("AccountLists.read")(function* <E>(
        bank: Bank,
        session: Pick<ProviderSession, "listAccounts" | "unreadAccounts">,
        first: (unread: ReadonlyArray<UnreadAccount>) => Effect.Effect<void, E>,
        cause: ActorRef
      ) {
        const observed = yield* session.listAccounts
        const unread = yield* session.unreadAccounts ?? Effect.succeed([])
        return yield* atomically(Effect.andThen(first(unread), write(bank, observed, unread, cause)))
      })

      return AccountLists.of({ read, write })
    })
  )
}
