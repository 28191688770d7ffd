/**
 * Port: joins of accounts, and what they move. Anyone who writes holds the leases of the banks of both accounts; all of one
 * join is one transaction.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { DataType } from "../record/DataType.ts"
import type { Timestamp } from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import type { AccountId } from "./Account.ts"
import type { AccountJoin } from "./AccountJoin.ts"

/** Records of one type that go from one account to another. */
export interface RecordMove {
  readonly workspaceId: WorkspaceId
  readonly from: AccountId
  readonly to: AccountId
  readonly dataType: DataType
  /** Unique; unknown ones are left out. */
  readonly ids: ReadonlyArray<string>
}

type Stored<A> = Effect.Effect<A, StorageUnavailable>

export class AccountJoinStore extends Context.Service<
  AccountJoinStore,
  {
    /** Keeps a join: `joinedId` is part of `accountId` from now on. */
    readonly insert: (join: AccountJoin) => Stored<void>
    /** Forgets a join with the matches that it made: `joinedId` is an account of its own again. */
    readonly remove: (join: AccountJoin) => Stored<void>
    /** Joins of an account, newest first: those by which others became part of it. */
    readonly of: (workspaceId: WorkspaceId, accountId: AccountId) => Stored<ReadonlyArray<AccountJoin>>
    /** The join by which an account became part of another one. */
    readonly into: (workspaceId: WorkspaceId, joinedId: AccountId) => Stored<Option.Option<AccountJoin>>
    /**
     * Two accounts exchange their upstreams: bank, the upstream's ids and keys, what it says of the account, how far it was
     * read, whether its ids are believed, and former ids of records. Their ids, names and records stay. Done twice it is as before.
     */
    readonly exchange: (workspaceId: WorkspaceId, one: AccountId, other: AccountId, at: Timestamp) => Stored<void>
    /**
     * Moves records, tombstones and merged ones too, with what is remembered of them and of their lines, but for their former ids. They keep their ids,
     * versions and times, and get the next change numbers of the account they come to, in the order of those that they had.
     * Suggestions where only one side moves are forgotten. Enrichments that look at sets of records look at them again.
     */
    readonly move: (move: RecordMove) => Stored<void>
  }
>()("@millrace/core/bank/AccountJoinStore") {}
