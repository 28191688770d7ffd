/**
 * The engine on effect/cluster: feeds are entities that live on one machine at a time, and the dispatcher is
 * a singleton.
 *
 * Messages are hints. A poke that is lost costs a tick, because the row says what is due; so nothing is
 * persisted and no message rows pile up. Whoever runs a job twice is refused by the claim.
 *
 * `layerSharded` is the engine over any cluster; `layerSingle` is the cluster of one process. Several machines
 * differ in that second layer alone: sharding over sockets, with its runners registered in PostgreSQL.
 */
import type { FeedId } from "@millrace/core/feed/Feed"
import { JobEngine } from "@millrace/core/job/JobEngine"
import type { JobId } from "@millrace/core/job/Job"
import type { JobStore } from "@millrace/core/job/JobStore"
import { Id, isId } from "@millrace/core/shared/Ids"
import type { SyncRun } from "@millrace/core/sync/SyncRun"
import * as Entity from "effect/cluster/Entity"
import * as MessageStorage from "effect/cluster/MessageStorage"
import * as RunnerHealth from "effect/cluster/RunnerHealth"
import * as Runners from "effect/cluster/Runners"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import * as Sharding from "effect/cluster/Sharding"
import * as ShardingConfig from "effect/cluster/ShardingConfig"
import * as Singleton from "effect/cluster/Singleton"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Rpc from "effect/rpc/Rpc"
import { Chores } from "./Chores.ts"
import { dispatch, type Hand } from "./Dispatcher.ts"
import { JobRunner, type JobRunnerOptions } from "./JobRunner.ts"

/**
 * Payloads stay `{ jobId }`: a message of an older release that lacked a required field would never reach
 * this code.
 */
const Message = { jobId: Id("job") }

/** A feed, on the one machine that may run its jobs. `run` lasts as long as the job, which keeps it there. */
const FeedSync = Entity.make("FeedSync", [
  Rpc.make("run", { payload: Message }),
  Rpc.make("cancel", { payload: Message })
])

const layerFeeds: Layer.Layer<never, never, Sharding.Sharding | JobRunner> = FeedSync.toLayer(
  Effect.gen(function* () {
    const runner = yield* JobRunner
    const { entityId } = yield* Entity.CurrentAddress
    return FeedSync.of({
      run: ({ payload: { jobId } }) =>
        isId("feed", entityId)
          ? Effect.andThen(runner.take(entityId, jobId), runner.settled(jobId)).pipe(
              // The feed moves to another machine: the job goes with it.
              Effect.onInterrupt(() => Effect.andThen(runner.stop(jobId), runner.settled(jobId)))
            )
          : Effect.logError("A feed was addressed by something else than its id", { entityId }),
      cancel: ({ payload: { jobId } }) => runner.stop(jobId)
    })
  }),
  { concurrency: "unbounded", maxIdleTime: "1 second" }
)

/** A message to a machine that cannot be reached would be retried for ever. */
const messageTimeout = "2 seconds"

const makeSend = Effect.gen(function* () {
  const clientOf = yield* FeedSync.client
  const fork = Effect.runForkWith(yield* Effect.context())
  return (kind: "run" | "cancel") => (feedId: FeedId, jobId: JobId) =>
    Effect.sync(() => {
      const feed = clientOf(feedId)
      const message =
        kind === "run" ? feed.run({ jobId }, { discard: true }) : feed.cancel({ jobId }, { discard: true })
      fork(
        message.pipe(
          Effect.timeout(messageTimeout),
          Effect.catchCause((cause) => Effect.logDebug("A message to a feed was lost", cause)),
          Effect.annotateLogs({ jobId, feedId, kind })
        )
      )
    })
})

const layerDispatcher = Singleton.make(
  "Dispatcher",
  Effect.gen(function* () {
    const run: Hand = (yield* makeSend)("run")
    return yield* dispatch(run)
  })
)

const layerEngine = Layer.effect(
  JobEngine,
  Effect.gen(function* () {
    const send = yield* makeSend
    const runner = yield* JobRunner
    // This layer ends first: runs are drained while the cluster still stands.
    yield* Effect.addFinalizer(() => runner.drain)
    return JobEngine.of({ poke: send("run"), interrupt: send("cancel") })
  })
)

/**
 * The engine over the cluster it is given. `Chores.layerSchedules` on top of it, with `Jobs`, lets schedules
 * fire.
 */
export const layerSharded = (
  options?: JobRunnerOptions
): Layer.Layer<JobEngine | Chores, never, Sharding.Sharding | JobStore | SyncRun> =>
  layerEngine.pipe(
    Layer.provide(layerDispatcher),
    Layer.provide(layerFeeds),
    Layer.provide(JobRunner.layer(options)),
    Layer.provideMerge(Chores.layer)
  )

/** How soon the cluster notices and repairs what goes wrong; the library's own values take half a minute. */
export const tuning = {
  refreshAssignmentsInterval: "2 seconds",
  shardLockRefreshInterval: "4 seconds",
  shardLockExpiration: "10 seconds",
  runnerHealthCheckInterval: "5 seconds",
  entityTerminationTimeout: "6 seconds"
} as const satisfies Partial<ShardingConfig.ShardingConfig["Service"]>

/**
 * A cluster of this process alone. Its membership is in memory, so it needs no tables and no connection of
 * its own, and two such processes on one database do not meet: the claims keep them apart.
 */
export const layerSingle: Layer.Layer<Sharding.Sharding> = Sharding.layer.pipe(
  Layer.provide(Runners.layerNoop),
  // A message that somebody marks as persisted dies at once instead of piling up.
  Layer.provide(MessageStorage.layerNoop),
  Layer.provide([RunnerStorage.layerMemory, RunnerHealth.layerNoop]),
  Layer.provide(ShardingConfig.layer(tuning))
)

/** The engine embedded in one process. */
export const layerCluster = (options?: JobRunnerOptions): Layer.Layer<JobEngine | Chores, never, JobStore | SyncRun> =>
  Layer.provide(layerSharded(options), layerSingle)
