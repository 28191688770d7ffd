/** Schedules while clocks jump: those of the machines, that of the store, and time that nobody was there to see. */
import { describe, expect, it } from "@effect/vitest"
import { NodeDigest } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import type { Schedule } from "../../src/feed/FeedConfig.ts"
import { FeedStore } from "../../src/feed/FeedStore.ts"
import { nextRun } from "../../src/feed/NextRun.ts"
import { JobEngine } from "../../src/job/JobEngine.ts"
import { Jobs } from "../../src/job/Jobs.ts"
import { JobStore } from "../../src/job/JobStore.ts"
import { Cursors } from "../../src/cursor/Cursors.ts"
import { Ids } from "../../src/shared/Ids.ts"
import { storeAccount, storeBank, storeFeed, storeWorkspace } from "@millrace/testing/fixture"
import { Seeded } from "@millrace/testing/model"
import { VirtualClock } from "@millrace/verification/simulation/VirtualClock"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"

const timed = (answer: unknown, clock: Clock.Clock): unknown =>
  Effect.isEffect(answer) ? Effect.provideService(answer, Clock.Clock, clock) : answer

/** The same service on another clock: a database does not see the clock of the machine that asks it. */
const onClock = <S extends object>(service: S, clock: Clock.Clock): S =>
  new Proxy(service, {
    get: (target, key, receiver) => {
      const member: unknown = Reflect.get(target, key, receiver)
      return typeof member === "function"
        ? (...args: ReadonlyArray<unknown>): unknown => timed(Reflect.apply(member, target, args), clock)
        : timed(member, clock)
    }
  })

const world = (clock: VirtualClock) => {
  const moved = <I, S extends object>(key: Context.Key<I, S>): Layer.Layer<I, never, I> =>
    Layer.effect(
      key,
      Effect.map(key, (service) => onClock(service, clock))
    )
  const stores = Layer.mergeAll(moved(FeedStore), moved(JobStore)).pipe(Layer.provideMerge(MemoryStorage.layer))
  const engine = Layer.succeed(JobEngine, { poke: () => Effect.void, interrupt: () => Effect.void })
  return Jobs.layer.pipe(
    Layer.provide([engine, Cursors.layer(Redacted.make("only for tests"))]),
    Layer.provideMerge(stores),
    Layer.provideMerge(Layer.merge(Ids.layer, NodeDigest.layer))
  )
}

const minute = 60_000
const hour = 60 * minute

/**
 * Ten days of a schedule, looked after every ten minutes. Answers when its jobs were made, by the store's clock, and
 * all times at which it was due.
 */
const play = (
  schedule: Schedule,
  jump: (machine: VirtualClock, store: VirtualClock) => void,
  step: (n: number) => number = () => 10
) => {
  const [machine, store] = [new VirtualClock(), new VirtualClock()]
  return Effect.gen(function* () {
    const workspace = yield* storeWorkspace()
    const account = yield* storeAccount(yield* storeBank(workspace))
    const [jobs, jobStore] = [yield* Jobs, yield* JobStore]
    const began = store.now
    const feed = yield* storeFeed(workspace, {
      sourceConfig: { type: "sync", accounts: [{ bankId: account.bankId, accountId: account.id }] },
      schedule,
      nextRunAt: nextRun(schedule, began)
    })
    const made: Array<number> = []
    for (let n = 0; store.now < began + 240 * hour; n++) {
      const passed = step(n)
      machine.pass(passed * 60)
      store.pass(passed * 60)
      jump(machine, store)
      yield* jobs.scheduleDue
      const active = yield* jobStore.active(feed.id)
      if (Option.isNone(active)) continue
      made.push(store.now)
      const claimed = Option.getOrThrow(yield* jobStore.claim(active.value.id, []))
      yield* jobStore.complete(claimed.fence, {})
    }
    const dues: Array<number> = []
    for (let at = began; ;) {
      at = Date.parse(nextRun(schedule, at))
      if (at > store.now) break
      dues.push(at)
    }
    return { made, dues }
  }).pipe(Effect.provide(world(store)), Effect.provideService(Clock.Clock, machine))
}

const schedules: ReadonlyArray<Schedule> = [
  { enabled: true, frequency: "hourly", timeOfDay: "00:20" },
  { enabled: true, frequency: "daily", timeOfDay: "02:30", timezone: "Europe/Zurich" },
  { enabled: true, frequency: "weekly", timeOfDay: "23:55", dayOfWeek: 3, timezone: "America/New_York" }
]

describe.each(schedules)("a schedule that is due $frequency", (schedule) => {
  it.effect("runs once for each due time, however the clock of the machine jumps", () =>
    Effect.gen(function* () {
      const random = new Seeded(5)
      const { dues, made } = yield* play(schedule, (machine) => {
        if (random.once(20)) machine.now += random.pick([-hour, 25 * hour, -25 * hour, 10 * minute])
      })
      expect(made.length).toBe(dues.length)
      for (const [n, due] of dues.entries())
        expect([due <= made[n]!, made[n]! - due < 10 * minute]).toEqual([true, true])
    })
  )

  it.effect("runs once for all that was missed while nothing ran", () =>
    Effect.gen(function* () {
      // Away for 25 and for 60 hours.
      const { dues, made } = yield* play(
        schedule,
        () => {},
        (n) => (n === 50 ? 25 * 60 : n === 150 ? 60 * 60 : 10)
      )
      // Between two jobs at least one due time has passed, and the last job is of the last one.
      for (const [n, at] of made.entries()) {
        const since = n === 0 ? 0 : made[n - 1]!
        expect(dues.filter((due) => due > since && due <= at).length).toBeGreaterThan(0)
      }
      const last = dues.at(-1)!
      expect(made.at(-1)! >= last || dues.length === 0).toBe(true)
      if (schedule.frequency === "hourly") expect(dues.length - made.length).toBeGreaterThan(80)
    })
  )

  it.effect("does not run again for what it has run when the clock of the store goes back", () =>
    Effect.gen(function* () {
      let jumped = false
      const { made } = yield* play(schedule, (_, store) => {
        if (jumped || store.now % (24 * hour) < 12 * hour) return
        jumped = true
        store.now -= hour
      })
      const kinds = new Set(made.map((at) => nextRun(schedule, at)))
      // Each job is followed by another due time than every other one.
      expect(kinds.size).toBe(made.length)
    })
  )
})
