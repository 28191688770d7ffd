/**
 * Port: tokens that an enrichment may use in a month (enrichments D6.4).
 *
 * Room is reserved before a model is asked, in one step with the look at what is left, and settled with what was used. So
 * batches at the same time cannot reserve more than the limit together, on however many machines they are.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Id } from "../shared/Ids.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"

export interface BudgetScope {
  readonly workspaceId: WorkspaceId
  readonly enrichmentId: Id<"enrichment">
  /** In UTC: `2026-03`. */
  readonly month: string
}

export interface BudgetUse {
  /** Settled, and reservations that nobody settled in time. */
  readonly spent: number
  /** Reserved by those who are asking now. */
  readonly reserved: number
}

export class TokenBudget extends Context.Service<
  TokenBudget,
  {
    /**
     * Reserves tokens where what was spent and is reserved leaves room for them under `limit`; a number that names the
     * reservation, or `undefined` where there is no room.
     */
    readonly reserve: (
      scope: BudgetScope,
      tokens: number,
      limit: number
    ) => Effect.Effect<number | undefined, StorageUnavailable>
    /**
     * Replaces the reservation by what was used. One that is older than `limits.modelReservationMinutes` counts as spent, and
     * is not changed any more; nor is one that was settled.
     */
    readonly settle: (scope: BudgetScope, reservation: number, used: number) => Effect.Effect<void, StorageUnavailable>
    readonly use: (scope: BudgetScope) => Effect.Effect<BudgetUse, StorageUnavailable>
    /** Forgets at most `limit` months that ended more than 400 days ago. Returns how many. */
    readonly purge: (limit: number) => Effect.Effect<number, StorageUnavailable>
  }
>()("@millrace/core/model/TokenBudget") {}
