/**
 * Accounts that come back under a new id (decisions 12): a person says that two accounts are one, and can take it back.
 *
 * The older account goes on, with everything that refers to it, and is read where the younger one was: the two exchange their
 * upstreams. The records of the younger one move to it with their ids; those that both have become one by the same questions
 * that identity asks of every read. All of it is one transaction under the leases of both banks, and so is taking it back.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { permit, reach, shows } from "../access/Access.ts"
import type { Caller } from "../access/Caller.ts"
import { type Account, type AccountId, type AccountRef, isOwnAccount } from "../bank/Account.ts"
import { AloneWithBanks, bankIsRead } from "../bank/AloneWithBanks.ts"
import type { AccountJoin } from "../bank/AccountJoin.ts"
import { AccountJoinStore } from "../bank/AccountJoinStore.ts"
import { type Bank, type BankId, natureOf } from "../bank/Bank.ts"
import { accountJoined, accountParted } from "../bank/BankEvents.ts"
import { unusableBank } from "../bank/BankRemoval.ts"
import { BankStore } from "../bank/BankStore.ts"
import { joinSuggestions, type JoinSuggestion, mayBeOneType, type Owned, makeOwnedOf } from "../bank/JoinSuggestions.ts"
import type { DeliveryStore } from "../destination/DeliveryStore.ts"
import type { AnalysisStore } from "../enrichment/AnalysisStore.ts"
import type { Enrichment } from "../enrichment/Enrichment.ts"
import type { EnrichmentStore } from "../enrichment/EnrichmentStore.ts"
import type { Kinds } from "../enrichment/Kinds.ts"
import { EventStore } from "../event/EventStore.ts"
import { Conflict, type Forbidden, NotFound, Unprocessable } from "../failure/Failure.ts"
import type { FeedStore } from "../feed/FeedStore.ts"
import type { IdentityStore } from "../identity/IdentityStore.ts"
import type { RecordEdits } from "../identity/RecordEdits.ts"
import type { JobStore } from "../job/JobStore.ts"
import type { RecordStore } from "../record/RecordStore.ts"
import { Ids } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { Leases } from "../storage/Lease.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { Transactor } from "../storage/Transactor.ts"
import type { TaskStore } from "../task/TaskStore.ts"
import { EnrichmentsOfAccounts } from "./EnrichmentsOfAccounts.ts"
import { FeedsOfAccounts } from "./FeedsOfAccounts.ts"
import { JoinedRecords } from "./JoinedRecords.ts"

/** The account that goes on, and what of the other one became part of it. */
export interface JoinedAccount {
  readonly bank: Bank
  readonly account: Account
  readonly join: AccountJoin
}

/** What was joined, what could be. */
export interface AccountJoinList {
  readonly joins: ReadonlyArray<AccountJoin>
  readonly suggestions: ReadonlyArray<JoinSuggestion>
}

export interface PartedAccounts {
  readonly accounts: readonly [Owned, Owned]
  /** Enrichments that named the younger account before, and that somebody changed while the two were one: as they are. */
  readonly left: ReadonlyArray<Enrichment>
}

type ReadError = NotFound | Conflict | Forbidden | StorageUnavailable
type ActError = ReadError | Unprocessable

const dayMillis = 86_400_000

type JoinOperation = "joinAccounts" | "partAccounts" | "listAccountJoins"

const refuse = (message: string) =>
  new Unprocessable({ code: "VALIDATION_FAILED", message, details: [{ field: "accountId", message }] })

/** Why two accounts cannot be one. */
const faultOf = (a: Owned, b: Owned): Unprocessable | undefined => {
  if (natureOf(a.bank) !== "connected" || natureOf(b.bank) !== "connected") {
    return refuse(
      "Only accounts of connections can be joined; files for an account of a connection are uploaded to a feed that names it"
    )
  }
  if (a.account.currency !== b.account.currency) {
    return refuse(`An account in ${b.account.currency} cannot be one with an account in ${a.account.currency}`)
  }
  if (!mayBeOneType(a.account.accountType, b.account.accountType)) {
    return refuse(
      `An account of type ${b.account.accountType} cannot be one with an account of type ${a.account.accountType}`
    )
  }
  return undefined
}

const turning = new Conflict({
  code: "INVALID_STATE",
  message: "The amounts of one of the accounts are being flipped (signChange): try again when that is done",
  details: []
})

const isRead = ({ account, bank }: Owned): boolean =>
  account.state === "open" && bank.connectionStatus?.connected !== false

export class AccountJoins extends Context.Service<
  AccountJoins,
  {
    /** What became part of the account, newest first, and which accounts may be the same one, with what supports it. */
    readonly list: (caller: Caller, ref: AccountRef) => Effect.Effect<AccountJoinList, ReadError>
    /**
     * The two accounts are one from now on: the older one goes on, read where the younger one was, unless that one can be read
     * no longer. Feeds that named either name it. Said again, it is as it is. Fails where they cannot be one, and while
     * one of their banks is read.
     */
    readonly join: (caller: Caller, ref: AccountRef, other: AccountId) => Effect.Effect<JoinedAccount, ActError>
    /**
     * Takes back the latest join of the account. Both are as they were; what arrived since belongs to the account whose
     * upstream it came from.
     */
    readonly part: (caller: Caller, ref: AccountRef) => Effect.Effect<PartedAccounts, ActError>
  }
>()("@millrace/core/usecase/AccountJoins") {
  static readonly layer: Layer.Layer<
    AccountJoins,
    never,
    | BankStore
    | AccountJoinStore
    | RecordStore
    | IdentityStore
    | AnalysisStore
    | EnrichmentStore
    | Kinds
    | TaskStore
    | RecordEdits
    | FeedStore
    | JobStore
    | DeliveryStore
    | EventStore
    | Leases
    | Transactor
    | Ids
  > = Layer.effect(
    AccountJoins,
    Effect.gen(function* () {
      const banks = yield* BankStore
      const joins = yield* AccountJoinStore
      const events = yield* EventStore
      const banksAlone = yield* AloneWithBanks
      const ids = yield* Ids
      const feeds = yield* FeedsOfAccounts
      const enrichments = yield* EnrichmentsOfAccounts
      const joined = yield* JoinedRecords

      const usable = Effect.fnUntraced(function* (bank: Bank) {
        const refusal = unusableBank(bank)
        return refusal === undefined ? bank : yield* refusal
      })

      const everyAccount = yield* makeOwnedOf

      const opened = Effect.fnUntraced(function* (
        caller: Caller,
        operation: JoinOperation,
        { accountId, bankId }: AccountRef
      ) {
        const { workspace } = caller.principal
        const bank = yield* usable(yield* reach(caller, operation, "Bank", yield* banks.get(workspace.id, bankId)))
        const found = yield* banks.account(workspace.id, bankId, accountId)
        return { bank, account: yield* reach(caller, operation, "Account", found) } satisfies Owned
      })

      /** Alone with the banks; none goes meanwhile. */
      const alone = Effect.fnUntraced(function* <A, E, R>(
        workspaceId: Bank["workspaceId"],
        bankIds: ReadonlyArray<BankId>,
        body: Effect.Effect<A, E, R>
      ) {
        const each = [...new Set(bankIds)].toSorted()
        return yield* banksAlone.act(each, () =>
          Effect.gen(function* () {
            for (const id of each) {
              const bank = yield* banks.hold(workspaceId, id)
              if (Option.isNone(bank)) return yield* new NotFound({ resource: "Bank" })
              yield* usable(bank.value)
            }
            return yield* body
          })
        )
      })

      /** As it is now, under the leases; somebody else was faster where it is not what was asked for. */
      const again = Effect.fnUntraced(function* ({ account: { bankId, id, workspaceId } }: Owned) {
        const account = (yield* banks.accounts(bankId)).find((held) => held.id === id && isOwnAccount(held))
        const bank = yield* banks.get(workspaceId, bankId)
        if (account === undefined || Option.isNone(bank)) return yield* bankIsRead
        if (account.signAskedAt !== undefined) return yield* turning
        return { bank: bank.value, account } satisfies Owned
      })

      /** An account of the workspace by its id alone, where the caller may do this to it and to its bank. */
      const byId = Effect.fnUntraced(function* (caller: Caller, operation: JoinOperation, id: AccountId) {
        const found = (yield* everyAccount(caller.principal.workspace.id)).find(({ account }) => account.id === id)
        if (found === undefined) return yield* new NotFound({ resource: "Account" })
        yield* reach(caller, operation, "Account", Option.some(found.bank))
        yield* reach(caller, operation, "Account", Option.some(found.account))
        return found
      })

      const joinedOf = Effect.fnUntraced(function* (caller: Caller, made: AccountJoin) {
        return { ...(yield* byId(caller, "joinAccounts", made.accountId)), join: made } satisfies JoinedAccount
      })

      const join: AccountJoins["Service"]["join"] = Effect.fn("AccountJoins.join")(function* (caller, ref, otherId) {
        yield* permit(caller, "joinAccounts")
        const { workspace } = caller.principal
        if (ref.accountId === otherId) return yield* refuse("An account cannot be joined with itself")
        // Said again: the account of the path may be the one that is part of the other by now.
        for (const [part, whole] of [
          [ref.accountId, otherId],
          [otherId, ref.accountId]
        ] as const) {
          const before = yield* joins.into(workspace.id, part)
          if (Option.isSome(before) && before.value.accountId === whole) return yield* joinedOf(caller, before.value)
        }
        const one = yield* opened(caller, "joinAccounts", ref)
        const other = yield* byId(caller, "joinAccounts", otherId).pipe(
          Effect.catchTag("NotFound", () => refuse("accountId names no account of this workspace"))
        )
        if (other.account.joinedInto !== undefined) {
          return yield* refuse(`The account is part of ${other.account.joinedInto} already: name that one`)
        }
        yield* usable(other.bank)
        return yield* alone(
          workspace.id,
          [one.bank.id, other.bank.id],
          Effect.gen(function* () {
            const both = [yield* again(one), yield* again(other)] as const
            const fault = faultOf(both[0], both[1])
            if (fault !== undefined) return yield* fault
            const [elder, younger] = both.toSorted((a, b) => (a.account.id < b.account.id ? -1 : 1)) as [Owned, Owned]
            const exchanged = isRead(younger) || !isRead(elder)
            const now = yield* Timestamp.now
            const pair = [elder.account.id, younger.account.id] as const
            const named = yield* feeds.naming(workspace.id, pair)
            if (yield* feeds.areRunning(named)) return yield* bankIsRead
            const id = yield* ids.next("accountJoin")
            const bankId = exchanged ? younger.bank.id : elder.bank.id
            const decided = { by: caller.cause, at: now }
            const made: AccountJoin = {
              id,
              workspaceId: workspace.id,
              accountId: pair[0],
              joinedId: pair[1],
              exchanged,
              ...(yield* joined.join(id, elder.account, younger.account, exchanged, decided)),
              feeds: yield* feeds.join(named, pair, bankId, caller.cause),
              enrichments: yield* enrichments.join(workspace.id, pair),
              ...decided
            }
            yield* joins.insert(made)
            const data = { bankId, accountId: pair[0], joinedId: pair[1] }
            yield* events.append([
              accountJoined.of({ workspaceId: workspace.id, subjectId: pair[0], cause: caller.cause, data })
            ])
            return yield* joinedOf(caller, made)
          })
        )
      })

      const part: AccountJoins["Service"]["part"] = Effect.fn("AccountJoins.part")(function* (caller, ref) {
        yield* permit(caller, "partAccounts")
        const one = yield* opened(caller, "partAccounts", ref)
        const { workspaceId } = one.account
        const [latest] = yield* joins.of(workspaceId, ref.accountId)
        if (latest === undefined) {
          return yield* new Conflict({
            code: "INVALID_STATE",
            message: "No other account is part of this one",
            details: []
          })
        }
        const other = yield* byId(caller, "partAccounts", latest.joinedId)
        const now = yield* Timestamp.now
        if (Timestamp.toMillis(now) - Timestamp.toMillis(latest.at) > limits.matchDays * dayMillis) {
          return yield* new Conflict({
            code: "INVALID_STATE",
            message: `Accounts can be parted for ${limits.matchDays} days; after that it is forgotten which records were one`,
            details: []
          })
        }
        return yield* alone(
          workspaceId,
          [one.bank.id, other.bank.id],
          Effect.gen(function* () {
            const [kept] = yield* joins.of(workspaceId, ref.accountId)
            if (kept?.id !== latest.id) return yield* bankIsRead
            yield* again(one)
            const named = yield* feeds.naming(workspaceId, [kept.accountId])
            if (yield* feeds.areRunning(named)) return yield* bankIsRead
            const shares = yield* joined.part(kept, now)
            yield* joins.remove(kept)
            const parted = (yield* everyAccount(workspaceId)).filter(
              ({ account }) => account.id === kept.accountId || account.id === kept.joinedId
            )
            const elder = parted.find(({ account }) => account.id === kept.accountId)
            const younger = parted.find(({ account }) => account.id === kept.joinedId)
            if (elder === undefined || younger === undefined) return yield* bankIsRead
            yield* feeds.part(named, kept, [elder.account, younger.account], shares, caller.cause)
            const left = yield* enrichments.part(kept)
            const data = { bankId: elder.bank.id, accountId: kept.accountId, joinedId: kept.joinedId }
            yield* events.append([
              accountParted.of({ workspaceId, subjectId: kept.accountId, cause: caller.cause, data })
            ])
            return { accounts: [elder, younger], left } satisfies PartedAccounts
          })
        )
      })

      return AccountJoins.of({
        list: Effect.fn("AccountJoins.list")(function* (caller, ref) {
          const one = yield* opened(caller, "listAccountJoins", ref)
          const { workspaceId } = one.account
          const shown = (yield* everyAccount(workspaceId)).filter(
            ({ account, bank }) => shows(caller, "listAccountJoins", bank) && shows(caller, "listAccountJoins", account)
          )
          return {
            joins: yield* joins.of(workspaceId, ref.accountId),
            suggestions: joinSuggestions(one, shown)
          } satisfies AccountJoinList
        }),
        join,
        part
      })
    })
  ).pipe(Layer.provide([FeedsOfAccounts.layer, EnrichmentsOfAccounts.layer, JoinedRecords.layer, AloneWithBanks.layer]))
}
