/**
 * Port: the audit, one chain of entries for each workspace.
 *
 * An entry is begun before what it tells is tried, and ended after it: whatever happened has an entry, even where the
 * process died in between. Entries that have ended get their number and hash in a step of its own, in the order in which
 * they were begun. One that nobody ended within `limits.auditMinutes` is taken as it was begun.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Timestamp } from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import type { AuditEntryId, AuditOutcome } from "./AuditEntry.ts"

/** An entry as stores keep it: the text that is hashed, and what it can be searched by. */
export interface AuditRow {
  readonly id: AuditEntryId
  readonly workspaceId: WorkspaceId
  readonly at: Timestamp
  readonly actorId: string
  readonly operationId: string
  readonly resourceId?: string
  readonly outcome: AuditOutcome
  /** `AuditContent` as JSON text. */
  readonly content: string
}

/** An entry with its place in the chain. */
export interface ChainedRow extends AuditRow {
  /** 1, 2, 3 and so on in each workspace. */
  readonly number: number
  readonly hash: string
}

/** The ends of a chain. */
export interface AuditChain {
  /** The number and hash of the newest entry; 0 and `chainStart` where there is none. */
  readonly newest: { readonly number: number; readonly hash: string }
  /** The newest of those that are not kept any more. */
  readonly forgotten: { readonly number: number; readonly hash: string }
}

export interface AuditQuery {
  /** Inclusive. */
  readonly from?: Timestamp
  readonly to?: Timestamp
  readonly actorId?: string
  readonly operationId?: string
  readonly resourceId?: string
  readonly outcome?: AuditOutcome
  readonly limit: number
  /** The number of the last entry of the page before. */
  readonly before?: number
}

export class AuditStore extends Context.Service<
  AuditStore,
  {
    /** Begins an entry, as it is to be believed if nobody ends it. */
    readonly begin: (row: AuditRow) => Effect.Effect<void, StorageUnavailable>
    /** Ends an entry that was begun with that id; one that has its number already stays, and this one comes after it. */
    readonly end: (row: AuditRow) => Effect.Effect<void, StorageUnavailable>
    /** Entries that have their place, newest first; those that have ended get it first. Not in a transaction. */
    readonly list: (
      workspaceId: WorkspaceId,
      query: AuditQuery
    ) => Effect.Effect<ReadonlyArray<ChainedRow>, StorageUnavailable>
    /** Oldest first, after that number. */
    readonly chain: (
      workspaceId: WorkspaceId,
      after: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<ChainedRow>, StorageUnavailable>
    /** The ends of the chain; entries that have ended get their place first. Not in a transaction. */
    readonly ends: (workspaceId: WorkspaceId) => Effect.Effect<AuditChain, StorageUnavailable>
    /** Gives their place to entries of all workspaces that have ended. Returns how many. Not in a transaction. */
    readonly seal: Effect.Effect<number, StorageUnavailable>
    /** Forgets at most `limit` entries begun more than `limits.auditDays` ago, the oldest of a chain first. Returns how many. */
    readonly purge: (limit: number) => Effect.Effect<number, StorageUnavailable>
  }
>()("@millrace/core/audit/AuditStore") {}
