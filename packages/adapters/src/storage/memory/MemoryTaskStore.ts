/** Durable tasks in memory. */
import { limits, Timestamp } from "@millrace/core"
import type { NewTask, Task, TaskFence, TaskId, TaskOverview } from "@millrace/core/task"
import { type Claims, TaskFenced, type TaskRoom, TaskStore } from "@millrace/core/storage"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import { frozen } from "./Frozen.ts"
import { Memory } from "./MemoryTransactor.ts"
import { ascending } from "./Order.ts"

interface StoredTask {
  readonly task: Task
  readonly epoch: number
  /** What was enqueued under its key while it ran. */
  readonly again?: { readonly id: TaskId; readonly payload: Task["payload"]; readonly at: Timestamp.Timestamp }
}

const keyOf = ({ key, kind }: { readonly kind: string; readonly key: string }): string => `${kind} ${key}`
const earlier = (a: Timestamp.Timestamp, b: Timestamp.Timestamp): Timestamp.Timestamp => (a < b ? a : b)
const after = (now: number, seconds: number): Timestamp.Timestamp => Timestamp.fromMillis(now + seconds * 1000)
const secondsUntil = (at: Timestamp.Timestamp, now: number): number => (Timestamp.toMillis(at) - now) / 1000
const isOpen = ({ failedAt }: Task): boolean => failedAt === undefined
const byReadiness = (a: Task, b: Task): number => ascending(a.readyAt, b.readyAt) || ascending(a.id, b.id)

/** A task that waits as one that was just made does. */
const fresh = (task: Task, change: Partial<Task>): Task => {
  const { lastError: _, runner: _runner, ...rest } = task
  return { ...rest, attempts: 0, ...change }
}

const isRunning = ({ readyAt, runner }: Task, now: number): boolean =>
  runner !== undefined && Timestamp.toMillis(readyAt) > now

export const layer: Layer.Layer<TaskStore, never, Memory> = Layer.effect(
  TaskStore,
  Effect.gen(function* () {
    const { attempt, call, remove, set } = yield* Memory
    const tasks = new Map<TaskId, StoredTask>()
    const openByKey = new Map<string, TaskId>()
    const arrivals = yield* PubSub.sliding<void>(1)

    const put = (stored: StoredTask): void => {
      const { task } = stored
      set(tasks, task.id, { ...stored, task: Object.freeze(task) })
      if (isOpen(task)) set(openByKey, keyOf(task), task.id)
      else if (openByKey.get(keyOf(task)) === task.id) remove(openByKey, keyOf(task))
    }

    const forget = (task: Task): void => {
      remove(tasks, task.id)
      if (openByKey.get(keyOf(task)) === task.id) remove(openByKey, keyOf(task))
    }

    const held = ({ epoch, taskId }: TaskFence): StoredTask | undefined => {
      const stored = tasks.get(taskId)
      return stored?.epoch === epoch && stored.task.runner !== undefined && isOpen(stored.task) ? stored : undefined
    }

    const guarded = <A>(fence: TaskFence, change: (stored: StoredTask, now: number) => A) =>
      attempt((now): Exit.Exit<A, TaskFenced> => {
        const stored = held(fence)
        return stored === undefined
          ? Exit.fail(new TaskFenced({ taskId: fence.taskId }))
          : Exit.succeed(change(stored, now))
      })

    const openOf = (kind: string): ReadonlyArray<StoredTask> =>
      [...tasks.values()].filter(({ task }) => task.kind === kind && isOpen(task))

    const enqueue = ({ afterSeconds = 0, at, ...made }: NewTask, keep: boolean, now: number): void => {
      const dueAt = at ?? after(now, afterSeconds)
      const open = openByKey.get(keyOf(made))
      if (open === undefined) {
        const createdAt = Timestamp.fromMillis(now)
        put({ task: frozen({ ...made, dueAt, readyAt: dueAt, attempts: 0, createdAt }), epoch: 0 })
        return
      }
      if (keep) return
      const stored = tasks.get(open)!
      const { again, task } = stored
      const payload = frozen(made.payload)
      if (task.runner !== undefined) {
        put({ ...stored, again: { id: again?.id ?? made.id, payload, at: earlier(again?.at ?? dueAt, dueAt) } })
      } else if (task.attempts > 0) {
        put({ ...stored, task: { ...task, payload } })
      } else {
        const times = { dueAt: earlier(task.dueAt, dueAt), readyAt: earlier(task.readyAt, dueAt) }
        put({ ...stored, task: { ...task, payload, ...times } })
      }
    }

    /** Of each workspace its tasks in turn, those of workspaces with the least under way first. */
    const inTurn = (open: ReadonlyArray<StoredTask>, now: number): ReadonlyArray<StoredTask> => {
      const under = new Map<string, number>()
      const space = ({ task }: StoredTask) => task.workspaceId ?? ""
      for (const stored of open) {
        if (isRunning(stored.task, now)) under.set(space(stored), (under.get(space(stored)) ?? 0) + 1)
      }
      return open
        .filter(({ task }) => Timestamp.toMillis(task.readyAt) <= now)
        .toSorted((a, b) => byReadiness(a.task, b.task))
        .map((stored) => {
          const turn = (under.get(space(stored)) ?? 0) + 1
          under.set(space(stored), turn)
          return { stored, turn }
        })
        .toSorted((a, b) => a.turn - b.turn || byReadiness(a.stored.task, b.stored.task))
        .map(({ stored }) => stored)
    }

    const claim = (runner: string, rooms: ReadonlyArray<TaskRoom>, leaseSeconds: number, now: number): Claims => {
      const claimed: Array<Claims["tasks"][number]> = []
      let next = Infinity
      for (const { kind, limit } of rooms) {
        if (limit < 1) continue
        const open = openOf(kind)
        const taken = new Set<TaskId>()
        for (const stored of inTurn(open, now).slice(0, limit)) {
          const { epoch, task } = stored
          const readyAt = after(now, leaseSeconds)
          const claimedTask = { ...task, runner, attempts: task.attempts + 1, readyAt }
          put({ ...stored, task: claimedTask, epoch: epoch + 1 })
          claimed.push({ task: claimedTask, fence: { taskId: task.id, epoch: epoch + 1 } })
          taken.add(task.id)
        }
        for (const { task } of open) if (!taken.has(task.id)) next = Math.min(next, secondsUntil(task.readyAt, now))
      }
      return { tasks: claimed, ...(next === Infinity ? {} : { nextSeconds: next }) }
    }

    const overviewOf = (kind: string, now: number): TaskOverview => {
      const own = [...tasks.values()].filter(({ task }) => task.kind === kind).map(({ task }) => task)
      const failed = own.filter((task) => !isOpen(task))
      const running = own.filter((task) => isOpen(task) && isRunning(task, now))
      const waiting = own.filter((task) => isOpen(task) && !isRunning(task, now))
      const [worst] = own
        .filter((task) => isOpen(task) && task.lastError !== undefined)
        .toSorted((a, b) => b.attempts - a.attempts || ascending(a.id, b.id))
      const [last] = failed.toSorted((a, b) => ascending(b.failedAt!, a.failedAt!) || ascending(b.id, a.id))
      const lastError = (worst ?? last)?.lastError
      return {
        kind,
        running: running.length,
        waiting: waiting.length,
        retrying: waiting.filter(({ attempts }) => attempts > 0).length,
        failed: failed.length,
        lateSeconds: Math.max(0, ...waiting.map(({ readyAt }) => -secondsUntil(readyAt, now))),
        ...(lastError === undefined ? {} : { lastError })
      }
    }

    return TaskStore.of({
      enqueue: (made, { keep = false } = {}) =>
        call((now) => {
          for (const one of made) enqueue(one, keep, now)
          if (made.length > 0) PubSub.publishUnsafe(arrivals, undefined)
        }),
      claim: (runner, rooms, leaseSeconds) => call((now) => claim(runner, rooms, leaseSeconds, now)),
      beat: (fences, leaseSeconds) =>
        call((now) =>
          fences.flatMap((fence) => {
            const stored = held(fence)
            if (stored === undefined) return []
            put({ ...stored, task: { ...stored.task, readyAt: after(now, leaseSeconds) } })
            return [fence.taskId]
          })
        ),
      fence: (fence) => guarded(fence, () => undefined),
      complete: (fence, more) =>
        guarded(fence, ({ again, epoch, task }, now) => {
          forget(task)
          const id = again?.id ?? more?.id
          if (id === undefined) return undefined
          const own = more === undefined ? undefined : after(now, more.afterSeconds)
          const dueAt = earlier(again?.at ?? own!, own ?? again!.at)
          const createdAt = Timestamp.fromMillis(now)
          const payload = again?.payload ?? task.payload
          put({ task: fresh(task, { id, payload, dueAt, readyAt: dueAt, createdAt }), epoch: epoch + 1 })
          return secondsUntil(dueAt, now)
        }),
      retry: (fence, error, afterSeconds) =>
        guarded(fence, (stored, now) => {
          const { runner: _, ...task } = stored.task
          put({ ...stored, task: { ...task, lastError: error, readyAt: after(now, afterSeconds) } })
        }),
      fail: (fence, error) =>
        guarded(fence, ({ again, epoch, task }, now) => {
          const at = Timestamp.fromMillis(now)
          const { runner: _, ...rest } = task
          put({ task: { ...rest, lastError: error, failedAt: at }, epoch })
          if (again === undefined) return
          const times = { dueAt: again.at, readyAt: again.at, createdAt: at }
          put({ task: fresh(task, { id: again.id, payload: again.payload, ...times }), epoch: epoch + 1 })
        }),
      release: (fence, afterSeconds) =>
        call((now) => {
          const stored = held(fence)
          if (stored === undefined) return
          const { runner: _, ...task } = stored.task
          put({ ...stored, task: { ...task, attempts: task.attempts - 1, readyAt: after(now, afterSeconds) } })
        }),
      withdraw: (kind, key) =>
        call(() => {
          const stored = tasks.get(openByKey.get(keyOf({ kind, key }))!)
          if (stored !== undefined) forget(stored.task)
          return stored !== undefined
        }),
      get: (id) => call(() => Option.map(Option.fromUndefinedOr(tasks.get(id)), ({ task }) => task)),
      list: ({ before, kind, limit, state, workspaceId }) =>
        call(() =>
          Array.from(tasks.values(), ({ task }) => task)
            .filter(
              (task) =>
                (state === undefined || isOpen(task) === (state === "open")) &&
                (kind === undefined || task.kind === kind) &&
                (workspaceId === undefined || task.workspaceId === workspaceId) &&
                (before === undefined || task.id < before)
            )
            .toSorted((a, b) => ascending(b.id, a.id))
            .slice(0, limit)
        ),
      reopen: (id) =>
        call((now) => {
          const stored = tasks.get(id)
          if (stored === undefined || isOpen(stored.task) || openByKey.has(keyOf(stored.task))) return false
          const { failedAt: _, ...task } = stored.task
          const at = Timestamp.fromMillis(now)
          put({ ...stored, task: fresh(task, { dueAt: at, readyAt: at }) })
          PubSub.publishUnsafe(arrivals, undefined)
          return true
        }),
      overview: call((now) =>
        [...new Set(Array.from(tasks.values(), ({ task }) => task.kind))]
          .toSorted(ascending)
          .map((kind) => overviewOf(kind, now))
      ),
      purge: (limit) =>
        call((now) => {
          const oldest = Timestamp.fromMillis(now - limits.taskHistoryDays * 86_400_000)
          const gone = Array.from(tasks.values(), ({ task }) => task)
            .filter(({ failedAt }) => failedAt !== undefined && failedAt < oldest)
            .toSorted((a, b) => ascending(a.failedAt!, b.failedAt!) || ascending(a.id, b.id))
            .slice(0, limit)
          for (const task of gone) forget(task)
          return gone.length
        }),
      arrivals: Stream.unwrap(
        Effect.map(PubSub.subscribe(arrivals), (arrived) =>
          Stream.prepend(Stream.fromSubscription(arrived), [undefined])
        )
      )
    })
  })
)
