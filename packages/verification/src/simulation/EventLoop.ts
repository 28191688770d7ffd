/**
 * Virtual time for many fibers at once: anyone who can run does, in an order that a seed decides, and when nobody
 * can, time goes to where the next one wakes. Nothing here is asynchronous to the process, so a scenario is the
 * same wherever it is played.
 */
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Scheduler from "effect/Scheduler"
import { PlanningTurns } from "@millrace/core/enrichment"
import type { Seeded } from "@millrace/testing/model"
import { epoch } from "./VirtualClock.ts"

interface Timer {
  readonly at: number
  readonly nth: number
  wake: (() => void) | undefined
}

const isBefore = (a: Timer, b: Timer): boolean => (a.at === b.at ? a.nth < b.nth : a.at < b.at)

/** Operations of a fiber after which others get their turn. */
const turn = 2_048

export class EventLoop {
  /** Milliseconds since 1970. */
  now: number
  readonly #random: Seeded | undefined
  readonly #ready: Array<() => void> = []
  /** A binary heap: earliest first. */
  readonly #timers: Array<Timer> = []
  #timersMade = 0
  readonly scheduler: Scheduler.Scheduler

  /** Without `random` anyone who became ready first runs first. */
  constructor(random?: Seeded, now = epoch) {
    this.#random = random
    this.now = now
    const dispatcher: Scheduler.SchedulerDispatcher = {
      scheduleTask: (task) => void this.#ready.push(task),
      flush: () => this.#runReady()
    }
    this.scheduler = {
      executionMode: "sync",
      shouldYield: (fiber) => fiber.currentOpCount >= turn,
      makeDispatcher: () => dispatcher
    }
  }

  /** Wakes somebody at a time; that may be past. Returns how to take it back. */
  at(millis: number, wake: () => void): () => void {
    const timer: Timer = { at: Math.ceil(millis), nth: ++this.#timersMade, wake }
    const heap = this.#timers
    let place = heap.push(timer) - 1
    while (place > 0) {
      const parent = (place - 1) >> 1
      if (!isBefore(timer, heap[parent]!)) break
      heap[place] = heap[parent]!
      place = parent
    }
    heap[place] = timer
    return () => {
      timer.wake = undefined
    }
  }

  #pop(): Timer {
    const heap = this.#timers
    const first = heap[0]!
    const last = heap.pop()!
    if (heap.length > 0) {
      let place = 0
      for (;;) {
        let child = place * 2 + 1
        if (child >= heap.length) break
        if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++
        if (!isBefore(heap[child]!, last)) break
        heap[place] = heap[child]!
        place = child
      }
      heap[place] = last
    }
    return first
  }

  #runReady(): void {
    const ready = this.#ready
    while (ready.length > 0) {
      const at = this.#random === undefined || ready.length === 1 ? 0 : this.#random.below(ready.length)
      const [task] = ready.splice(at, 1)
      task!()
    }
  }

  /** When the next sleeper wakes, if there is one. */
  get next(): number | undefined {
    while (this.#timers.length > 0 && this.#timers[0]!.wake === undefined) this.#pop()
    return this.#timers[0]?.at
  }

  /**
   * Lets everything happen that happens until `until`, or until `done`. Before time goes on, `skip` may name a
   * later moment at which something happens next; sleepers until then wake late, all at that moment.
   */
  run(until: number, done: () => boolean = () => false, skip?: (next: number) => number | undefined): void {
    for (;;) {
      this.#runReady()
      if (done()) return
      const next = this.next
      if (next === undefined || next > until) {
        this.now = Math.max(this.now, until)
        return
      }
      const later = next > this.now ? skip?.(next) : undefined
      if (later !== undefined && later > next) {
        this.now = Math.min(later, until)
        continue
      }
      const { at, wake } = this.#pop()
      this.now = Math.max(this.now, at)
      wake?.()
    }
  }

  /** Ends after so many milliseconds. */
  sleep(millis: number): Effect.Effect<void> {
    return Effect.callback((resume) => {
      const cancel = this.at(this.now + millis, () => resume(Effect.void))
      return Effect.sync(cancel)
    })
  }

  /** A clock that is wrong by so many milliseconds. */
  clock(wrongBy: () => number = () => 0): Clock.Clock {
    const millis = () => this.now + wrongBy()
    const nanos = () => BigInt(millis()) * 1_000_000n
    const monotonic = () => BigInt(this.now) * 1_000_000n
    return {
      currentTimeMillisUnsafe: millis,
      currentTimeMillis: Effect.sync(millis),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: monotonic,
      monotonicTimeNanos: Effect.sync(monotonic),
      sleep: (duration) => this.sleep(Duration.toMillis(duration))
    }
  }

  /** Runs an effect to its end, with everything that happens meanwhile; `undefined` when it has none by `until`. */
  complete<A, E>(effect: Effect.Effect<A, E>, until: number): Exit.Exit<A, E> | undefined {
    // Fibers of machines that die are never resumed, so none may wait for another one of the process.
    const alone = Effect.provideService(effect, PlanningTurns, () => Effect.yieldNow)
    const fiber = Effect.runFork(alone, { scheduler: this.scheduler })
    this.run(until, () => fiber.pollUnsafe() !== undefined)
    return fiber.pollUnsafe()
  }
}
