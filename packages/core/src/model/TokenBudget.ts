/**
 * Port: tokens that may be used in a month, counted for an enrichment, for a workspace at an endpoint, and for an endpoint in
 * all (enrichments D6.4, decisions 13 "Models").
 *
 * Tokens are reserved before a model is asked, in one step with the check of every limit, and settled with the tokens that were
 * used. Concurrent calls therefore never reserve more than a limit, on however many machines they run.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Id } from "../shared/Ids.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"

export interface BudgetScope {
  readonly workspaceId: WorkspaceId
  readonly enrichmentId: Id<"enrichment">
  /** The name of the operator's endpoint. Without one, only the enrichment is counted. */
  readonly endpoint?: string | undefined
  /** In UTC: `2026-03`. */
  readonly month: string
}

/** Most tokens of a month. What is counted for a workspace or an endpoint outlives the enrichments that used it. */
export interface TokenLimits {
  readonly enrichment: number
  /** Of the workspace at the endpoint; no limit unless given. */
  readonly workspace?: number | undefined
  /** Of all workspaces at the endpoint; no limit unless given. */
  readonly total?: number | undefined
}

/** The number of the reservation, or the limit that leaves no room for it. */
export type TokenReservation = { readonly id: number } | { readonly exceeded: keyof TokenLimits }

export interface BudgetUse {
  /** Settled, and reservations that nobody settled in time. */
  readonly spent: number
  /** Reserved by calls that have not ended. */
  readonly reserved: number
}

export class TokenBudget extends Context.Service<
  TokenBudget,
  {
    /** Reserves tokens under every limit, or under none. */
    readonly reserve: (
      scope: BudgetScope,
      tokens: number,
      limits: TokenLimits
    ) => Effect.Effect<TokenReservation, StorageUnavailable>
    /**
     * Replaces the reservation by the tokens that were used. One that is older than `limits.modelReservationMinutes` counts as
     * spent and is not changed any more; nor is one that was settled.
     */
    readonly settle: (scope: BudgetScope, reservation: number, used: number) => Effect.Effect<void, StorageUnavailable>
    /** Tokens of the enrichment. */
    readonly use: (scope: BudgetScope) => Effect.Effect<BudgetUse, StorageUnavailable>
    /** Deletes at most `limit` counts of each kind for months that ended more than 400 days ago. Returns how many. */
    readonly purge: (limit: number) => Effect.Effect<number, StorageUnavailable>
  }
>()("@millrace/core/model/TokenBudget") {}
