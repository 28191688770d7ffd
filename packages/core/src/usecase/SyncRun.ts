/** One run of a job, from pull to delivery (decisions 6.4 and 7). */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { BankId } from "../bank/Bank.ts"
import type { Deliverer } from "../destination/Deliverer.ts"
import type { PlanningMarks } from "../enrichment/PlanningMarks.ts"
import { EnrichmentsOn } from "../enrichment/EnrichmentsOn.ts"
import type { EnrichmentStore } from "../enrichment/EnrichmentStore.ts"
import type { Analysis } from "../enrichment/Analysis.ts"
import { covers, type FeedPipelines } from "../enrichment/FeedPipelines.ts"
import { feedLearnTask, learnSeconds } from "../enrichment/LearnTaskKind.ts"
import { setSteps } from "../enrichment/Pipeline.ts"
import { RunNotes } from "../enrichment/RunNotes.ts"
import { Learning } from "../enrichment/Learning.ts"
import type { Enrichment } from "../enrichment/Enrichment.ts"
import type { Feed, FeedId } from "../feed/Feed.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import { IdentityStore } from "../identity/IdentityStore.ts"
import { JobStore, type ClaimedJob, type Fenced } from "../job/JobStore.ts"
import { RunLease } from "../job/RunLease.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import type { Leases } from "../storage/Lease.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import { Tasks } from "../task/Tasks.ts"
import { withinWorkspaces } from "../workspace/TenantScope.ts"
import { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { CurrentResumeSnapshot, ResumeSnapshot } from "../sync/ResumeSnapshot.ts"
import type { Projector } from "../sync/Projector.ts"
import { toJobErrors, type Finding } from "../job/Finding.ts"
import {
  destinationFinding,
  enrichmentsOffFindings,
  faultFindings,
  heldFindings,
  refusedFindings
} from "../sync/RunReport.ts"
import { retryOf } from "../sync/Retry.ts"
import { makeDeliveryPass } from "./DeliveryPass.ts"
import { Source } from "./Source.ts"

export class SyncRun extends Context.Service<
  SyncRun,
  {
    /** The connections whose leases a job of the feed needs. Empty when the feed is gone or has no source. */
    readonly banksOf: (feedId: FeedId) => Effect.Effect<ReadonlyArray<BankId>, StorageUnavailable>
    /**
     * Runs a claimed job to its end: completed, failed or paused. Everything that goes wrong upstream, in
     * enrichment or at the destination is written on the job and is no failure of this effect. It fails
     * when the run was shut out (`Fenced`: stop without a trace) or storage is away (the job stays
     * in progress and is taken up again). Interrupting it loses nothing.
     */
    readonly run: (claimed: ClaimedJob) => Effect.Effect<void, Fenced | StorageUnavailable>
  }
>()("@millrace/core/usecase/SyncRun") {
  static readonly layer: Layer.Layer<
    SyncRun,
    never,
    | FeedStore
    | JobStore
    | Leases
    | WorkspaceStore
    | EnrichmentStore
    | IdentityStore
    | Source
    | Projector
    | Deliverer
    | Transactor
    | FeedPipelines
    | Analysis
    | Learning
    | RunNotes
    | PlanningMarks
    | Tasks
  > = Layer.effect(
    SyncRun,
    Effect.gen(function* () {
      const feeds = yield* FeedStore
      const jobs = yield* JobStore
      const workspaces = yield* WorkspaceStore
      const identity = yield* IdentityStore
      const source = yield* Source
      const pass = yield* makeDeliveryPass
      const { atomically } = yield* Transactor
      const { learners } = yield* Learning
      const tasks = yield* Tasks
      const notes = yield* RunNotes
      const isOn = yield* EnrichmentsOn

      const fail = Effect.fnUntraced(function* (claimed: ClaimedJob, finding: Omit<Finding, "severity">) {
        yield* jobs.fail(claimed.fence, yield* toJobErrors([{ ...finding, severity: "fatal" }]))
      })

      const finish = Effect.fnUntraced(function* (claimed: ClaimedJob, feed: Feed, findings: ReadonlyArray<Finding>) {
        const errors = yield* toJobErrors(findings)
        if (!findings.some((finding) => finding.severity === "fatal")) {
          return yield* jobs.complete(claimed.fence, { errors })
        }
        const retry = yield* retryOf(feed, claimed.job, findings)
        if (retry === undefined) return yield* jobs.fail(claimed.fence, errors)
        yield* atomically(Effect.andThen(jobs.fail(claimed.fence, errors), feeds.wake(feed.id, retry)))
      })

      /**
       * How far the feed came is forgotten where everything is to be looked at again, and by a reset also what
       * upstream ids of its accounts were caught at. Once: a job that is taken up again goes on where it was. A range
       * leaves it as it is.
       */
      const forget = Effect.fnUntraced(function* ({ fence, job }: ClaimedJob, feed: Feed) {
        const { resetCursors, skipDedup } = job.options
        if (job.cursorsReset === true || !(resetCursors || (skipDedup && job.mode !== "range"))) return
        const accounts = resetCursors && feed.sourceConfig?.type === "sync" ? feed.sourceConfig.accounts : []
        yield* atomically(
          Effect.gen(function* () {
            yield* jobs.fence(fence, { cursorsReset: true })
            yield* feeds.clearMarks(feed.id)
            yield* identity.forgetTrust(
              feed.workspaceId,
              accounts.map(({ accountId }) => accountId)
            )
          })
        )
      })

      /** What people changed at the destination is learnt from a while after the sync; one that waits already is enough. */
      const learnLater = (feed: Feed, all: ReadonlyArray<Enrichment>) =>
        learners(all.filter((one) => covers(one, feed))).length === 0
          ? Effect.void
          : tasks.enqueue(feedLearnTask, {
              payload: { workspaceId: feed.workspaceId, feedId: feed.id },
              workspaceId: feed.workspaceId,
              key: feed.id,
              afterSeconds: learnSeconds
            })

      const runFeed = Effect.fnUntraced(function* (claimed: ClaimedJob, feed: Feed) {
        const { fence, job } = claimed
        const config = feed.destinationConfig
        const workspace = yield* workspaces.get(feed.workspaceId)
        if (Option.isNone(workspace) || config === undefined || feed.sourceConfig === undefined) {
          const message = `Feed has no ${feed.sourceConfig === undefined ? "source" : "destination"}`
          return yield* fail(claimed, { category: "validation", code: "FEED_NOT_READY", message })
        }
        const today = CalendarDate.inZone(yield* Clock.currentTimeMillis, workspace.value.timezone)
        yield* forget(claimed, feed)

        const refreshed = yield* source.refresh({ workspace: workspace.value, feed, job, fence, today })
        if (refreshed.waitSeconds !== undefined) {
          return yield* jobs.pause(fence, "provider_wait", refreshed.waitSeconds)
        }
        if (!isOn) return yield* finish(claimed, feed, [...refreshed.findings, ...enrichmentsOffFindings])
        const cause = { kind: "sync", feedId: feed.id, jobId: job.id } as const
        const { accounts } = refreshed
        const begun = yield* pass.begin(
          { workspace: workspace.value, feed, config, run: job, right: fence, accounts, today, cause },
          false
        )
        const { analysed, enrichments: all, pipeline } = begun
        const { endDate, resetCursors, skipDedup, startDate } = job.options
        const projected = yield* Effect.result(
          pass.project(begun, {
            force: { unchanged: resetCursors || skipDedup, skipped: resetCursors },
            range:
              job.mode === "range" && startDate !== undefined && endDate !== undefined
                ? { from: startDate, to: endDate }
                : undefined,
            since: job.mode === "full" ? startDate : undefined,
            local: undefined
          })
        )
        if (Result.isFailure(projected)) {
          const error = projected.failure
          if (error._tag === "Fenced" || error._tag === "StorageUnavailable") return yield* error
          return yield* finish(claimed, feed, [...refreshed.findings, destinationFinding(error)])
        }
        const { failed, faults, heldLong, looked } = projected.success
        // Rows that were read and not looked at are as they were. A job that is taken up again reads and looks
        // at rows that it has counted before.
        const before = job.counts.read
        const unchanged = Math.max(0, refreshed.seen - Math.max(refreshed.changed, looked + before))
        const quarantined = before > 0 ? 0 : refreshed.quarantined
        if (unchanged + quarantined > 0) {
          yield* jobs.fence(fence, { add: { read: unchanged, unchanged, quarantined } })
        }
        const delivered = yield* Effect.result(pass.deliver(begun))
        const findings: Array<Finding> = [
          ...refreshed.findings,
          ...faultFindings([...analysed, ...pipeline.faults, ...faults]),
          ...heldFindings(heldLong, feed.id)
        ]
        if (Result.isSuccess(delivered)) findings.push(...refusedFindings(delivered.success))
        else {
          const error = delivered.failure
          if (error._tag === "Fenced" || error._tag === "StorageUnavailable") return yield* error
          findings.push(destinationFinding(error))
        }
        // One that cannot run at all has failed on every record.
        const counts = new Map([
          ...failed,
          ...pipeline.faults.map(({ enrichmentId }) => [enrichmentId, looked] as const)
        ])
        yield* notes.note({
          feed,
          jobId: job.id,
          enrichments: all.filter((one) => covers(one, feed)),
          analysed: new Set(setSteps(pipeline).map(({ step }) => step.enrichment.id)),
          faults: [...analysed, ...pipeline.faults, ...faults],
          counts,
          looked,
          isWhole: job.mode !== "range",
          cause,
          guard: Effect.asVoid(jobs.fence(fence, {}))
        })
        yield* learnLater(feed, all)
        yield* finish(claimed, feed, findings)
      })

      return SyncRun.of({
        banksOf: Effect.fnUntraced(function* (feedId) {
          const feed = yield* feeds.byId(feedId)
          return Option.isNone(feed) ? [] : yield* source.banksOf(feed.value)
        }),
        run: Effect.fn("SyncRun.run")(
          function* (claimed) {
            const feed = yield* feeds.byId(claimed.job.feedId)
            if (Option.isNone(feed)) {
              return yield* fail(claimed, { category: "validation", code: "NOT_FOUND", message: "Feed not found" })
            }
            const resumeSnapshot = new ResumeSnapshot(claimed.resumeSnapshot)
            const runLease = yield* RunLease
            yield* runFeed(claimed, feed.value).pipe(
              Effect.provideService(CurrentResumeSnapshot, resumeSnapshot),
              Effect.provideService(RunLease, {
                isRevoked: runLease.isRevoked,
                // Without it the next run reads some pages again, and no more.
                release: Effect.suspend(() => jobs.saveResumeSnapshot(claimed.fence, resumeSnapshot.write())).pipe(
                  Effect.ignore,
                  Effect.andThen(runLease.release)
                )
              })
            )
          },
          (run, { job }) => withinWorkspaces(job.workspaceId)(run)
        )
      })
    })
  )
}
