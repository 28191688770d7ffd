/** Conformance of `EventStore`. */
import type { LoggedEvent } from "@millrace/core/event"
import { EventStore, Transactor } from "@millrace/core/storage"
import { limits } from "@millrace/core"
import type { WorkspaceId } from "@millrace/core/workspace"
import { expect } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { somebody } from "../fixture/Actor.ts"
import { makeEvent, storeEvents } from "../fixture/Event.ts"
import { difficultTexts } from "../fixture/Text.ts"
import { storeWorkspace } from "../fixture/Workspace.ts"
import { StoreClock, suiteOf, type StorageTests } from "./StorageTests.ts"

const day = 86_400

const arrange = Effect.gen(function* () {
  const { id } = yield* storeWorkspace()
  return { id, store: yield* EventStore, ...(yield* StoreClock) }
})

/** A consumer that nobody else knows. */
let consumers = 0
const newConsumer = () => `consumer_${consumers++}`

const numbers = (events: ReadonlyArray<LoggedEvent>) => events.map(({ sequence }) => sequence)

/** Whether the consumer has not had the newest event of the workspace, and up to where it has come. */
const where = Effect.fnUntraced(function* (consumer: string, workspaceId: WorkspaceId) {
  const store = yield* EventStore
  const behind = yield* store.behind([consumer, "nobody"], 1_000)
  return [
    behind.some((one) => one.workspaceId === workspaceId && one.consumer === consumer),
    yield* store.position({ consumer, workspaceId })
  ] as const
})

export const tests: StorageTests = (it) => {
  it.effect("hands back events as they were written, numbered from 1 in each workspace", () =>
    Effect.gen(function* () {
      const { id, store } = yield* arrange
      const other = yield* storeWorkspace()
      const first = {
        ...makeEvent(id, "a", 1),
        cause: {
          kind: "automation",
          automationId: "x",
          revision: 1,
          grantId: "g",
          runId: "r",
          node: "n",
          startedBy: somebody,
          depth: 1
        },
        data: { texts: [...difficultTexts], deep: { a: [1, 2.5, true, null, { b: "" }] } }
      } as const
      yield* store.append([first, makeEvent(other.id, "b", 1), makeEvent(id, "c", 2)])
      yield* store.append([])
      const read = yield* store.read(id, 0, 10)
      expect(read).toMatchObject([
        { ...first, sequence: 1 },
        { ...makeEvent(id, "c", 2), sequence: 2 }
      ])
      expect(read[0]!.at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      expect(yield* store.read(other.id, 0, 10)).toMatchObject([{ subject: { id: "b" }, sequence: 1 }])
      expect([yield* store.newest(id), yield* store.newest(other.id)]).toEqual([2, 1])
    })
  )

  it.effect("reads on from any number, and nothing where there is nothing", () =>
    Effect.gen(function* () {
      const { id, store } = yield* arrange
      expect([yield* store.read(id, 0, 10), yield* store.newest(id)]).toEqual([[], 0])
      yield* storeEvents(id, 102)
      expect(numbers(yield* store.read(id, 0, 3))).toEqual([1, 2, 3])
      expect(numbers(yield* store.read(id, 8, 3))).toEqual([9, 10, 11])
      expect(numbers(yield* store.read(id, 98, 9))).toEqual([99, 100, 101, 102])
      expect(numbers(yield* store.read(id, 102, 3))).toEqual([])
    })
  )

  it.effect("tells what took effect, and nothing of what did not", () =>
    Effect.gen(function* () {
      const { id, store } = yield* arrange
      const { atomically } = yield* Transactor
      const failing = Effect.andThen(store.append([makeEvent(id, "undone", 1)]), Effect.fail("no"))
      yield* Effect.flip(atomically(failing))
      yield* atomically(Effect.andThen(Effect.ignore(atomically(failing)), store.append([makeEvent(id, "done", 1)])))
      yield* store.append([makeEvent(id, "next", 1)])
      expect((yield* store.read(id, 0, 10)).map(({ sequence, subject }) => [sequence, subject.id])).toEqual([
        [1, "done"],
        [2, "next"]
      ])
    })
  )

  it.effect("gives a number to what takes effect late that nobody has read past", () =>
    Effect.gen(function* () {
      const { id, store } = yield* arrange
      const { atomically } = yield* Transactor
      const [written, mayEnd] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const slow = yield* Effect.forkChild(
        atomically(
          store
            .append([makeEvent(id, "slow", 1)])
            .pipe(Effect.andThen(Deferred.succeed(written, undefined)), Effect.andThen(Deferred.await(mayEnd)))
        )
      )
      yield* Deferred.await(written)
      // Where transactions follow each other this one waits for the slow one.
      const quick = yield* Effect.forkChild(store.append([makeEvent(id, "quick", 1)]))
      const early = yield* Effect.forkChild(Effect.andThen(Effect.yieldNow, store.read(id, 0, 10)), {
        startImmediately: true
      })
      yield* Effect.yieldNow
      yield* Deferred.succeed(mayEnd, undefined)
      yield* Fiber.join(slow)
      yield* Fiber.join(quick)
      const seen = yield* Fiber.join(early)
      const rest = yield* store.read(id, seen.length, 10)
      expect(numbers([...seen, ...rest])).toEqual([1, 2])
      expect([...seen, ...rest].map(({ subject }) => subject.id).toSorted()).toEqual(["quick", "slow"])
    })
  )

  it.effect("lets a reader by number miss nothing that many write at once, in the order of each subject", () =>
    Effect.gen(function* () {
      const { id, store } = yield* arrange
      const { atomically } = yield* Transactor
      const [writers, each] = [8, 12]
      const write = Effect.fnUntraced(function* (writer: number) {
        for (let n = 1; n <= each; n++) {
          const events = [makeEvent(id, `s${writer}`, n)]
          const step = Effect.andThen(store.append(events), n % 3 === 0 ? Effect.yieldNow : Effect.void)
          // Every fifth is taken back and written again.
          if (n % 5 === 0) yield* Effect.ignore(atomically(Effect.andThen(step, Effect.fail("no"))))
          yield* atomically(step)
        }
      })
      const writing = yield* Effect.forkChild(
        Effect.forEach(
          Array.from({ length: writers }, (_, n) => n),
          write,
          { concurrency: "unbounded" }
        )
      )
      const read = (seen: Array<LoggedEvent>): Effect.Effect<Array<LoggedEvent>, unknown> =>
        Effect.gen(function* () {
          const done = writing.pollUnsafe() !== undefined
          for (;;) {
            const some = yield* store.read(id, seen.length, 7)
            seen.push(...some)
            if (some.length < 7) break
          }
          if (done) return seen
          yield* Effect.yieldNow
          return yield* read(seen)
        })
      const readers = yield* Effect.all([read([]), read([])], { concurrency: 2 })
      yield* Fiber.join(writing)
      for (const seen of readers) {
        expect(numbers(seen)).toEqual(Array.from({ length: writers * each }, (_, n) => n + 1))
        for (let writer = 0; writer < writers; writer++) {
          const own = seen.filter(({ subject }) => subject.id === `s${writer}`)
          expect(own.map(({ data }) => data)).toEqual(Array.from({ length: each }, (_, n) => ({ n: n + 1 })))
        }
      }
    })
  )

  it.effect("tells those who listen that something happened", () =>
    Effect.gen(function* () {
      const { id, store } = yield* arrange
      const listens = yield* Deferred.make<void>()
      const heard = yield* store.arrivals.pipe(
        Stream.tap(() => Deferred.succeed(listens, undefined)),
        // One for listening, one for the event.
        Stream.take(2),
        Stream.runDrain,
        Effect.forkChild
      )
      yield* Deferred.await(listens)
      yield* storeEvents(id, 1)
      expect(Exit.isSuccess(yield* Fiber.await(heard))).toBe(true)
    })
  )

  it.effect("begins a new consumer now or at the beginning, and lets a known one go on", () =>
    Effect.gen(function* () {
      const { id, store } = yield* arrange
      yield* storeEvents(id, 2)
      const [late, early] = [newConsumer(), newConsumer()]
      expect(yield* where(late, id)).toEqual([false, 0])
      yield* store.register(late, "now")
      yield* store.register(early, "beginning")
      expect([yield* where(late, id), yield* where(early, id)]).toEqual([
        [false, 2],
        [true, 0]
      ])
      yield* storeEvents(id, 1)
      expect(yield* where(late, id)).toEqual([true, 2])
      yield* store.advance({ consumer: late, workspaceId: id }, 3)
      yield* store.advance({ consumer: late, workspaceId: id }, 2)
      expect(yield* where(late, id)).toEqual([false, 3])
      yield* storeEvents(id, 1)
      yield* store.register(late, "beginning")
      expect(yield* where(late, id)).toEqual([true, 3])
      // A workspace that is new has everything to tell.
      const fresh = yield* storeWorkspace()
      yield* storeEvents(fresh.id, 1)
      expect(yield* where(late, fresh.id)).toEqual([true, 0])
      yield* store.unregister(late)
      yield* store.advance({ consumer: late, workspaceId: fresh.id }, 1)
      expect(yield* where(late, fresh.id)).toEqual([false, 0])
      yield* store.unregister(early)
    })
  )

  it.effect("names no more consumers and workspaces than asked for, and only those asked for", () =>
    Effect.gen(function* () {
      const { id, store } = yield* arrange
      const [first, second] = [newConsumer(), newConsumer()]
      for (const consumer of [first, second]) yield* store.register(consumer, "now")
      const other = yield* storeWorkspace()
      yield* storeEvents(id, 1)
      yield* storeEvents(other.id, 1)
      expect(yield* store.behind([], 10)).toEqual([])
      const found = yield* store.behind([first], 10)
      expect(new Set(found.map(({ consumer, workspaceId }) => `${consumer} ${workspaceId}`))).toEqual(
        new Set([`${first} ${id}`, `${first} ${other.id}`])
      )
      expect(yield* store.behind([first, second], 3)).toHaveLength(3)
      for (const consumer of [first, second]) yield* store.unregister(consumer)
    })
  )

  it.effect("takes back what was written together with how far a consumer came", () =>
    Effect.gen(function* () {
      const { id, store } = yield* arrange
      const { atomically } = yield* Transactor
      const consumer = newConsumer()
      yield* store.register(consumer, "beginning")
      yield* storeEvents(id, 1)
      yield* Effect.flip(atomically(Effect.andThen(store.advance({ consumer, workspaceId: id }, 1), Effect.fail("no"))))
      expect(yield* where(consumer, id)).toEqual([true, 0])
      yield* store.unregister(consumer)
    })
  )

  it.effect("forgets old events that all consumers have had, and says so to who comes too late", () =>
    Effect.gen(function* () {
      const { id, pass, store } = yield* arrange
      const consumer = newConsumer()
      yield* store.register(consumer, "beginning")
      yield* storeEvents(id, 4)
      yield* store.advance({ consumer, workspaceId: id }, 2)
      const purge = Effect.gen(function* () {
        while ((yield* store.purge(100)) > 0) continue
        return numbers(yield* store.read(id, 0, 10))
      })
      yield* pass(limits.eventDays * day - 60)
      expect(yield* purge).toEqual([1, 2, 3, 4])
      yield* pass(120)
      expect(yield* purge).toEqual([3, 4])
      expect(yield* Effect.flip(store.read(id, 1, 10))).toMatchObject({ _tag: "EventsForgotten", forgotten: 2 })
      expect(numbers(yield* store.read(id, 2, 10))).toEqual([3, 4])
      yield* storeEvents(id, 1)
      yield* pass((limits.eventWaitDays - limits.eventDays) * day)
      expect(yield* purge).toEqual([5])
      expect(yield* where(consumer, id)).toEqual([true, 2])
      yield* store.unregister(consumer)
      yield* pass(day)
      expect(yield* purge).toEqual([])
      expect([yield* store.newest(id), yield* store.read(id, 5, 10)]).toEqual([5, []])
    })
  )
}

export const suite = suiteOf(tests)
