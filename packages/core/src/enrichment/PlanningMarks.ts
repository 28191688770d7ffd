/**
 * Marks of enrichments that do much work (decision 74). A process that stops in order takes its marks away, so a mark that the next
 * run of the feed finds was left by a process that died. After two such deaths the enrichment is set aside until a person changes it.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type { ActorRef } from "../access/ActorRef.ts"
import type { EventStore } from "../event/EventStore.ts"
import type { Feed } from "../feed/Feed.ts"
import { Digest } from "../shared/Digest.ts"
import type { Id } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import type { Enrichment } from "./Enrichment.ts"
import { type EnrichmentRun, runIdOf } from "./EnrichmentRun.ts"
import { EnrichmentRunStore } from "./EnrichmentRunStore.ts"
import { makeFindingKeeping } from "./FindingKeeping.ts"
import type { FindingStore } from "./FindingStore.ts"
import type { PlannedFinding } from "./kinds/PlannedFinding.ts"
import type { RunGuard } from "./RunGuard.ts"

/** The partition of the one finding that is nobody's plan. */
const partition = "set aside"

const findingOf = ({ id, name }: Enrichment, deaths: number): PlannedFinding => ({
  key: "set_aside",
  kind: "set_aside",
  title: `It was set aside: the server died ${deaths} times while it worked`,
  subject: { kind: "enrichment", id },
  data: { enrichmentId: id, name, deaths }
})

export interface MarkedRun {
  readonly feed: Pick<Feed, "id" | "workspaceId" | "dataType">
  readonly jobId: Id<"job">
  /** Those that look at the feed. */
  readonly enrichments: ReadonlyArray<Enrichment>
  readonly cause: ActorRef
}

export class PlanningMarks extends Context.Service<
  PlanningMarks,
  {
    /** Counts what runs before have left; call it when a run begins. */
    readonly guardOf: (run: MarkedRun) => Effect.Effect<RunGuard, StorageUnavailable>
  }
>()("@millrace/core/enrichment/PlanningMarks") {
  static readonly layer: Layer.Layer<
    PlanningMarks,
    never,
    EnrichmentRunStore | FindingStore | EventStore | Transactor | Digest
  > = Layer.effect(
    PlanningMarks,
    Effect.gen(function* () {
      const store = yield* EnrichmentRunStore
      const keepFindings = yield* makeFindingKeeping
      const { atomically } = yield* Transactor
      const { sha256 } = yield* Digest

      const runsOf = ({ feed }: MarkedRun) =>
        store.page({
          workspaceIds: [feed.workspaceId],
          where: { feedId: feed.id },
          limit: limits.enrichmentsPerWorkspace
        })

      /** Leaves marks, or takes them away. */
      const mark = Effect.fnUntraced(function* (run: MarkedRun, ids: ReadonlyArray<string>, isThere: boolean) {
        const { enrichments, feed, jobId } = run
        const known = new Map((yield* runsOf(run)).map((one) => [one.enrichmentId, one]))
        const since = yield* Timestamp.now
        const changed = enrichments.flatMap((enrichment): ReadonlyArray<EnrichmentRun> => {
          const { id: enrichmentId, revision, version } = enrichment
          if (!ids.includes(enrichmentId) || (!isThere && known.get(enrichmentId)?.mark === undefined)) return []
          const fresh: EnrichmentRun = {
            id: runIdOf(enrichmentId, feed.id),
            workspaceId: feed.workspaceId,
            enrichmentId,
            feedId: feed.id,
            jobId,
            revision,
            faults: 0,
            failedRuns: 0,
            messages: [],
            isDegraded: false,
            since
          }
          const { mark: _, ...rest } = known.get(enrichmentId) ?? fresh
          return [isThere ? { ...rest, mark: version } : rest]
        })
        if (changed.length > 0) yield* atomically(store.put(changed))
      })

      return PlanningMarks.of({
        guardOf: Effect.fnUntraced(function* (run) {
          const { cause, enrichments, feed } = run
          const byId = new Map<string, Enrichment>(enrichments.map((one) => [one.id, one]))
          const aside = new Set<string>()
          for (const one of yield* runsOf(run)) {
            const enrichment = byId.get(one.enrichmentId)
            if (enrichment === undefined || (one.mark === undefined && one.deaths === undefined)) continue
            const { version } = enrichment
            const { deaths, mark: left, ...rest } = one
            const before = deaths?.version === version ? deaths.count : 0
            const count = left === version ? before + 1 : before
            const isAside = count >= limits.planningDeaths
            if (isAside) aside.add(enrichment.id)
            if (left === undefined && count === deaths?.count) continue
            yield* atomically(
              Effect.gen(function* () {
                yield* store.put([count === 0 ? rest : { ...rest, deaths: { count, version } }])
                yield* keepFindings({
                  scope: { workspaceId: feed.workspaceId, dataType: feed.dataType },
                  enrichmentId: enrichment.id,
                  planned: new Set([partition]),
                  found: isAside ? [{ partition, finding: findingOf(enrichment, count) }] : [],
                  quiet: false,
                  cause,
                  sha256
                })
              })
            )
          }
          return {
            aside,
            around: (ids, work, options) =>
              options === undefined
                ? Effect.acquireUseRelease(
                    mark(run, ids, true),
                    () => work,
                    () => Effect.ignore(mark(run, ids, false))
                  )
                : Effect.acquireUseRelease(
                    Effect.forkDetach(Effect.delay(mark(run, ids, true), Duration.seconds(options.afterSeconds))),
                    () => work,
                    (marking) => Effect.ignore(Effect.andThen(Fiber.interrupt(marking), mark(run, ids, false)))
                  )
          } satisfies RunGuard as RunGuard
        })
      })
    })
  )
}
