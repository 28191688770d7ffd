/**
 * The engine of one process, by fibers alone: for tests and for embedding the kernel in another service.
 *
 * The rows stay the truth, so jobs survive a restart as far as the store does, and several processes with
 * this engine can share one store: each may dispatch, and only one gets the claim.
 */
import { JobEngine } from "@millrace/core/job"
import type { JobStore } from "@millrace/core/storage"
import type { SyncRun } from "@millrace/core/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { WakeSignal } from "./WakeSignal.ts"
import { dispatch } from "./Dispatcher.ts"
import { Drain } from "./Drain.ts"
import { JobRunner, type JobRunnerOptions } from "./JobRunner.ts"

/**
 * Starts the runner and the dispatcher, and drains when it ends. `TaskRunner` on top of it, with `housekeeping`, lets
 * schedules fire.
 */
export const layerMemory = (options?: JobRunnerOptions): Layer.Layer<JobEngine | Drain, never, JobStore | SyncRun> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const runner = yield* JobRunner
      const wakeSignal = yield* WakeSignal
      yield* Effect.forkScoped(
        dispatch({ assign: (feedId, jobId) => runner.take(feedId, jobId), freeCapacity: runner.freeCapacity })
      )
      const engine = JobEngine.of({
        poke: () => wakeSignal.arrived,
        interrupt: (_feedId, jobId) => runner.stop(jobId)
      })
      return Context.make(JobEngine, engine).pipe(Context.add(Drain, { drain: runner.drain }))
    })
  ).pipe(Layer.provide(JobRunner.layer(options)), Layer.provide(WakeSignal.layer))
