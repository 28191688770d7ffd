/**
 * The engine on effect/cluster: feeds are entities that live on one machine at a time, and the dispatcher is
 * a singleton.
 *
 * Messages are hints. A poke that is lost costs a tick, because the row says what is due; so nothing is
 * persisted and no message rows pile up. Anyone who runs a job twice is refused by the claim.
 *
 * `layerOver` is the engine over any cluster. `layerCluster` is the cluster of one process; that of several
 * machines is in `ClusterSocket`.
 */
import type { FeedId } from "@millrace/core/feed"
import { JobEngine, type JobId } from "@millrace/core/job"
import { JobStore, pokeLease } from "@millrace/core/storage"
import { Id, isId } from "@millrace/core"
import type { SyncRun } from "@millrace/core/kernel"
import { acrossTenants } from "@millrace/core/workspace"
import * as ClusterSchema from "effect/cluster/ClusterSchema"
import * as Entity from "effect/cluster/Entity"
import * as MessageStorage from "effect/cluster/MessageStorage"
import * as RunnerHealth from "effect/cluster/RunnerHealth"
import * as Runners from "effect/cluster/Runners"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import * as Sharding from "effect/cluster/Sharding"
import * as ShardingConfig from "effect/cluster/ShardingConfig"
import * as Singleton from "effect/cluster/Singleton"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Rpc from "effect/rpc/Rpc"
import { WakeSignal } from "./WakeSignal.ts"
import { dispatch, type Assign } from "./Dispatcher.ts"
import { Drain } from "./Drain.ts"
import { JobRunner, type JobRunnerOptions } from "./JobRunner.ts"

/**
 * Payloads stay `{ jobId }`: a message of an older release that lacked a required field would never reach
 * this code.
 */
const Message = { jobId: Id("job") }

/**
 * A feed, on the one machine that may run its jobs. `run` lasts as long as the job, which keeps it there; it
 * hears at once when the feed has to leave.
 */
const FeedSync = Entity.make("FeedSync", [
  Rpc.make("run", { payload: Message }).annotate(ClusterSchema.InterruptOnTermination, true),
  Rpc.make("cancel", { payload: Message })
])

/** A job that this process was given and does not run is handed out again, once its feed is elsewhere. */
const makePassOn = Effect.map(
  JobStore,
  (jobs) =>
    (jobId: JobId): Effect.Effect<void> =>
      Effect.onInterrupt(Effect.never, () =>
        Effect.catchCause(acrossTenants("job engine")(jobs.decline(jobId)), (cause) =>
          Effect.logDebug("The job is handed out again later", cause)
        )
      )
)

const layerFeeds: Layer.Layer<never, never, Sharding.Sharding | JobRunner | JobStore> = FeedSync.toLayer(
  Effect.gen(function* () {
    const runner = yield* JobRunner
    const passOn = yield* makePassOn
    const sharding = yield* Sharding.Sharding
    const { entityId, shardId } = yield* Entity.CurrentAddress
    const mayStay = () => sharding.hasShardId(shardId)
    return FeedSync.of({
      run: Effect.fnUntraced(function* ({ payload: { jobId } }) {
        if (!isId("feed", entityId)) {
          return yield* Effect.logError("A feed was addressed by something else than its id", { entityId })
        }
        if (yield* runner.take(entityId, jobId, mayStay)) {
          // When the feed moves to another machine the job goes with it.
          return yield* Effect.onInterrupt(runner.settled(jobId), () => runner.release(jobId))
        }
        if (yield* runner.isDraining) yield* passOn(jobId)
      }),
      cancel: ({ payload: { jobId } }) => runner.stop(jobId)
    })
  }),
  { concurrency: "unbounded", maxIdleTime: "1 second" }
)

/** A message to a machine that cannot be reached would be retried for ever. */
const messageTimeout = pokeLease * 1000

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

/** Runners elsewhere have room that this process does not see; storage counts it. */
const anywhere = Effect.succeed(1_000_000)

const layerDispatcher = (alone: boolean) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const runner = yield* JobRunner
      return Singleton.make(
        "Dispatcher",
        Effect.gen(function* () {
          const assign: Assign = (yield* makeSend)("run")
          return yield* dispatch({ assign, freeCapacity: alone ? runner.freeCapacity : anywhere })
        })
      )
    })
  )

export interface ClusterOptions extends JobRunnerOptions {
  /** Whether this process is the whole cluster: then it is handed no more jobs than it takes. */
  readonly alone: boolean
}

/**
 * The engine over the cluster it is given, which it leaves when it is drained. `TaskRunner` on top of it, with
 * `housekeeping`, lets schedules fire.
 */
export const layerOver = <E, R>(
  cluster: Layer.Layer<Sharding.Sharding, E, R>,
  options: ClusterOptions
): Layer.Layer<JobEngine | Drain, E, JobStore | SyncRun | R> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const scope = yield* Scope.fork(yield* Effect.scope)
      const parts = Layer.mergeAll(layerFeeds, layerDispatcher(options.alone)).pipe(
        Layer.provideMerge(JobRunner.layer(options)),
        Layer.provideMerge(cluster)
      )
      const context = yield* Layer.buildWithScope(parts, scope)
      const send = yield* Effect.provideContext(makeSend, context)
      const runner = Context.get(context, JobRunner)
      const wakeSignal = yield* WakeSignal
      // Where others can take over, feeds are released one by one, each with its run at the next page.
      const leave = Effect.andThen(options.alone ? runner.drain : runner.beginDrain, Scope.close(scope, Exit.void))
      const fork = Effect.runForkWith(yield* Effect.context())
      let leaving: Fiber.Fiber<void> | undefined
      // Begun once, and not given up when somebody waits for it no longer.
      const drain = Effect.suspend(() => Effect.asVoid(Fiber.await((leaving ??= fork(leave)))))
      yield* Effect.addFinalizer(() => drain)
      const engine = JobEngine.of({ poke: () => wakeSignal.arrived, interrupt: send("cancel") })
      return Context.make(JobEngine, engine).pipe(Context.add(Drain, { drain }))
    })
  ).pipe(Layer.provide(WakeSignal.layer))

/**
 * An engine that runs nothing itself: jobs are for the machines of the cluster it is given.
 */
export const layerClient = <E, R>(
  cluster: Layer.Layer<Sharding.Sharding, E, R>
): Layer.Layer<JobEngine | Drain, E, R> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const send = yield* makeSend
      // Storage tells the dispatcher of new jobs.
      const engine = JobEngine.of({ poke: () => Effect.void, interrupt: send("cancel") })
      return Context.make(JobEngine, engine).pipe(Context.add(Drain, { drain: Effect.void }))
    })
  ).pipe(Layer.provide(cluster))

/**
 * How soon the cluster notices and repairs what goes wrong; the library's own values take half a minute. All
 * machines have to agree on the number of shards, so it cannot change; each is a lock to be given up by itself
 * when a machine stops, and a hundred or so spread well over any number of machines that one database feeds.
 */
export const tuning = {
  shardsPerGroup: 120,
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
const layerSingle: Layer.Layer<Sharding.Sharding> = Sharding.layer.pipe(
  Layer.provide(Runners.layerNoop),
  // A message that somebody marks as persisted dies at once instead of piling up.
  Layer.provide(MessageStorage.layerNoop),
  Layer.provide([RunnerStorage.layerMemory, RunnerHealth.layerNoop]),
  Layer.provide(ShardingConfig.layer(tuning))
)

/** The engine embedded in one process. */
export const layerCluster = (options?: JobRunnerOptions): Layer.Layer<JobEngine | Drain, never, JobStore | SyncRun> =>
  layerOver(layerSingle, { ...options, alone: true })
