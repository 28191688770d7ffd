/** Port: banks, their connections and accounts. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Account, AccountId } from "./Account.ts"
import type { Connection, SecretValues } from "../provider/Connect.ts"
import type { MadeKind } from "../provider/ProviderKind.ts"
import type { DataType } from "../record/DataType.ts"
import type { CalendarDate } from "../shared/CalendarDate.ts"
import type { Id } from "../shared/Ids.ts"
import type { Timestamp } from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import type { Bank, BankId } from "./Bank.ts"
import type { BankLife } from "./BankRemoval.ts"
import type { KeptStatus } from "../provider/ConnectionHealth.ts"

/** How a bank is reached. Secrets are sealed before they reach a disk. */
export interface BankConnection {
  readonly instanceId: string
  readonly connection: Connection
}

/** Whether two have the same reference and the same secrets. */
export const isSameConnection = (a: Connection, b: Connection): boolean => {
  const names = Object.keys(a.secrets)
  return (
    a.ref === b.ref &&
    names.length === Object.keys(b.secrets).length &&
    names.every((name) => a.secrets[name] === b.secrets[name])
  )
}

/** Null takes an icon away. */
export interface BankDetails {
  readonly name?: string
  readonly icon?: string | null
  readonly order?: number
}

/** What people say of an account. A name of null gives the upstream's back. */
export interface AccountDetails {
  readonly accountName?: string | null
  readonly signOverride?: boolean
  /** `null`: it is asked for no longer. */
  readonly signAskedAt?: Timestamp | null
}

/** A bank that is made for a feed. */
export type SyntheticBank = Bank & Required<Pick<Bank, "madeFor">> & { readonly source: MadeKind }

export class BankStore extends Context.Service<
  BankStore,
  {
    /** `connection` is `undefined` for banks that nobody connected. */
    readonly insert: (bank: Bank, connection: BankConnection | undefined) => Effect.Effect<void, StorageUnavailable>
    /**
     * By order, then age: those that were not deleted and those that are being removed; `deleted`: the others instead. None
     * that was made for a feed.
     */
    readonly list: (
      workspaceIds: ReadonlyArray<WorkspaceId>,
      which?: "live" | "deleted"
    ) => Effect.Effect<ReadonlyArray<Bank>, StorageUnavailable>
    /** None that was made for a feed. */
    readonly get: (workspaceId: WorkspaceId, id: BankId) => Effect.Effect<Option.Option<Bank>, StorageUnavailable>
    /** Those that were made for a feed, one for each kind of source. Nothing else leads to them. */
    readonly made: (feedId: Id<"feed">) => Effect.Effect<ReadonlyArray<Bank>, StorageUnavailable>
    /**
     * The bank of that source that was made for that feed: this one, where there was none. Until the transaction ends
     * nobody else has it. The transaction holds the feed already (`FeedStore.hold`).
     */
    readonly holdMade: (bank: SyntheticBank) => Effect.Effect<Bank, StorageUnavailable>
    /**
     * The bank, which nobody else changes until the transaction ends; anyone who makes a feed of its accounts waits as well.
     * None that was made for a feed.
     */
    readonly hold: (workspaceId: WorkspaceId, id: BankId) => Effect.Effect<Option.Option<Bank>, StorageUnavailable>
    /** Of these, the ones that are live (`isLive`): until the transaction ends they stay so. In no order. */
    readonly holdLive: (
      workspaceId: WorkspaceId,
      ids: ReadonlyArray<BankId>
    ) => Effect.Effect<ReadonlyArray<BankId>, StorageUnavailable>
    /** Whether it is deleted, and its removal; what is not given is no more. */
    readonly setLife: (id: BankId, life: BankLife, at: Timestamp) => Effect.Effect<void, StorageUnavailable>
    /** It is reached no more: reference and secrets go. */
    readonly dropConnection: (id: BankId) => Effect.Effect<void, StorageUnavailable>
    /** Of all workspaces, at most `limit` that were deleted by then and are not being removed; the oldest deletion first. */
    readonly purgeable: (deletedBy: Timestamp, limit: number) => Effect.Effect<ReadonlyArray<Bank>, StorageUnavailable>
    /**
     * The bank of an upstream connection that was not deleted, so that connecting it twice makes one bank; `deleted`: the
     * one that was deleted last instead.
     */
    readonly byConnection: (
      workspaceId: WorkspaceId,
      instanceId: string,
      ref: string,
      which?: "live" | "deleted"
    ) => Effect.Effect<Option.Option<Bank>, StorageUnavailable>
    /** The banks of an upstream connection in all workspaces, deleted ones too: at most 100, the oldest first. */
    readonly ofConnection: (instanceId: string, ref: string) => Effect.Effect<ReadonlyArray<Bank>, StorageUnavailable>
    /** Whether a bank of the workspace has a connection of the instance, deleted ones too. */
    readonly anyConnected: (workspaceId: WorkspaceId, instanceId: string) => Effect.Effect<boolean, StorageUnavailable>
    readonly connection: (id: BankId) => Effect.Effect<Option.Option<BankConnection>, StorageUnavailable>
    /** Another way to reach it, secrets included, with how that connection is: what it had is gone. */
    readonly replaceConnection: (
      id: BankId,
      connection: BankConnection,
      status: KeptStatus,
      at: Timestamp
    ) => Effect.Effect<void, StorageUnavailable>
    /**
     * Keeps secrets that the upstream gave in place of `known`. Only while the connection still has that reference and
     * those secrets: else it was reconnected, or somebody else has newer ones, and nothing changes. Returns what it
     * has then; none where the bank has no connection.
     */
    readonly rotateSecrets: (
      id: BankId,
      known: Connection,
      secrets: SecretValues
    ) => Effect.Effect<Option.Option<Connection>, StorageUnavailable>
    /** What people say of it; `false` where there is no such bank. */
    readonly update: (
      workspaceId: WorkspaceId,
      id: BankId,
      change: BankDetails,
      at: Timestamp
    ) => Effect.Effect<boolean, StorageUnavailable>
    /** Live banks with a connection that nobody has looked at since, oldest look first, of whichever workspace is reached. */
    readonly unchecked: (since: Timestamp, limit: number) => Effect.Effect<ReadonlyArray<Bank>, StorageUnavailable>
    readonly setStatus: (id: BankId, status: KeptStatus, at: Timestamp) => Effect.Effect<void, StorageUnavailable>
    /** With its accounts; their records stay. `false` when there is none. */
    readonly remove: (workspaceId: WorkspaceId, id: BankId) => Effect.Effect<boolean, StorageUnavailable>
    /** Oldest first; those that are part of another one as well (`isOwnAccount`). */
    readonly accounts: (bankId: BankId) => Effect.Effect<ReadonlyArray<Account>, StorageUnavailable>
    /** None of a bank that was made for a feed, and none that is part of another one. */
    readonly account: (
      workspaceId: WorkspaceId,
      bankId: BankId,
      id: AccountId
    ) => Effect.Effect<Option.Option<Account>, StorageUnavailable>
    /**
     * Inserts or replaces, by id; `historyFrom`, `readFrom`, what people said and what was joined stay as they are of those
     * that are there.
     */
    readonly putAccounts: (accounts: ReadonlyArray<Account>) => Effect.Effect<void, StorageUnavailable>
    /** What people say of it, beside what the upstream does. */
    readonly describeAccount: (
      id: AccountId,
      details: AccountDetails,
      at: Timestamp
    ) => Effect.Effect<void, StorageUnavailable>
    /** `undefined`: nothing kept days of the type from being read. */
    readonly setReadFrom: (
      id: AccountId,
      dataType: DataType,
      from: CalendarDate | undefined
    ) => Effect.Effect<void, StorageUnavailable>
    readonly setHistoryFrom: (id: AccountId, from: CalendarDate) => Effect.Effect<void, StorageUnavailable>
  }
>()("@millrace/core/bank/BankStore") {}
