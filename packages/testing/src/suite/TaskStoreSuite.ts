/** Conformance of `TaskStore`. */
import { limits, Timestamp } from "@millrace/core"
import { TaskFenced, TaskStore, Transactor } from "@millrace/core/storage"
import type { ClaimedTask, TaskFence } from "@millrace/core/task"
import { expect } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { makeTask, makeTaskKind, storeTask } from "../fixture/Task.ts"
import { storeWorkspace } from "../fixture/Workspace.ts"
import { letOthersRun, StoreClock, suiteOf, type StorageTests } from "./StorageTests.ts"

const lease = 10
const day = 86_400

const arrange = Effect.gen(function* () {
  const store = yield* TaskStore
  const kind = yield* makeTaskKind
  const take = (limit = 100) => store.claim("one", [{ kind, limit }], lease)
  return {
    store,
    kind,
    clock: yield* StoreClock,
    take,
    /** The one task that can be taken. */
    takeOne: Effect.gen(function* () {
      const { tasks } = yield* take()
      expect(tasks).toHaveLength(1)
      return tasks[0]!
    }),
    /** Takes a task, again and again, as long as another try is due. */
    takeAfter: (seconds: number) =>
      Effect.gen(function* () {
        yield* (yield* StoreClock).pass(seconds)
        return (yield* take()).tasks
      })
  }
})

const ids = (tasks: ReadonlyArray<ClaimedTask>) => tasks.map(({ task }) => task.id)

/** What must refuse a process whose task is no longer its own. */
const calls: ReadonlyArray<
  readonly [name: string, call: (store: TaskStore["Service"], fence: TaskFence) => Effect.Effect<unknown, unknown>]
> = [
  ["write", (store, fence) => store.fence(fence)],
  ["complete", (store, fence) => store.complete(fence)],
  ["try again", (store, fence) => store.retry(fence, "late", 0)],
  ["give up", (store, fence) => store.fail(fence, "late")]
]

/** Ways for a task to stop being that of who runs it. */
const losses: ReadonlyArray<
  readonly [
    name: string,
    lose: (store: TaskStore["Service"], claimed: ClaimedTask) => Effect.Effect<unknown, unknown, StoreClock>
  ]
> = [
  ["was given back", (store, { fence }) => store.release(fence, 0)],
  ["has ended", (store, { fence }) => store.complete(fence)],
  ["was given up", (store, { fence }) => store.fail(fence, "over")],
  ["waits for another try", (store, { fence }) => store.retry(fence, "over", 0)],
  ["was withdrawn", (store, { task }) => store.withdraw(task.kind, task.key)],
  [
    "was taken over",
    (store, { task }) =>
      Effect.gen(function* () {
        yield* (yield* StoreClock).pass(lease + 1)
        const { tasks } = yield* store.claim("two", [{ kind: task.kind, limit: 1 }], lease)
        expect(tasks).toHaveLength(1)
      })
  ]
]

export const tests: StorageTests = (it) => {
  it.effect("gives a task that is due to one process, with what it was made of", () =>
    Effect.gen(function* () {
      const { kind, store, take } = yield* arrange
      const workspace = yield* storeWorkspace()
      const made = yield* storeTask(kind, { key: "k", workspaceId: workspace.id, payload: { n: 1, deep: ["x", null] } })
      const { nextSeconds, tasks } = yield* take()
      expect(nextSeconds).toBe(undefined)
      expect(tasks.map(({ task }) => task)).toMatchObject([
        { id: made.id, kind, key: "k", workspaceId: workspace.id, payload: made.payload, attempts: 1, runner: "one" }
      ])
      expect((yield* store.claim("two", [{ kind, limit: 5 }], lease)).tasks).toEqual([])
      expect(Option.getOrThrow(yield* store.get(made.id))).toEqual(tasks[0]!.task)
    })
  )

  it.effect("gives each of many tasks to one of many who ask at once", () =>
    Effect.gen(function* () {
      const { kind, store } = yield* arrange
      const made = yield* Effect.forEach(Array.from({ length: 40 }), () => makeTask(kind))
      yield* store.enqueue(made)
      const taken = yield* Effect.forEach(
        Array.from({ length: 12 }, (_, n) => `runner ${n}`),
        (runner) => store.claim(runner, [{ kind, limit: 5 }], lease),
        { concurrency: "unbounded" }
      )
      const got = taken.flatMap(({ tasks }) => ids(tasks))
      expect(new Set(got).size).toBe(got.length)
      for (const { tasks } of taken) expect(tasks.length).toBeLessThanOrEqual(5)
      const rest = (yield* store.claim("last", [{ kind, limit: 40 }], lease)).tasks
      expect([...got, ...ids(rest)].toSorted()).toEqual(made.map(({ id }) => id).toSorted())
    })
  )

  it.effect("keeps to the room of each kind, and says when the next of those asked for is due", () =>
    Effect.gen(function* () {
      const { clock, kind, store } = yield* arrange
      const other = yield* makeTaskKind
      for (let n = 0; n < 3; n++) yield* storeTask(kind)
      yield* storeTask(other)
      const rooms = [
        { kind, limit: 2 },
        { kind: other, limit: 0 }
      ]
      const first = yield* store.claim("one", rooms, lease)
      expect(first.tasks.map(({ task }) => task.kind)).toEqual([kind, kind])
      expect(first.nextSeconds).toBeLessThanOrEqual(0)
      for (const { fence } of first.tasks) yield* store.complete(fence)
      const second = yield* store.claim("one", rooms, lease)
      expect(second.tasks).toHaveLength(1)
      expect(second.nextSeconds).toBe(undefined)
      yield* store.complete(second.tasks[0]!.fence)
      yield* storeTask(kind, { afterSeconds: 30 })
      expect((yield* store.claim("one", rooms, lease)).nextSeconds).toBeCloseTo(30, 0)
      yield* clock.pass(31)
      expect((yield* store.claim("one", rooms, lease)).tasks).toHaveLength(1)
    })
  )

  it.effect("is due at the instant, or after the seconds, that it was made with", () =>
    Effect.gen(function* () {
      const { kind, store, take, takeAfter } = yield* arrange
      const now = yield* storeTask(kind)
      const [claimed] = (yield* take()).tasks
      const instant = Timestamp.fromMillis(Timestamp.toMillis(claimed!.task.dueAt) + 60_000)
      yield* store.complete(claimed!.fence)
      expect(claimed!.task.id).toBe(now.id)
      const later = yield* storeTask(kind, { at: instant })
      const soon = yield* storeTask(kind, { afterSeconds: 20 })
      expect((yield* take()).tasks).toEqual([])
      expect(ids(yield* takeAfter(25))).toEqual([soon.id])
      expect(ids(yield* takeAfter(40))).toContain(later.id)
      expect(Option.getOrThrow(yield* store.get(later.id)).dueAt).toBe(instant)
    })
  )

  it.effect("makes tasks with the transaction around, or not at all", () =>
    Effect.gen(function* () {
      const { kind, store, take, takeOne } = yield* arrange
      const { atomically } = yield* Transactor
      yield* Effect.flip(atomically(Effect.andThen(storeTask(kind), Effect.fail("no"))))
      expect((yield* take()).tasks).toEqual([])
      const made = yield* atomically(storeTask(kind))
      const { fence, task } = yield* takeOne
      expect(task.id).toBe(made.id)
      yield* Effect.flip(atomically(Effect.andThen(store.complete(fence), Effect.fail("no"))))
      expect(Option.isSome(yield* store.get(made.id))).toBe(true)
      yield* atomically(store.complete(fence))
      expect(Option.isNone(yield* store.get(made.id))).toBe(true)
    })
  )

  it.effect("keeps one open task of a key: the newest payload, at the earliest time", () =>
    Effect.gen(function* () {
      const { kind, store, take, takeOne } = yield* arrange
      const first = yield* storeTask(kind, { key: "k", payload: { n: 1 }, afterSeconds: 60 })
      yield* storeTask(kind, { key: "other", afterSeconds: 600 })
      yield* storeTask(kind, { key: "k", payload: { n: 2 }, afterSeconds: 900 })
      expect((yield* take()).nextSeconds).toBeGreaterThan(50)
      expect((yield* take()).nextSeconds).toBeLessThan(61)
      yield* store.enqueue([
        yield* makeTask(kind, { key: "k", payload: { n: 3 } }),
        yield* makeTask(kind, { key: "k", payload: { n: 4 }, afterSeconds: 5 })
      ])
      const { task } = yield* takeOne
      expect(task).toMatchObject({ id: first.id, payload: { n: 4 } })
    })
  )

  it.effect("leaves an open task as it is where it is asked to", () =>
    Effect.gen(function* () {
      const { kind, store, take } = yield* arrange
      const first = yield* storeTask(kind, { key: "k", payload: { n: 1 }, afterSeconds: 60 })
      const again = yield* makeTask(kind, { key: "k", payload: { n: 2 } })
      const same = yield* makeTask(kind, { key: "j", payload: { n: 3 } })
      yield* store.enqueue([again, same, { ...(yield* makeTask(kind)), key: "j" }], { keep: true })
      const { nextSeconds, tasks } = yield* take()
      expect(tasks.map(({ task }) => task)).toMatchObject([{ id: same.id, payload: { n: 3 } }])
      expect(nextSeconds).toBeGreaterThan(50)
      expect(Option.getOrThrow(yield* store.get(first.id)).payload).toEqual({ n: 1 })
    })
  )

  it.effect("does a task again that was asked for while it ran, as a new one with the newest payload", () =>
    Effect.gen(function* () {
      const { kind, store, takeOne } = yield* arrange
      yield* storeTask(kind, { key: "k", payload: { n: 1 } })
      const first = yield* takeOne
      const second = yield* storeTask(kind, { key: "k", payload: { n: 2 }, afterSeconds: 40 })
      yield* storeTask(kind, { key: "k", payload: { n: 3 } })
      expect(first.task.payload).toEqual({ n: 1 })
      expect(yield* store.complete(first.fence)).toBeLessThanOrEqual(0)
      const next = yield* takeOne
      expect(next.task).toMatchObject({ id: second.id, key: "k", payload: { n: 3 }, attempts: 1 })
      expect(yield* store.complete(next.fence)).toBe(undefined)
      expect((yield* store.list({ kind, limit: 5 })).length).toBe(0)
    })
  )

  it.effect("does a task again that asks for it, as a new one with its payload", () =>
    Effect.gen(function* () {
      const { kind, store, takeAfter, takeOne } = yield* arrange
      yield* storeTask(kind, { key: "k", payload: { n: 1 } })
      const first = yield* takeOne
      const { id } = yield* makeTask(kind)
      expect(yield* store.complete(first.fence, { id, afterSeconds: 30 })).toBeCloseTo(30, 0)
      const [next] = yield* takeAfter(31)
      expect(next!.task).toMatchObject({ id, key: "k", payload: { n: 1 }, attempts: 1 })
    })
  )

  it.effect("takes the earlier time where a task asks for another run and somebody else does as well", () =>
    Effect.gen(function* () {
      const { kind, store, takeOne } = yield* arrange
      yield* storeTask(kind, { key: "k", payload: { n: 1 } })
      const first = yield* takeOne
      const asked = yield* storeTask(kind, { key: "k", payload: { n: 2 } })
      const { id } = yield* makeTask(kind)
      expect(yield* store.complete(first.fence, { id, afterSeconds: 600 })).toBeLessThanOrEqual(0)
      expect((yield* takeOne).task).toMatchObject({ id: asked.id, payload: { n: 2 } })
    })
  )

  it.effect("tries a task again after its wait, which nobody who asks for the task cuts short", () =>
    Effect.gen(function* () {
      const { kind, store, take, takeAfter, takeOne } = yield* arrange
      yield* storeTask(kind, { key: "k", payload: { n: 1 } })
      const first = yield* takeOne
      yield* store.retry(first.fence, "The endpoint does not answer.", 50)
      yield* storeTask(kind, { key: "k", payload: { n: 2 } })
      expect((yield* take()).tasks).toEqual([])
      const [second] = yield* takeAfter(51)
      expect(second!.task).toMatchObject({
        id: first.task.id,
        attempts: 2,
        payload: { n: 2 },
        lastError: "The endpoint does not answer."
      })
    })
  )

  it.effect("does not count a try that was given back", () =>
    Effect.gen(function* () {
      const { kind, store, take, takeAfter, takeOne } = yield* arrange
      yield* storeTask(kind)
      const { fence } = yield* takeOne
      yield* store.release(fence, 20)
      expect((yield* take()).tasks).toEqual([])
      expect((yield* takeAfter(21))[0]!.task.attempts).toBe(1)
    })
  )

  it.effect("gives a task to another process when its lease is over, and counts that as a try", () =>
    Effect.gen(function* () {
      const { kind, store, takeAfter, takeOne } = yield* arrange
      yield* storeTask(kind)
      const first = yield* takeOne
      expect(yield* takeAfter(lease - 3)).toEqual([])
      expect(yield* store.beat([first.fence], lease)).toEqual([first.task.id])
      expect(yield* takeAfter(lease - 3)).toEqual([])
      const [second] = yield* takeAfter(lease)
      expect(second!.task).toMatchObject({ id: first.task.id, attempts: 2 })
      expect(yield* store.beat([first.fence, second!.fence], lease)).toEqual([second!.task.id])
    })
  )

  for (const [loss, lose] of losses) {
    it.effect.each(calls)(`lets nobody %s for a task that ${loss}`, ([, call]) =>
      Effect.gen(function* () {
        const { kind, store, takeOne } = yield* arrange
        yield* storeTask(kind, { key: "k" })
        const claimed = yield* takeOne
        yield* lose(store, claimed)
        const before = yield* store.list({ kind, limit: 5 })
        expect(yield* Effect.flip(call(store, claimed.fence))).toBeInstanceOf(TaskFenced)
        yield* store.release(claimed.fence, 0)
        expect(yield* store.list({ kind, limit: 5 })).toEqual(before)
      })
    )
  }

  it.effect("lets nobody take a task over before the transaction of who runs it ends", () =>
    Effect.gen(function* () {
      const { clock, kind, store, takeOne } = yield* arrange
      yield* storeTask(kind, { key: "k" })
      const { fence } = yield* takeOne
      yield* clock.pass(lease + 1)
      const order: Array<string> = []
      const fenced = yield* Deferred.make<void>()
      const writing = yield* (yield* Transactor)
        .atomically(
          Effect.gen(function* () {
            yield* store.fence(fence)
            yield* Deferred.succeed(fenced, undefined)
            for (let n = 0; n < 300; n++) yield* Effect.andThen(letOthersRun, store.list({ kind, limit: 1 }))
            order.push("written")
            yield* store.complete(fence)
          })
        )
        .pipe(Effect.forkChild)
      yield* Deferred.await(fenced)
      const taken = (yield* store.claim("two", [{ kind, limit: 1 }], lease)).tasks
      expect(yield* store.withdraw(kind, "k")).toBe(false)
      order.push("withdrawn")
      yield* Fiber.join(writing)
      expect(taken).toEqual([])
      expect(order).toEqual(["written", "withdrawn"])
    })
  )

  it.effect("loses nothing that is enqueued while the task of its key ends", () =>
    Effect.gen(function* () {
      const { kind, store, take, takeOne } = yield* arrange
      let done = 0
      for (let n = 0; n < 20; n++) {
        yield* storeTask(kind, { key: "k", payload: { n } })
        const { fence } = yield* takeOne
        yield* Effect.all([store.complete(fence), storeTask(kind, { key: "k", payload: { n, again: true } })], {
          concurrency: "unbounded"
        })
        const { fence: second, task } = yield* takeOne
        expect(task.payload).toEqual({ n, again: true })
        yield* store.complete(second)
        done++
      }
      expect(done).toBe(20)
      expect((yield* take()).tasks).toEqual([])
    })
  )

  it.effect("keeps what was given up, with its error, until it is opened again", () =>
    Effect.gen(function* () {
      const { kind, store, take, takeOne } = yield* arrange
      const made = yield* storeTask(kind, { key: "k", payload: { n: 1 } })
      yield* store.fail((yield* takeOne).fence, "The address is gone.")
      expect((yield* take()).tasks).toEqual([])
      expect(yield* store.list({ kind, state: "failed", limit: 5 })).toMatchObject([
        { id: made.id, lastError: "The address is gone.", payload: { n: 1 } }
      ])
      expect(yield* store.list({ kind, state: "open", limit: 5 })).toEqual([])
      expect(yield* store.reopen(made.id)).toBe(true)
      expect(yield* store.reopen(made.id)).toBe(false)
      expect((yield* takeOne).task).toMatchObject({ id: made.id, attempts: 1 })
    })
  )

  it.effect("opens a new task for what was enqueued under a key whose task is given up", () =>
    Effect.gen(function* () {
      const { kind, store, takeOne } = yield* arrange
      const first = yield* storeTask(kind, { key: "k", payload: { n: 1 } })
      const { fence } = yield* takeOne
      const second = yield* storeTask(kind, { key: "k", payload: { n: 2 } })
      yield* store.fail(fence, "over")
      expect(yield* store.reopen(first.id)).toBe(false)
      const claimed = yield* takeOne
      expect(claimed.task).toMatchObject({ id: second.id, payload: { n: 2 } })
      yield* store.complete(claimed.fence)
      // What it held for the new one is not done a second time.
      expect(yield* store.reopen(first.id)).toBe(true)
      const reopened = yield* takeOne
      expect(reopened.task).toMatchObject({ id: first.id, payload: { n: 1 } })
      expect(yield* store.complete(reopened.fence)).toBe(undefined)
    })
  )

  it.effect("removes an open task that is withdrawn, and only that", () =>
    Effect.gen(function* () {
      const { kind, store, takeOne } = yield* arrange
      const gone = yield* storeTask(kind, { key: "k" })
      yield* store.fail((yield* takeOne).fence, "over")
      expect(yield* store.withdraw(kind, "k")).toBe(false)
      yield* storeTask(kind, { key: "k" })
      expect(yield* store.withdraw(kind, "k")).toBe(true)
      expect((yield* store.list({ kind, limit: 5 })).map(({ id }) => id)).toEqual([gone.id])
    })
  )

  it.effect("lists pages of one workspace, newest first", () =>
    Effect.gen(function* () {
      const { kind, store } = yield* arrange
      const [mine, other] = [yield* storeWorkspace(), yield* storeWorkspace()]
      const made: Array<string> = []
      for (let n = 0; n < 5; n++) made.unshift((yield* storeTask(kind, { workspaceId: mine.id })).id)
      yield* storeTask(kind, { workspaceId: other.id })
      const query = { kind, workspaceId: mine.id, limit: 3 }
      const first = yield* store.list(query)
      const second = yield* store.list({ ...query, before: first.at(-1)!.id })
      expect([...first, ...second].map(({ id }) => id)).toEqual(made)
    })
  )

  it.effect("gives workspaces turns, whatever one of them has piled up", () =>
    Effect.gen(function* () {
      const { kind, store, take } = yield* arrange
      const [loud, quiet] = [yield* storeWorkspace(), yield* storeWorkspace()]
      // Enough for a store to look at them in another way.
      for (const count of [30, 300]) {
        yield* store.enqueue(
          yield* Effect.forEach(Array.from({ length: count }), () => makeTask(kind, { workspaceId: loud.id }))
        )
        const two = yield* Effect.forEach([1, 2], () => storeTask(kind, { workspaceId: quiet.id }))
        const own = yield* storeTask(kind)
        const { nextSeconds, tasks } = yield* take(4)
        expect(nextSeconds).toBeLessThanOrEqual(0)
        const taken = ids(tasks)
        expect(taken).toHaveLength(4)
        expect(taken).toContain(own.id)
        expect(taken).toContain(two[0]!.id)
        // The quiet one has one under way now and the loud one too: then the one that was ready first.
        const more = yield* take(2)
        expect(ids(more.tasks)).toContain(two[1]!.id)
        for (const { fence } of [...tasks, ...more.tasks]) yield* store.complete(fence)
      }
    })
  )

  it.effect("takes back the tasks of a process that was lost, however many others wait", () =>
    Effect.gen(function* () {
      const { clock, kind, store, take, takeOne } = yield* arrange
      const [loud, quiet] = [yield* storeWorkspace(), yield* storeWorkspace()]
      const made = yield* storeTask(kind, { workspaceId: quiet.id })
      yield* takeOne
      yield* store.enqueue(
        yield* Effect.forEach(Array.from({ length: 300 }), () => makeTask(kind, { workspaceId: loud.id }))
      )
      yield* clock.pass(lease + 1)
      expect(ids((yield* take(2)).tasks)).toContain(made.id)
    })
  )

  it.effect("tells of each kind what runs, waits, fails and is late", () =>
    Effect.gen(function* () {
      const { clock, kind, store, take } = yield* arrange
      const view = Effect.map(store.overview, (all) => all.find((one) => one.kind === kind))
      expect(yield* view).toBe(undefined)
      for (let n = 0; n < 4; n++) yield* storeTask(kind)
      yield* storeTask(kind, { afterSeconds: 3_000 })
      const { tasks } = yield* take(3)
      expect(yield* view).toMatchObject({ running: 3, waiting: 2, retrying: 0, failed: 0 })
      yield* store.fail(tasks[0]!.fence, "over")
      expect(yield* view).toMatchObject({ failed: 1, lastError: "over" })
      yield* store.retry(tasks[1]!.fence, "not yet", 1_000)
      yield* clock.pass(5)
      const now = yield* view
      expect(now).toMatchObject({ running: 1, waiting: 3, retrying: 1, failed: 1, lastError: "not yet" })
      expect(now!.lateSeconds).toBeGreaterThanOrEqual(5)
      expect(now!.lateSeconds).toBeLessThan(500)
      // Anyone who is silent for too long runs nothing.
      yield* clock.pass(lease)
      expect(yield* view).toMatchObject({ running: 0, waiting: 4 })
    })
  )

  it.effect("forgets what was given up long ago, and nothing else", () =>
    Effect.gen(function* () {
      const { clock, kind, store, takeOne } = yield* arrange
      const purgeAll = Effect.gen(function* () {
        let more = true
        while (more) more = (yield* store.purge(500)) > 0
      })
      yield* storeTask(kind)
      yield* store.fail((yield* takeOne).fence, "over")
      yield* clock.pass(limits.taskHistoryDays * day - 60)
      const open = yield* storeTask(kind)
      yield* purgeAll
      expect(yield* store.list({ kind, limit: 5 })).toHaveLength(2)
      yield* clock.pass(120)
      yield* storeTask(kind)
      yield* purgeAll
      expect((yield* store.list({ kind, limit: 5 })).map(({ id }) => id)).toContain(open.id)
      expect(yield* store.list({ kind, state: "failed", limit: 5 })).toEqual([])
    })
  )

  it.effect("tells listeners of tasks that are made", () =>
    Effect.gen(function* () {
      const { kind, store } = yield* arrange
      const listens = yield* Deferred.make<void>()
      const heard = yield* Deferred.make<void>()
      let elements = 0
      const listening = yield* store.arrivals.pipe(
        Stream.runForEach(() => Deferred.succeed(++elements === 1 ? listens : heard, undefined)),
        Effect.forkChild
      )
      yield* Deferred.await(listens)
      yield* storeTask(kind)
      yield* Deferred.await(heard)
      yield* Fiber.interrupt(listening)
    })
  )
}

export const suite = suiteOf(tests)
