/**
 * Port: leases, the right to be the only one at a resource for a time.
 *
 * A resource is any name, such as that of a bank (`bankLease`). Expiry is by the store's own clock. Anyone who comes late, but
 * before anybody else took the resource, is in time: nothing has happened to it meanwhile.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Timestamp } from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "./StorageUnavailable.ts"

/** Somebody else took the resource. Who had it writes nothing more to it. */
export class LeaseLost extends Schema.TaggedError<LeaseLost>()("LeaseLost", { resource: Schema.String }) {}

export interface Lease {
  readonly resource: string
  /** Unique among all who may want the resource: a process, a run, a request. */
  readonly holder: string
  /**
   * Greater than that of every earlier holder of the resource. What is outside of storage, and can compare numbers, refuses
   * with it who comes with a smaller one than it has seen.
   */
  readonly epoch: number
}

export class Leases extends Context.Service<
  Leases,
  {
    /**
     * Takes all of these for the holder, or none: `None` when somebody else has one that has not run out. What the holder
     * has already keeps its epoch and lasts at least as long as before. Two who name the same resources in other orders
     * do not wait for each other.
     */
    readonly take: (
      resources: ReadonlyArray<string>,
      holder: string,
      seconds: number
    ) => Effect.Effect<Option.Option<ReadonlyArray<Lease>>, StorageUnavailable>
    /** Lets them last so many seconds from now at least; returns those that are still held. */
    readonly extend: (
      leases: ReadonlyArray<Lease>,
      seconds: number
    ) => Effect.Effect<ReadonlyArray<Lease>, StorageUnavailable>
    /** First call of a writing transaction: fails for who lost the lease. Until it ends nobody can take the resource. */
    readonly fence: (lease: Lease) => Effect.Effect<void, LeaseLost | StorageUnavailable>
    /** Gives back everything that the holder has. */
    readonly free: (holder: string) => Effect.Effect<void, StorageUnavailable>
    /** Who has the resource now, and until when. */
    readonly current: (
      resource: string
    ) => Effect.Effect<Option.Option<Lease & { readonly expiresAt: Timestamp }>, StorageUnavailable>
    /** Forgets at most `limit` leases that ran out more than a day ago. Returns how many. */
    readonly purge: (limit: number) => Effect.Effect<number, StorageUnavailable>
  }
>()("@millrace/core/storage/Leases") {}
