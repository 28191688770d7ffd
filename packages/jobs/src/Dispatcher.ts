/**
 * Brings due jobs to workers.
 *
 * It keeps nothing in memory that matters: what is due, and for how long, is in the rows. So another process
 * can take over at any moment, and two dispatchers at once do no harm. It waits for storage only, never for
 * a run.
 */
import type { FeedId } from "@millrace/core/feed"
import type { Dispatched, JobId } from "@millrace/core/job"
import { JobStore, type StorageUnavailable } from "@millrace/core/storage"
import { acrossTenants } from "@millrace/core/workspace"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { logsOnce } from "./Outage.ts"
import { WakeSignal } from "./WakeSignal.ts"

/** Milliseconds between two looks at a backlog that moves. */
const backlogTick = 50
/** Between two ticks while something is under way, so that what was lost is found. */
const busyTick = 1_000
/** The same, where storage tells what arrives. */
const listeningBusyTick = 2_000
/** When nothing is. */
const idleTick = 2_000
/** When nothing is, and storage tells what arrives. */
const listeningTick = 6_000
/** Between two tries while storage is away. */
const awayTick = 5_000
/** Between two sweeps: what they find has waited for minutes. */
const sweepEvery = 8_000

const engine = acrossTenants("job engine")

/** Takes a due job to the worker that should run it. Must return at once; may lose it. */
export type Assign = (feedId: FeedId, jobId: JobId) => Effect.Effect<unknown>

export interface Workers {
  readonly assign: Assign
  /** How many jobs they would take now. */
  readonly freeCapacity: Effect.Effect<number>
}

/** Runs for ever: hands out due jobs as they come, and sweeps. */
export const dispatch: (workers: Workers) => Effect.Effect<never, never, JobStore | WakeSignal> = Effect.fnUntraced(
  function* ({ freeCapacity, assign }: Workers) {
    const jobs = yield* JobStore
    const wakeSignal = yield* WakeSignal
    let listening = false

    const told = logsOnce({ away: "Database unavailable: nothing is dispatched", broken: "The dispatcher crashed" })
    const safely = <A>(name: string, work: Effect.Effect<A, StorageUnavailable>): Effect.Effect<A | undefined> =>
      Effect.annotateLogs(told(work), { step: name })

    const busy = () => (listening ? listeningBusyTick : busyTick)
    const quiet = () => (listening ? listeningTick : idleTick)

    /** Milliseconds until the next look, when nothing is heard. */
    let pause = busyTick
    const nextPause = (answer: Dispatched | undefined): number => {
      if (answer === undefined) return Math.min(awayTick, pause * 2)
      if (answer.more) return answer.jobs.length > 0 ? backlogTick : Math.min(busyTick, pause * 2)
      return answer.inFlight + answer.jobs.length > 0 ? busy() : quiet()
    }

    const look = Effect.gen(function* () {
      const limit = yield* freeCapacity
      yield* wakeSignal.reset
      if (limit === 0) {
        // Nothing fits in here, whatever arrives.
        yield* Effect.timeoutOption(wakeSignal.wait({ arrivals: false, endings: true }), busyTick)
        return
      }
      const answer = yield* safely("dispatch", engine(jobs.dispatch(limit)))
      for (const { feedId, jobId } of answer?.jobs ?? []) yield* assign(feedId, jobId)
      pause = nextPause(answer)
      // While all is taken nothing that arrives can begin. What ends then makes room for what arrives next, also where nobody waited.
      const heard = wakeSignal.wait({
        arrivals: answer !== undefined && !answer.full,
        endings: answer !== undefined && (answer.more || answer.full)
      })
      yield* Effect.timeoutOption(heard, pause)
    }).pipe(Effect.forever)

    const listen = engine(
      Stream.runForEach(jobs.arrivals, () => {
        listening = true
        return wakeSignal.arrived
      })
    ).pipe(
      Effect.catchCause((cause) => Effect.logDebug("Arrivals are looked for, not heard, for a while", cause)),
      Effect.ensuring(Effect.sync(() => void (listening = false))),
      Effect.andThen(Effect.sleep(busyTick)),
      Effect.forever
    )

    const sweep = safely("sweep", engine(jobs.sweep)).pipe(Effect.andThen(Effect.sleep(sweepEvery)), Effect.forever)

    return yield* Effect.raceFirst(Effect.raceFirst(look, sweep), listen)
  }
)
