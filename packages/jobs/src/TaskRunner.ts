/**
 * Runs tasks in this process: of each kind as many at a time as it allows, so that a slow kind holds up no other one, and
 * none of them the jobs.
 *
 * Every process with a runner looks for tasks itself, and the row says who got one. A process that dies stops beating, and
 * after `TaskLease` seconds its tasks are ready for another one.
 */
import { Ids } from "@millrace/core"
import { TaskStore, type Transactor } from "@millrace/core/storage"
import { type ClaimedTask, type NewTask, type TaskFence, TaskKinds, TaskLease } from "@millrace/core/task"
import { acrossTenants } from "@millrace/core/workspace"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Stream from "effect/Stream"
import { logsOnce } from "./Outage.ts"
import { makeTryTask, type Stop } from "./TaskTry.ts"
import { makeTaskWatch } from "./TaskWatch.ts"

const engine = acrossTenants("task engine")

/** Milliseconds between two looks where storage tells what arrives, and where it does not. */
const listeningTick = 15_000
const deafTick = 1_000
/** Between looks while tasks are ready that others are just taking. */
const crowdedTick = 250
/** Between two tries while storage is away, at most. */
const awayTick = 5_000
/**
 * How much later than due a task is looked for that another process knows of: that one comes first, and mostly nothing is
 * left to find.
 */
const courtesy = 1_000
/** What this process has put off itself is looked for at these steps of milliseconds, so that one look finds several. */
const step = 200
/** Beats within one lease, so that losing one costs nothing. */
const beatsPerLease = 3
/** Seconds that tasks get to end when the process stops, and then to stop. */
const drainSeconds = 2
const stopSeconds = 1

export interface TaskRunnerOptions {
  /** How the process is called among those that share the store; made up unless given. */
  readonly name?: string | undefined
}

interface Held {
  readonly kind: string
  readonly fence: TaskFence
  readonly since: number
  fiber: Fiber.Fiber<unknown, unknown> | undefined
  stop: Stop | undefined
}

export class TaskRunner extends Context.Service<
  TaskRunner,
  {
    /** Takes no more tasks; returns when those that run have ended or are given back, after 4 seconds at the latest. */
    readonly drain: Effect.Effect<void>
  }
>()("@millrace/jobs/TaskRunner") {
  /** Starts at once, and drains when it ends. */
  static readonly layer = (
    options?: TaskRunnerOptions
  ): Layer.Layer<TaskRunner, never, TaskKinds | TaskStore | Transactor | Ids> =>
    Layer.effect(TaskRunner, make(options?.name))
}

const make = Effect.fnUntraced(function* (named: string | undefined) {
  const store = yield* TaskStore
  const { all } = yield* TaskKinds
  const handlers = new Map(all)
  const watch = yield* makeTaskWatch(handlers)
  handlers.set(watch.kind.name, watch)
  const ids = yield* Ids
  const clock = yield* Clock.Clock
  const lease = yield* TaskLease
  const tryTask = yield* makeTryTask
  const name = named ?? `tasks-${(yield* Random.nextIntBetween(0, 2 ** 48)).toString(36)}`
  const fork = Effect.runForkWith(yield* Effect.context())

  const held = new Set<Held>()
  const planned = Latch.makeUnsafe(false)
  const idle = Latch.makeUnsafe(true)
  let draining = false
  let listening = false
  /** Milliseconds that no change of the clock moves. */
  const monotonic = () => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
  /** When tasks are due that this process has put off itself. */
  const expected = new Set<number>()
  /** Kinds that may have more ready than there was room for. */
  const full = new Set<string>()
  /** When it is looked again. */
  let lookAt = -Infinity

  const look = (at: number): void => {
    lookAt = Math.min(lookAt, at)
    planned.openUnsafe()
  }

  const safely = logsOnce({ away: "Database unavailable: no tasks are run", broken: "Tasks could not be looked for" })

  const room = () =>
    Array.from(handlers.values(), ({ kind }) => {
      let limit = kind.concurrency
      for (const entry of held) if (entry.kind === kind.name) limit--
      return { kind: kind.name, limit }
    }).filter(({ limit }) => limit > 0)

  const putOff = (seconds: number): void => {
    const at = Math.ceil((monotonic() + seconds * 1000) / step) * step
    expected.add(at)
    look(at)
  }

  const run = (claimed: ClaimedTask): void => {
    const handler = handlers.get(claimed.task.kind)!
    const entry: Held = {
      kind: claimed.task.kind,
      fence: claimed.fence,
      since: monotonic(),
      fiber: undefined,
      stop: undefined
    }
    held.add(entry)
    idle.closeUnsafe()
    entry.fiber = fork(
      tryTask(claimed, handler, () => entry.stop).pipe(
        Effect.tap((seconds) => Effect.sync(() => seconds !== undefined && putOff(seconds))),
        Effect.catchTag("StorageUnavailable", (error) =>
          Effect.logWarning("Database unavailable: the task is taken up again later", error)
        ),
        Effect.catchDefect((defect) => Effect.logError("The end of a task could not be noted", Cause.die(defect))),
        engine,
        Effect.annotateLogs({ kind: claimed.task.kind, taskId: claimed.task.id })
      )
    )
    entry.fiber.addObserver(() => {
      held.delete(entry)
      if (held.size === 0) idle.openUnsafe()
      if (full.delete(entry.kind)) look(-Infinity)
    })
  }

  const stop = (entry: Held, why: Stop): void => {
    entry.stop ??= why
    entry.fiber?.interruptUnsafe()
  }

  let seeded = false
  /** Makes the tasks that there always are, where there are none. */
  const seed = Effect.gen(function* () {
    const recurring = [...handlers.values()].filter(({ everySeconds }) => everySeconds !== undefined)
    const made: Array<NewTask> = []
    for (const { kind } of recurring) {
      made.push({ id: yield* ids.next("task"), kind: kind.name, key: kind.name, payload: {} })
    }
    yield* store.enqueue(made, { keep: true })
    // What another release has put off for longer than this one would.
    yield* store.enqueue(made.map((task) => ({ ...task, afterSeconds: handlers.get(task.kind)!.everySeconds! })))
    seeded = true
  })

  let pause = deafTick
  /** Takes what there is room for. Returns the milliseconds until the next look. */
  const takeReady = Effect.gen(function* () {
    const rooms = room()
    if (rooms.length === 0 || draining) return Infinity
    const claims = yield* safely(Effect.andThen(seeded ? Effect.void : seed, store.claim(name, rooms, lease)))
    if (claims === undefined) return (pause = Math.min(awayTick, pause * 2))
    if (draining) {
      yield* Effect.forEach(claims.tasks, ({ fence }) => Effect.ignore(store.release(fence, 0)), { discard: true })
      return Infinity
    }
    for (const { kind, limit } of rooms) {
      const taken = claims.tasks.filter(({ task }) => task.kind === kind).length
      // Of what recurs there is never another one.
      if (taken === limit && handlers.get(kind)!.everySeconds === undefined) full.add(kind)
    }
    for (const claimed of claims.tasks) run(claimed)
    const quiet = listening ? listeningTick : deafTick
    const next = claims.nextSeconds === undefined ? quiet : Math.ceil(claims.nextSeconds * 1000) + courtesy
    // What is ready and was not taken has no place here, or is being taken by somebody else.
    pause = Math.min(quiet, claims.nextSeconds !== undefined && claims.nextSeconds <= 0 ? crowdedTick : next)
    return pause
  })

  const rounds = Effect.suspend(() => {
    const wait = lookAt - monotonic()
    planned.closeUnsafe()
    if (wait === Infinity) return planned.await
    if (wait > 0) return Effect.asVoid(Effect.timeoutOption(planned.await, wait))
    for (const at of expected) if (at <= monotonic()) expected.delete(at)
    lookAt = Math.min(Infinity, ...expected)
    return Effect.map(engine(takeReady), (millis) => look(monotonic() + millis))
  }).pipe(Effect.forever)

  const listen = store.arrivals.pipe(
    Stream.runForEach(() =>
      Effect.sync(() => {
        listening = true
        look(-Infinity)
      })
    ),
    Effect.catchCause((cause) => Effect.logDebug("Tasks are looked for, not heard, for a while", cause)),
    Effect.ensuring(Effect.sync(() => void (listening = false))),
    Effect.andThen(Effect.sleep(deafTick)),
    Effect.forever
  )

  const beatEvery = (lease * 1000) / beatsPerLease
  const beat = Effect.gen(function* () {
    const old = [...held].filter(({ since, stop: why }) => why === undefined && monotonic() - since >= beatEvery)
    if (old.length === 0) return
    const kept = new Set(
      yield* store.beat(
        old.map(({ fence }) => fence),
        lease
      )
    )
    for (const entry of old) if (!kept.has(entry.fence.taskId)) stop(entry, "lost")
  }).pipe(
    engine,
    Effect.catchTag("StorageUnavailable", (error) =>
      Effect.logWarning("Database unavailable: no task heartbeat", error)
    ),
    Effect.catchDefect((defect) => Effect.logError("Task heartbeat failed", Cause.die(defect))),
    Effect.andThen(Effect.sleep(beatEvery)),
    Effect.forever
  )

  const inTime = (seconds: number): Effect.Effect<boolean> =>
    Effect.suspend(() => Fiber.join(fork(Effect.timeoutOption(idle.await, seconds * 1000)))).pipe(
      Effect.map(Option.isSome)
    )

  const drained = Effect.gen(function* () {
    if (yield* inTime(drainSeconds)) return
    for (const entry of held) stop(entry, "leaving")
    if (yield* inTime(stopSeconds)) return
    // A handler that does not stop is shut out: the task is given back without it.
    yield* Effect.forEach(held, ({ fence }) => Effect.ignore(engine(store.release(fence, 0))), {
      concurrency: "unbounded",
      discard: true
    }).pipe((work) => Fiber.await(fork(Effect.timeoutOption(work, stopSeconds * 1000))))
    yield* Effect.logWarning("Some tasks did not stop in time", {
      tasks: Array.from(held, ({ fence }) => fence.taskId)
    })
  })
  let leaving: Fiber.Fiber<void> | undefined
  const drain = Effect.suspend(() => {
    draining = true
    // Begun once, and not given up when somebody waits for it no longer.
    return Effect.asVoid(Fiber.await((leaving ??= fork(drained))))
  })

  yield* Effect.forkScoped(rounds)
  yield* Effect.forkScoped(listen)
  yield* Effect.forkScoped(beat)
  // Added last, so that it runs first: what runs beats until it has ended.
  yield* Effect.addFinalizer(() => drain)

  return TaskRunner.of({ drain })
})
