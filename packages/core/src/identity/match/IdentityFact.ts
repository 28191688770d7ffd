/**
 * What a person decided about the identity of records (enrichments A8). Facts are only ever added and lifted,
 * so together they tell who decided what, and when.
 */
import type { ActorRef } from "../../access/ActorRef.ts"
import type { AccountId } from "../../bank/Account.ts"
import type { DataType } from "../../record/DataType.ts"
import type { Id } from "../../shared/Ids.ts"
import type { Timestamp } from "../../shared/Timestamp.ts"
import type { WorkspaceId } from "../../workspace/Workspace.ts"

/**
 * `forbid`: two records are two events. `delete`: the record is none and never comes back by itself.
 * `keep`: the record is one, whatever the upstream shows.
 */
export const factKinds = ["forbid", "delete", "keep"] as const
export type FactKind = (typeof factKinds)[number]

/** By what an observation is known: its upstream id (`""` for none) and the hash of its content. */
export interface ObservationKey {
  readonly providerId: string
  readonly hash: string
}

export interface IdentityFact {
  readonly id: Id<"fact">
  readonly workspaceId: WorkspaceId
  readonly accountId: AccountId
  readonly dataType: DataType
  readonly kind: FactKind
  readonly recordId: string
  /** Of `forbid`: what the record was known by then. */
  readonly key?: ObservationKey
  /** Of `forbid`: the other record, and what it was known by then. */
  readonly otherId?: string
  readonly otherKey?: ObservationKey
  readonly by: ActorRef
  readonly at: Timestamp
  readonly lifted?: { readonly by: ActorRef; readonly at: Timestamp }
}
