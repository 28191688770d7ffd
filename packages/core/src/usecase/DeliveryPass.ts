/** From the ledger to the destination: what a job does after its pull, and all that a local run does. */
import * as Effect from "effect/Effect"
import type { ActorRef } from "../access/ActorRef.ts"
import { columnsOf } from "../destination/Columns.ts"
import { Deliverer } from "../destination/Deliverer.ts"
import type { DeliveryRun, RunOfFeed } from "../destination/DeliveryRun.ts"
import { Analysis } from "../enrichment/Analysis.ts"
import { EnrichmentStore } from "../enrichment/EnrichmentStore.ts"
import { covers, FeedPipelines } from "../enrichment/FeedPipelines.ts"
import { PlanningMarks } from "../enrichment/PlanningMarks.ts"
import { CurrentRunGuard, type RunGuard } from "../enrichment/RunGuard.ts"
import type { CompiledPipeline, PipelineFault } from "../enrichment/Pipeline.ts"
import type { Enrichment } from "../enrichment/Enrichment.ts"
import type { Feed } from "../feed/Feed.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import { makeRunRights, type RunRight } from "../job/RunRight.ts"
import { type Projection, Projector } from "../sync/Projector.ts"
import type { SourceResult } from "../sync/SourceResult.ts"
import type { CalendarDate } from "../shared/CalendarDate.ts"
import type { Workspace } from "../workspace/Workspace.ts"

export interface PassOf {
  readonly workspace: Workspace
  readonly feed: Feed
  readonly config: DeliveryRun["config"]
  readonly run: RunOfFeed
  readonly right: RunRight
  readonly accounts: SourceResult["accounts"]
  readonly today: CalendarDate
  readonly cause: ActorRef
}

/** A pass whose enrichments have looked at sets of records, and nothing has been worked out for the feed yet. */
export interface BegunPass {
  readonly of: PassOf
  /** All enrichments of the workspace. */
  readonly enrichments: ReadonlyArray<Enrichment>
  readonly pipeline: CompiledPipeline
  readonly analysed: ReadonlyArray<PipelineFault>
  readonly delivery: DeliveryRun
  readonly guard: RunGuard
}

export const makeDeliveryPass = Effect.gen(function* () {
  const feeds = yield* FeedStore
  const enrichments = yield* EnrichmentStore
  const pipelines = yield* FeedPipelines
  const analysis = yield* Analysis
  const projector = yield* Projector
  const deliverer = yield* Deliverer
  const marks = yield* PlanningMarks
  const { fence } = yield* makeRunRights

  const begin = Effect.fnUntraced(function* (of: PassOf, follows: boolean) {
    const { accounts, cause, config, feed, right, run, today, workspace } = of
    const all = yield* enrichments.list([feed.workspaceId])
    const pipeline = yield* pipelines.among(all, feed)
    const own = all.filter((one) => covers(one, feed))
    const guard = yield* marks.guardOf({ feed, jobId: run.id, enrichments: own, cause })
    const analysing = analysis.run({
      workspace,
      dataType: feed.dataType,
      enrichments: all,
      accounts,
      today,
      cause,
      follows,
      guard: Effect.asVoid(fence(right, {}))
    })
    const analysed = yield* Effect.provideService(analysing, CurrentRunGuard, guard)
    const columns = columnsOf(feed, pipeline.catalog, yield* feeds.boundColumns(feed.id))
    const delivery: DeliveryRun = { feed, config, job: run, fence: right, columns }
    return { of, enrichments: all, pipeline, analysed, delivery, guard } satisfies BegunPass
  })

  /** Works out what the feed is to deliver; what fails at the destination fails this. */
  const project = (
    { delivery, guard, of: { accounts, feed, right, run, today }, pipeline }: BegunPass,
    extent: Pick<Projection, "force" | "range" | "since" | "local">
  ) =>
    Effect.gen(function* () {
      const direct = yield* deliverer.direct(delivery)
      return yield* projector.project({ direct, feed, job: run, fence: right, accounts, pipeline, today, ...extent })
    }).pipe(Effect.scoped, Effect.provideService(CurrentRunGuard, guard))

  return { begin, project, deliver: ({ delivery }: BegunPass) => deliverer.deliver(delivery) }
})
