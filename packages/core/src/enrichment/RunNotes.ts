/** Keeps how a run of a feed went for each of its enrichments, and tells once where one is degraded (enrichments A11). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ActorRef } from "../access/ActorRef.ts"
import { EventStore } from "../event/EventStore.ts"
import type { Feed } from "../feed/Feed.ts"
import type { Id } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import type { Enrichment } from "./Enrichment.ts"
import type { PipelineFault } from "./Pipeline.ts"
import { enrichmentDegraded } from "./EnrichmentEvents.ts"
import { afterRun, type EnrichmentRun, runIdOf } from "./EnrichmentRun.ts"
import { EnrichmentRunStore } from "./EnrichmentRunStore.ts"

export interface NotedRun<E> {
  readonly feed: Pick<Feed, "id" | "workspaceId">
  readonly jobId: Id<"job">
  /** Those that looked at the feed. */
  readonly enrichments: ReadonlyArray<Enrichment>
  /** Each message of each enrichment once. */
  readonly faults: ReadonlyArray<PipelineFault>
  /** How often each of them failed, where that is more than the messages say. */
  readonly counts: ReadonlyMap<string, number>
  readonly looked: number
  /** Those that plan again in each run what they failed on before: of them, a run without faults shows that all is well. */
  readonly analysed: ReadonlySet<string>
  readonly isWhole: boolean
  readonly cause: ActorRef
  /** First call of the transaction: fails where the run may write no longer. */
  readonly guard: Effect.Effect<void, E>
}

export class RunNotes extends Context.Service<
  RunNotes,
  { readonly note: <E>(run: NotedRun<E>) => Effect.Effect<void, E | StorageUnavailable> }
>()("@millrace/core/enrichment/RunNotes") {
  static readonly layer: Layer.Layer<RunNotes, never, EnrichmentRunStore | EventStore | Transactor> = Layer.effect(
    RunNotes,
    Effect.gen(function* () {
      const store = yield* EnrichmentRunStore
      const events = yield* EventStore
      const { atomically } = yield* Transactor

      const note = Effect.fnUntraced(function* <E>(run: NotedRun<E>) {
        const { analysed, cause, counts, enrichments, faults, feed, guard, isWhole, jobId, looked } = run
        if (enrichments.length === 0) return
        const kept = yield* store.page({
          workspaceIds: [feed.workspaceId],
          where: { feedId: feed.id },
          limit: limits.enrichmentsPerWorkspace
        })
        const known = new Map(kept.map((one) => [one.id, one]))
        const said = Map.groupBy(faults, ({ enrichmentId }) => enrichmentId)
        const at = yield* Timestamp.now
        const changed: Array<{
          readonly enrichment: Enrichment
          readonly before: EnrichmentRun | undefined
          readonly after: EnrichmentRun
        }> = []
        for (const enrichment of enrichments) {
          const { id: enrichmentId, revision } = enrichment
          const before = known.get(runIdOf(enrichmentId, feed.id))
          const messages = [...new Set((said.get(enrichmentId) ?? []).map(({ message }) => message))]
          const after = afterRun(before, {
            workspaceId: feed.workspaceId,
            enrichmentId,
            feedId: feed.id,
            jobId,
            revision,
            faults: Math.max(messages.length, counts.get(enrichmentId) ?? 0),
            messages,
            looked: analysed.has(enrichmentId) ? Math.max(1, looked) : looked,
            isWhole,
            at
          })
          if (after !== before) changed.push({ enrichment, before, after })
        }
        if (changed.length === 0) return
        yield* atomically(
          Effect.gen(function* () {
            yield* guard
            yield* store.put(changed.map(({ after }) => after))
            // An enrichment that fails in several feeds is reported once.
            const fresh = changed.filter(({ after, before }) => after.isDegraded && before?.isDegraded !== true)
            for (const { after, enrichment } of fresh) {
              const { id, name, type } = enrichment
              const others = yield* store.page({
                workspaceIds: [feed.workspaceId],
                where: { enrichmentId: id },
                limit: limits.enrichmentRunsRead
              })
              if (others.some((one) => one.feedId !== feed.id && one.isDegraded)) continue
              const { faults: openFaults, feedId, messages: lastFaults, since } = after
              const data = { enrichment: { id, name, type }, feedId, since, openFaults, lastFaults }
              yield* events.append([
                enrichmentDegraded.of({ workspaceId: feed.workspaceId, subjectId: id, cause, data })
              ])
            }
          })
        )
      })

      return RunNotes.of({ note: note as RunNotes["Service"]["note"] })
    })
  )
}
