/**
 * Local runs: what people said, undid or decided is delivered to a feed without asking a provider. A local run is no job: it
 * has the lease of the feed, counts nothing, and tells no event.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type { Deliverer } from "../destination/Deliverer.ts"
import { appends } from "../destination/DeliveryRun.ts"
import type { Analysis } from "../enrichment/Analysis.ts"
import { EnrichmentsOn } from "../enrichment/EnrichmentsOn.ts"
import type { EnrichmentStore } from "../enrichment/EnrichmentStore.ts"
import type { FeedPipelines } from "../enrichment/FeedPipelines.ts"
import type { PlanningMarks } from "../enrichment/PlanningMarks.ts"
import type { Feed } from "../feed/Feed.ts"
import { feedLease } from "../feed/FeedLease.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import { noCounts } from "../job/Job.ts"
import { Fenced, JobStore } from "../job/JobStore.ts"
import type { RunRight } from "../job/RunRight.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import { Ids } from "../shared/Ids.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import { Leases } from "../storage/Lease.ts"
import type { Projector } from "../sync/Projector.ts"
import { localRunTask } from "../task/LocalRunTaskKind.ts"
import { handleTask, type RunAgain, type RunningTask, type TaskError, TaskFailure } from "../task/TaskHandler.ts"
import { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { makeDeliveryPass } from "./DeliveryPass.ts"
import { Source } from "./Source.ts"

/** The lease outlives a process that died by no more than this. */
const leaseSeconds = 10
/** Seconds between its prolongations: two may be lost. */
const extendSeconds = 3
/** Seconds until another look at a feed whose job is on its way, and at one whose job is paused. */
const busySeconds = 1
const pausedSeconds = 15
/** The same where enrichments are switched off. */
const offSeconds = 60

type Payload = typeof localRunTask.payload.Type

const unforced = { unchanged: false, skipped: false }

const make = Effect.gen(function* () {
  const feeds = yield* FeedStore
  const workspaces = yield* WorkspaceStore
  const jobs = yield* JobStore
  const leases = yield* Leases
  const ids = yield* Ids
  const isOn = yield* EnrichmentsOn
  const source = yield* Source
  const pass = yield* makeDeliveryPass

  const deliver = Effect.fnUntraced(function* (feed: Feed, right: RunRight, history: boolean) {
    const workspace = yield* workspaces.get(feed.workspaceId)
    const config = feed.destinationConfig
    // Each run of such a feed is a reading of its own: there is nothing that could be made other.
    if (Option.isNone(workspace) || config === undefined || appends(feed)) return
    // What a job has not delivered yet, one will.
    const begun = new Set((yield* feeds.marks(feed.id)).map(({ accountId }) => accountId))
    const accounts = (yield* source.accountsOf(feed)).filter(({ account }) => begun.has(account.id))
    if (accounts.length === 0) return
    const going = yield* pass.begin(
      {
        workspace: workspace.value,
        feed,
        config,
        run: { id: yield* ids.next("job"), createdAt: yield* Timestamp.now, counts: noCounts },
        right,
        accounts,
        today: CalendarDate.inZone(yield* Clock.currentTimeMillis, workspace.value.timezone),
        cause: { kind: "system", reason: "local_run" }
      },
      true
    )
    const local = history ? "history" : "changes"
    yield* pass.project(going, { force: unforced, range: undefined, since: undefined, local })
    const refused = yield* pass.deliver(going)
    if (refused.length > 0) yield* Effect.logWarning("The destination refused rows", { rows: refused.length })
  })

  const run = Effect.fn("LocalRun.run")(function* (task: RunningTask<Payload>) {
    const { feedId, history = false, workspaceId } = task.payload
    const feed = Option.getOrUndefined(yield* feeds.get(workspaceId, feedId))
    if (feed === undefined) return
    // It waits until the server starts with enrichments again.
    if (!isOn) return { againSeconds: offSeconds }
    // The same one over all tries: what a process that died had is taken up at once.
    const holder = `local:${task.id}`
    const taken = yield* leases.take([feedLease(feedId)], holder, leaseSeconds)
    const lease = Option.getOrUndefined(taken)?.[0]
    if (lease === undefined) return { againSeconds: busySeconds }
    const fenced = () => new Fenced({ jobId: holder })
    const right: RunRight = {
      lease,
      guard: Effect.mapError(task.guard, (e) => (e._tag === "TaskFenced" ? fenced() : e))
    }
    const extended = Effect.repeat(
      Effect.ignore(leases.extend([lease], leaseSeconds)),
      Schedule.spaced(`${extendSeconds} seconds`)
    )
    const delivered = Effect.gen(function* () {
      // A job that is made from now on waits for the lease; one that is there carries along what it finds.
      const active = Option.getOrUndefined(yield* jobs.active(feedId))
      if (active !== undefined) return { againSeconds: active.status === "paused" ? pausedSeconds : busySeconds }
      yield* deliver(feed, right, history)
    })
    return yield* Effect.raceFirst(delivered, Effect.andThen(extended, Effect.never)).pipe(
      Effect.ensuring(Effect.ignore(leases.free(holder))),
      Effect.catchTags({
        Fenced: () => Effect.succeed({ againSeconds: busySeconds }),
        DestinationUnavailable: ({ message }) => Effect.fail(new TaskFailure({ message })),
        DestinationColumnMissing: ({ message }) => Effect.fail(new TaskFailure({ message })),
        DestinationRejected: ({ message }) => Effect.fail(new TaskFailure({ message })),
        DestinationNotAvailable: ({ message }) => Effect.fail(new TaskFailure({ message }))
      })
    )
  })

  return LocalRun.of({ run })
})

export class LocalRun extends Context.Service<
  LocalRun,
  {
    /** Delivers, or asks to be run again where the feed is busy. */
    readonly run: (task: RunningTask<Payload>) => Effect.Effect<RunAgain | void, TaskError>
  }
>()("@millrace/core/usecase/LocalRun") {
  static readonly layer: Layer.Layer<
    LocalRun,
    never,
    | FeedStore
    | WorkspaceStore
    | JobStore
    | Leases
    | Ids
    | Source
    | EnrichmentStore
    | FeedPipelines
    | Analysis
    | PlanningMarks
    | Projector
    | Deliverer
  > = Layer.effect(LocalRun, make)
}

/** The handler of local runs. */
export const localRunHandler = Effect.map(LocalRun, ({ run }) => handleTask(localRunTask, run))
