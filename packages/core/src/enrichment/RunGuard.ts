/** What a run does around steps that take much work: it leaves a mark before them, so that the next run knows what killed this one. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Id } from "../shared/Ids.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"

type EnrichmentId = Id<"enrichment">

export interface RunGuard {
  /** Enrichments that have killed processes: they are set aside from the start. */
  readonly aside: ReadonlySet<string>
  /**
   * The work of these enrichments, with a mark that is there while it goes on, and only then. With `afterSeconds` the mark is left
   * once the work has gone on for so long: for work that is done beside this thread, which kills no process in its first moments.
   */
  readonly around: <A, E, R>(
    enrichmentIds: ReadonlyArray<EnrichmentId>,
    work: Effect.Effect<A, E, R>,
    options?: { readonly afterSeconds: number }
  ) => Effect.Effect<A, E | StorageUnavailable, R>
}

/** Without a run nothing is marked: what is only shown is asked for again by the caller who wants it. */
export const CurrentRunGuard = Context.Reference<RunGuard>("@millrace/core/enrichment/CurrentRunGuard", {
  defaultValue: () => ({ aside: new Set(), around: (_, work) => work })
})
