/**
 * Conformance of what runs tasks: each task's effect once, whatever fails, with one runner or several over one store.
 *
 * Every test has kinds of its own, so a shared store serves.
 */
import { Ids } from "@millrace/core"
import { StorageUnavailable, TaskStore, Transactor } from "@millrace/core/storage"
import {
  handleTask,
  recurringTask,
  TaskFailure,
  type TaskHandler,
  type TaskId,
  taskKind,
  type TaskKind,
  TaskKinds,
  TaskLease,
  Tasks
} from "@millrace/core/task"
import { expect, layer as withLayer } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { makeTaskKind, storeTask } from "../fixture/Task.ts"
import type { SuiteOptions } from "./StorageTests.ts"

/** Seconds: short, so that a suite on the machine's clock does not wait for long. */
const lease = 1.5
const soon = { firstSeconds: 0.05, mostSeconds: 0.2 }
const Numbered = Schema.Struct({ n: Schema.Int })

type Storage = TaskStore | Transactor
type Needs = TaskKinds | Storage | Ids

const openOf = ({ name: kind }: TaskKind<unknown>) =>
  Effect.orDie(Effect.flatMap(TaskStore, (store) => store.list({ kind, state: "open", limit: 500 })))
const failedOf = ({ name: kind }: TaskKind<unknown>) =>
  Effect.orDie(Effect.flatMap(TaskStore, (store) => store.list({ kind, state: "failed", limit: 500 })))
const isDone = (kind: TaskKind<unknown>) => Effect.map(openOf(kind), (open) => open.length === 0)

/** A kind of this test alone. */
const makeKind = (change: Partial<TaskKind<{ readonly n: number }>> = {}) =>
  Effect.map(makeTaskKind, (kind) => taskKind(kind, { payload: Numbered, backoff: soon, ...change }))

export const suite = <E>(
  name: string,
  storage: Layer.Layer<Storage, E>,
  /** Runs tasks until its scope ends. */
  runner: Layer.Layer<never, never, Needs>,
  options?: SuiteOptions
): void => {
  const live = options?.liveClock === true
  const pass = (millis: number) => (live ? Effect.sleep(millis) : TestClock.adjust(millis))

  /** Waits until it is so. */
  const until = Effect.fnUntraced(function* <R>(condition: Effect.Effect<boolean, never, R>) {
    // Long enough for a machine that does much else.
    for (let n = 0; n < 2_000; n++) {
      if (yield* condition) return
      yield* pass(20)
    }
    expect(yield* condition, "it never came to be so").toBe(true)
  })

  const start = Effect.fnUntraced(function* (...handlers: ReadonlyArray<TaskHandler>) {
    const scope = yield* Scope.fork(yield* Effect.scope)
    const services = yield* Effect.context<Storage | Ids>()
    yield* Layer.buildWithScope(
      Layer.fresh(runner).pipe(
        Layer.provide([
          TaskKinds.layer(...handlers),
          Layer.succeedContext(services),
          Layer.succeed(TaskLease, lease),
          // What fails here is meant to.
          Layer.succeed(References.MinimumLogLevel, "None")
        ])
      ),
      scope
    )
    return { close: Scope.close(scope, Exit.void) }
  })

  withLayer(
    Layer.mergeAll(storage, Ids.layer).pipe((base) => Layer.provideMerge(Tasks.layer, base)),
    {
      excludeTestServices: live,
      timeout: "60 seconds"
    }
  )(name, (it) => {
    it.effect("runs each task once, with several runners", () =>
      Effect.gen(function* () {
        const kind = yield* makeKind({ concurrency: 5 })
        const ran: Array<number> = []
        const handler = handleTask(kind, ({ payload }) => Effect.sync(() => void ran.push(payload.n)))
        for (let n = 0; n < 3; n++) yield* start(handler)
        const all = Array.from({ length: 60 }, (_, n) => n)
        yield* (yield* Tasks).enqueue(kind, ...all.map((n) => ({ payload: { n } })))
        yield* until(isDone(kind))
        expect(ran.toSorted((a, b) => a - b)).toEqual(all)
      })
    )

    it.effect("writes what a task does together with its end, or not at all", () =>
      Effect.gen(function* () {
        const [kind, effects] = [yield* makeKind(), yield* makeTaskKind]
        const tries = new Map<TaskId, number>()
        const services = yield* Effect.context<TaskStore | Ids>()
        const handler = handleTask(kind, ({ finish, id, payload }) => {
          const before = tries.get(id) ?? 0
          tries.set(id, before + 1)
          const write = Effect.provideContext(storeTask(effects, { payload, afterSeconds: 9_000 }), services)
          // The first try breaks after it has written, the second one after it has ended.
          if (before === 0) return finish(Effect.andThen(write, Effect.fail(new TaskFailure({ message: "no" }))))
          return Effect.andThen(finish(write), Effect.fail(new TaskFailure({ message: "too late to fail" })))
        })
        yield* start(handler)
        yield* start(handler)
        yield* (yield* Tasks).enqueue(kind, ...[1, 2, 3].map((n) => ({ payload: { n } })))
        yield* until(isDone(kind))
        const store = yield* TaskStore
        const written = yield* store.list({ kind: effects, limit: 10 })
        expect(written.map(({ payload }) => payload["n"]).toSorted()).toEqual([1, 2, 3])
        expect([...tries.values()]).toEqual([2, 2, 2])
        expect(yield* failedOf(kind)).toEqual([])
      })
    )

    it.effect("lets a slow kind hold up no other one, and runs no more of a kind than it allows", () =>
      Effect.gen(function* () {
        const [slow, quick] = [yield* makeKind({ concurrency: 2 }), yield* makeKind()]
        const gate = yield* Deferred.make<void>()
        let [running, most, done] = [0, 0, 0]
        yield* start(
          handleTask(slow, () =>
            Effect.gen(function* () {
              most = Math.max(most, ++running)
              yield* Deferred.await(gate)
              running--
            })
          ),
          handleTask(quick, () => Effect.sync(() => void done++))
        )
        const tasks = yield* Tasks
        yield* tasks.enqueue(slow, ...Array.from({ length: 6 }, (_, n) => ({ payload: { n } })))
        yield* until(Effect.sync(() => running === 2))
        yield* tasks.enqueue(quick, ...Array.from({ length: 20 }, (_, n) => ({ payload: { n } })))
        yield* until(Effect.sync(() => done === 20))
        expect(running).toBe(2)
        yield* Deferred.succeed(gate, undefined)
        yield* until(isDone(slow))
        expect(most).toBe(2)
      })
    )

    it.effect("tries again what failed, each time later, and gives up after the last try", () =>
      Effect.gen(function* () {
        const kind = yield* makeKind({ attempts: 3 })
        const seen: Array<number> = []
        yield* start(
          handleTask(kind, ({ attempt }) => {
            seen.push(attempt)
            return Effect.fail(new TaskFailure({ message: `The address does not answer (${attempt}).` }))
          })
        )
        yield* (yield* Tasks).enqueue(kind, { payload: { n: 1 } })
        yield* until(isDone(kind))
        expect(seen).toEqual([1, 2, 3])
        expect(yield* failedOf(kind)).toMatchObject([{ attempts: 3, lastError: "The address does not answer (3)." }])
      })
    )

    it.effect("waits at least as long as a failure asks for", () =>
      Effect.gen(function* () {
        const kind = yield* makeKind()
        let tries = 0
        yield* start(
          handleTask(kind, () => {
            tries++
            return Effect.fail(new TaskFailure({ message: "busy", afterSeconds: 3_000 }))
          })
        )
        yield* (yield* Tasks).enqueue(kind, { payload: { n: 1 } })
        yield* until(Effect.map(openOf(kind), ([task]) => task?.lastError === "busy"))
        yield* pass(1_000)
        expect(tries).toBe(1)
      })
    )

    it.effect("gives up at once what cannot succeed, and what cannot be read", () =>
      Effect.gen(function* () {
        const kind = yield* makeKind()
        let tries = 0
        yield* start(
          handleTask(kind, () => {
            tries++
            return Effect.fail(new TaskFailure({ message: "The address is gone.", final: true }))
          })
        )
        yield* storeTask(kind.name, { payload: { n: "one" } })
        yield* (yield* Tasks).enqueue(kind, { payload: { n: 1 } })
        yield* until(isDone(kind))
        const errors = (yield* failedOf(kind)).map(({ lastError }) => lastError!)
        expect(errors).toHaveLength(2)
        expect(errors[0]).toBe("The address is gone.")
        expect(errors[1]).toMatch(/^The payload of the task cannot be read: .*\["n"\]/s)
        expect(tries).toBe(1)
      })
    )

    it.effect("tries again what broke, what storage was away for, and what took too long", () =>
      Effect.gen(function* () {
        const kind = yield* makeKind({ timeoutSeconds: 0.2, concurrency: 3 })
        const fates = [
          Effect.die(new Error("secret")),
          Effect.fail(new StorageUnavailable({ message: "away" })),
          Effect.never
        ]
        const errors: Array<string | undefined> = []
        const store = yield* TaskStore
        yield* start(
          handleTask(kind, ({ attempt, id, payload }) =>
            Effect.gen(function* () {
              if (attempt === 1) return yield* fates[payload.n]!
              const task = yield* Effect.fromOption(yield* store.get(id)).pipe(Effect.orDie)
              errors.push(task.lastError)
              return
            })
          )
        )
        yield* (yield* Tasks).enqueue(kind, ...[0, 1, 2].map((n) => ({ payload: { n } })))
        yield* until(isDone(kind))
        expect(errors.toSorted()).toEqual([
          "Storage was not available: away",
          "The task stopped because of a fault in Millrace; the log has the details.",
          "The task took longer than the 0.2 s that it may take."
        ])
      })
    )

    it.effect("does a task that was asked for while it ran again", () =>
      Effect.gen(function* () {
        const kind = yield* makeKind()
        const gate = yield* Deferred.make<void>()
        const ran: Array<number> = []
        yield* start(
          handleTask(kind, ({ payload }) => {
            ran.push(payload.n)
            return Deferred.await(gate)
          })
        )
        const tasks = yield* Tasks
        yield* tasks.enqueue(kind, { key: "k", payload: { n: 1 } })
        yield* until(Effect.sync(() => ran.length === 1))
        for (const n of [2, 3]) yield* tasks.enqueue(kind, { key: "k", payload: { n } })
        yield* Deferred.succeed(gate, undefined)
        yield* until(isDone(kind))
        expect(ran).toEqual([1, 3])
      })
    )

    it.effect("stops a task that was withdrawn, and lets it write nothing more", () =>
      Effect.gen(function* () {
        const kind = yield* makeKind()
        const began = yield* Deferred.make<void>()
        const stopped = yield* Deferred.make<void>()
        yield* start(
          handleTask(kind, () =>
            Effect.andThen(Deferred.succeed(began, undefined), Effect.never).pipe(
              Effect.onInterrupt(() => Deferred.succeed(stopped, undefined))
            )
          )
        )
        const tasks = yield* Tasks
        yield* tasks.enqueue(kind, { key: "k", payload: { n: 1 } })
        yield* until(Deferred.isDone(began))
        expect(yield* tasks.withdraw(kind, "k")).toBe(true)
        yield* until(Deferred.isDone(stopped))
        expect(yield* openOf(kind)).toEqual([])
        expect(yield* failedOf(kind)).toEqual([])
      })
    )

    it.effect("keeps a long task for as long as its process lives", () =>
      Effect.gen(function* () {
        const kind = yield* makeKind()
        let tries = 0
        const handler = handleTask(kind, () =>
          Effect.suspend(() => {
            tries++
            return pass(0).pipe(Effect.andThen(Effect.sleep(lease * 3_000)))
          })
        )
        yield* start(handler)
        yield* start(handler)
        yield* (yield* Tasks).enqueue(kind, { payload: { n: 1 } })
        yield* until(isDone(kind))
        expect(tries).toBe(1)
      })
    )

    it.effect("gives its tasks back when it stops, and another runner does them, without a try too many", () =>
      Effect.gen(function* () {
        const kind = yield* makeKind()
        const seen: Array<string> = []
        const handler = (runnerName: string, work: Effect.Effect<void>) =>
          handleTask(kind, ({ attempt }) => {
            seen.push(`${runnerName} ${attempt}`)
            return work
          })
        const first = yield* start(handler("first", Effect.never))
        yield* (yield* Tasks).enqueue(kind, { payload: { n: 1 } })
        yield* until(Effect.sync(() => seen.length === 1))
        const closing = yield* Effect.forkChild(first.close)
        yield* until(Effect.map(openOf(kind), ([task]) => task?.runner === undefined))
        yield* Effect.forkChild(start(handler("second", Effect.void)))
        yield* until(isDone(kind))
        expect(seen).toEqual(["first 1", "second 1"])
        expect(closing).toBeDefined()
      })
    )

    it.effect("runs what recurs on one runner at a time, and sooner while there is more to do", () =>
      Effect.gen(function* () {
        const kind = yield* makeTaskKind
        const found = [5, 3]
        let [running, most, runs] = [0, 0, 0]
        const handler = recurringTask(
          kind,
          600,
          Effect.gen(function* () {
            most = Math.max(most, ++running)
            yield* Effect.sleep(10)
            running--
            return found[runs++] ?? 0
          })
        )
        for (let n = 0; n < 3; n++) yield* start(handler)
        yield* until(Effect.sync(() => runs === 3))
        yield* pass(2_000)
        expect([most, runs]).toEqual([1, 3])
        const [task] = yield* Effect.flatMap(TaskStore, (store) => store.list({ kind, limit: 5 }))
        expect(task).toMatchObject({ attempts: 0, key: kind })
      })
    )
  })
}
