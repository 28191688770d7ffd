/**
 * Port: answers of models, kept so that nothing is asked twice and a repeat says the same (enrichments D6.3).
 *
 * Keys are hashes that hold everything that an answer follows from, the model included; the store does not look into them.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"

export interface CachedAnswer {
  /** `null` where the model abstained, or did not answer. */
  readonly answer: string | null
  /** 0 to 1. */
  readonly probability: number
}

export interface NewAnswer extends CachedAnswer {
  readonly key: string
  /** Days after which it is asked again; kept as long as there is room where it is left out. */
  readonly days?: number
}

export class AnswerCache extends Context.Service<
  AnswerCache,
  {
    /**
     * Answers by key. Those that have expired are left out, unless `evenExpired`: what is reported again is reported as it was, as long
     * as the answer is there.
     */
    readonly find: (
      workspaceId: WorkspaceId,
      keys: ReadonlyArray<string>,
      evenExpired: boolean
    ) => Effect.Effect<ReadonlyMap<string, CachedAnswer>, StorageUnavailable>
    /** Keeps answers; of one key the later counts. */
    readonly keep: (
      workspaceId: WorkspaceId,
      answers: ReadonlyArray<NewAnswer>
    ) => Effect.Effect<void, StorageUnavailable>
    /**
     * Forgets at most `limit` answers: those that expired more than a day ago, and of workspaces with more than
     * `limits.modelAnswers` the oldest. Returns how many.
     */
    readonly purge: (limit: number) => Effect.Effect<number, StorageUnavailable>
  }
>()("@millrace/core/model/AnswerCache") {}
