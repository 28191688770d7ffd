import { Jobs, SyncRun } from "@millrace/core/kernel"
import { JobStore, TaskStore, Transactor } from "@millrace/core/storage"
import { expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { describe } from "vitest"
import { MemoryStorage } from "@millrace/adapters/memory"
import { Ids } from "@millrace/core"
import { TaskKinds } from "@millrace/core/task"
import { schedules } from "../src/Housekeeping.ts"
import { layerMemory } from "../src/MemoryEngine.ts"
import { TaskRunner } from "../src/TaskRunner.ts"
import { feedId, makeFakeStore } from "./FakeStore.ts"
import { makeScriptedRun } from "@millrace/testing/fixture"

const { layer: storage } = MemoryStorage

const hour = 3_600_000
/** Milliseconds within which a schedule fires where nothing else happens. */
const late = 17_000
const unused = () => Effect.die("the engine must not call this")
const letRun = TestClock.adjust(0).pipe(Effect.repeat({ times: 20 }), Effect.asVoid)
const pass = (millis: number) => Effect.andThen(TestClock.adjust(millis), letRun)

/** One feed that is due at every full hour, as the kernel promises: missed runs collapse into one. */
const startHourly = Effect.fnUntraced(function* (engines = 1) {
  const fake = yield* makeFakeStore
  const runs = makeScriptedRun(fake.store)
  const feed = feedId(1)
  let nextRunAt = hour
  const scheduled = Layer.succeed(Jobs, {
    trigger: unused,
    get: unused,
    list: unused,
    cancel: unused,
    pause: unused,
    resume: unused,
    scheduleDue: Effect.gen(function* () {
      const now = yield* fake.clock
      if (now < nextRunAt || fake.hasActive(feed)) return 0
      nextRunAt = (Math.floor(now / hour) + 1) * hour
      yield* fake.add(feed)
      return 1
    })
  })
  const stores = Layer.merge(Layer.succeed(JobStore, fake.store), Layer.succeed(SyncRun, runs.service))
  const tasks = yield* Layer.build(storage)
  for (let n = 0; n < engines; n++) {
    yield* Layer.build(
      Layer.merge(Layer.fresh(layerMemory()), Layer.fresh(TaskRunner.layer())).pipe(
        Layer.provide(TaskKinds.layer(schedules).pipe(Layer.provide(scheduled))),
        Layer.provide(stores),
        Layer.provide([
          Layer.succeed(TaskStore, Context.get(tasks, TaskStore)),
          Layer.succeed(Transactor, Context.get(tasks, Transactor)),
          Ids.layer
        ])
      )
    )
  }
  yield* letRun
  return { started: runs.started, jump: fake.jump }
})

describe("schedules", () => {
  it.effect("fire once each, within seventeen seconds of their time", () =>
    Effect.gen(function* () {
      const { started } = yield* startHourly()
      yield* pass(late)
      for (let n = 1; n <= 4; n++) {
        yield* pass(hour - late - 1)
        expect(started).toHaveLength(n - 1)
        yield* pass(late + 1)
        expect(started).toHaveLength(n)
      }
    })
  )

  it.effect("fire once, not 25 times, after the clock jumped ahead 25 hours", () =>
    Effect.gen(function* () {
      const { started, jump } = yield* startHourly()
      jump(25 * hour)
      yield* pass(late)
      expect(started).toHaveLength(1)
      yield* pass(hour)
      expect(started).toHaveLength(2)
    })
  )

  it.effect("do not fire again for an hour that comes twice when the clock goes back", () =>
    Effect.gen(function* () {
      const { started, jump } = yield* startHourly()
      yield* pass(hour + late)
      expect(started).toHaveLength(1)
      jump(-hour)
      yield* pass(hour - late - 10_000)
      expect(started).toHaveLength(1)
      yield* pass(hour)
      expect(started).toHaveLength(1)
      yield* pass(late + 10_000)
      expect(started).toHaveLength(2)
    })
  )

  it.effect("fire once although two engines look after them", () =>
    Effect.gen(function* () {
      const { started } = yield* startHourly(2)
      yield* pass(3 * hour + late)
      expect(started).toHaveLength(3)
    })
  )
})
