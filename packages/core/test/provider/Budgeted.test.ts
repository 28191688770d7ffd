import { describe, expect, it } from "@effect/vitest"
import { MemoryStorage } from "@millrace/adapters/memory"
import { UpstreamPatience } from "../../src/provider/Budgeted.ts"
import type { RequestBudget } from "../../src/rate/RequestBudget.ts"
import type { ProviderDriver } from "../../src/provider/Provider.ts"
import { RateLimited, type ProviderError } from "../../src/provider/ProviderError.ts"
import { Providers } from "../../src/provider/Providers.ts"
import { Outbound } from "../../src/outbound/Outbound.ts"
import { UpstreamBudget } from "../../src/rate/UpstreamBudget.ts"
import { StorageUnavailable } from "../../src/storage/StorageUnavailable.ts"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"

const connection = (ref: string) => ({ ref, secrets: {} })

/** Notes when its upstream is asked, and answers what the test says. */
const makeDriver = (budget: RequestBudget | undefined, answers: Array<ProviderError> = []) => {
  const asked: Array<number> = []
  const request = <A>(answer: A) =>
    Effect.gen(function* () {
      asked.push(yield* Clock.currentTimeMillis)
      const error = answers.shift()
      return error === undefined ? answer : yield* error
    })
  const driver: ProviderDriver = {
    kind: "demo",
    instanceId: "demo:metered",
    name: "Metered",
    countryCodes: [],
    capabilities: {
      connectFlow: "token",
      dataTypes: {},
      removal: "local",
      freshnessSeconds: 0,
      webhooks: false,
      ...(budget === undefined ? {} : { budget })
    },
    listInstitutions: () => request([]),
    beginConnect: () => Effect.die("not used"),
    completeConnect: () => Effect.die("not used"),
    inspect: () => request({ status: "connected" } as const),
    listAccounts: () => request([]),
    pull: () => Effect.die("not used"),
    revoke: () => request("done" as const)
  }
  return { asked, driver }
}

const storage = MemoryStorage.layer

/** Requests that no driver of these tests sends. */
const nobody = Layer.mock(Outbound, {})

/** The driver as several processes with one store see it. */
const wrapped = (driver: ProviderDriver) =>
  Effect.flatMap(Providers, (providers) => providers.get(driver.instanceId)).pipe(
    Effect.provide(
      Layer.provide(Providers.layerBudgeted([driver]), [Layer.effect(UpstreamBudget, UpstreamBudget), nobody])
    )
  )

const away = () => Effect.fail(new StorageUnavailable({ message: "away" }))

const rateLimited = (retryAfter: number, scope: RateLimited["scope"] = "client") =>
  new RateLimited({ message: "Slower", scope, retryAfter })

describe("a driver with a budget", () => {
  it.effect("asks its upstream no more often than that, from all processes together", () =>
    Effect.gen(function* () {
      const { asked, driver } = makeDriver({ perMinute: 10 })
      const [here, there] = [yield* wrapped(driver), yield* wrapped(driver)]
      const run = yield* Effect.forkChild(
        Effect.forEach(
          Array.from({ length: 30 }, (_, n) => (n % 2 === 0 ? here : there)),
          (one) => one.inspect(connection("a")),
          { concurrency: "unbounded", discard: true }
        ).pipe(Effect.provideService(UpstreamPatience, 300))
      )
      yield* TestClock.adjust("4 minutes")
      yield* Fiber.join(run)
      expect(asked).toHaveLength(30)
      for (let n = 10; n < asked.length; n++) expect(asked[n]! - asked[n - 10]!).toBeGreaterThanOrEqual(60_000)
      expect(asked.at(-1)! - asked[0]!).toBeLessThan(181_000)
    }).pipe(Effect.provide(storage))
  )

  it.effect("does not let a person wait for long, and says when to come again", () =>
    Effect.gen(function* () {
      const { asked, driver } = makeDriver({ perMinute: 1 })
      const one = yield* wrapped(driver)
      yield* one.listInstitutions("")
      const refused = yield* Effect.flip(one.listInstitutions(""))
      expect(refused).toMatchObject({ _tag: "RateLimited", scope: "client", retryAfter: 60 })
      expect(asked).toHaveLength(1)
      // Its own refusal holds nobody back.
      yield* TestClock.adjust("60 seconds")
      yield* one.listInstitutions("")
      expect(asked).toHaveLength(2)
    }).pipe(Effect.provide(storage))
  )

  it.effect("without one asks storage now and then only, and hears within seconds what another process was told", () =>
    Effect.gen(function* () {
      let looked = 0
      const lines = yield* UpstreamBudget
      const counted = Layer.succeed(UpstreamBudget, {
        ...lines,
        take: (...asked: Parameters<typeof lines.take>) => Effect.suspend(() => (looked++, lines.take(...asked)))
      })
      const answers: Array<ProviderError> = []
      const { asked, driver } = makeDriver(undefined, answers)
      const [here, there] = yield* Effect.all([wrapped(driver), wrapped(driver)]).pipe(Effect.provide(counted))
      for (let page = 0; page < 100; page++) yield* here.inspect(connection("a"))
      expect([asked.length, looked]).toEqual([100, 1])
      // What is about another connection is not known of this one.
      yield* here.inspect(connection("b"))
      expect(looked).toBe(2)
      answers.push(rateLimited(30))
      yield* Effect.flip(there.inspect(connection("c")))
      yield* here.inspect(connection("a"))
      yield* TestClock.adjust("2 seconds")
      expect(yield* Effect.flip(here.inspect(connection("a")))).toMatchObject({ _tag: "RateLimited", retryAfter: 28 })
      yield* TestClock.adjust("28 seconds")
      yield* here.inspect(connection("a"))
      answers.push(rateLimited(30))
      expect(yield* Effect.flip(here.inspect(connection("a")))).toMatchObject({ retryAfter: 30 })
      // Its own process heeds it at once.
      expect(yield* Effect.flip(here.inspect(connection("a")))).toMatchObject({ _tag: "RateLimited", retryAfter: 30 })
    }).pipe(Effect.provide(storage))
  )

  it.effect("holds all processes back when one is told to wait, also without a budget", () =>
    Effect.gen(function* () {
      const { asked, driver } = makeDriver(undefined, [rateLimited(30)])
      const [here, there] = [yield* wrapped(driver), yield* wrapped(driver)]
      expect(yield* Effect.flip(here.inspect(connection("a")))).toMatchObject({ _tag: "RateLimited", retryAfter: 30 })
      expect(yield* Effect.flip(there.inspect(connection("b")))).toMatchObject({ _tag: "RateLimited", retryAfter: 30 })
      expect(asked).toHaveLength(1)
      const patient = yield* Effect.forkChild(
        Effect.provideService(there.inspect(connection("b")), UpstreamPatience, 60)
      )
      yield* TestClock.adjust("29 seconds")
      expect(asked).toHaveLength(1)
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(patient)
      expect(asked).toHaveLength(2)
    }).pipe(Effect.provide(storage))
  )

  it.effect("holds one connection back when only that is told to wait", () =>
    Effect.gen(function* () {
      const { asked, driver } = makeDriver(undefined, [rateLimited(30, "connection")])
      const one = yield* wrapped(driver)
      yield* Effect.flip(one.inspect(connection("a")))
      yield* Effect.flip(one.inspect(connection("a")))
      yield* one.inspect(connection("b"))
      expect(asked).toHaveLength(2)
    }).pipe(Effect.provide(storage))
  )

  it.effect("keeps those back who wait for their turn while another one is told to wait", () =>
    Effect.gen(function* () {
      const { asked, driver } = makeDriver({ perMinute: 60 }, [])
      const one = yield* wrapped(driver)
      const lines = yield* UpstreamBudget
      for (let n = 0; n < 6; n++) yield* one.inspect(connection("a"))
      const waiting = yield* Effect.forkChild(
        Effect.provideService(one.inspect(connection("a")), UpstreamPatience, 300)
      )
      yield* TestClock.adjust("500 millis")
      yield* lines.hold({ instanceId: driver.instanceId, connection: undefined }, 20)
      yield* TestClock.adjust("19 seconds")
      expect(asked).toHaveLength(6)
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(waiting)
      expect(asked).toHaveLength(7)
    }).pipe(Effect.provide(storage))
  )

  it.effect("asks nothing while it cannot find out whether it may, and can be tried again", () =>
    Effect.gen(function* () {
      const { asked, driver } = makeDriver({ perMinute: 60 })
      const one = yield* wrapped(driver).pipe(
        Effect.provideService(UpstreamBudget, { take: away, held: away, hold: away })
      )
      expect(yield* Effect.flip(one.revoke(connection("a")))).toMatchObject({
        _tag: "ProviderUnavailable",
        retryAfter: 5
      })
      expect(asked).toHaveLength(0)
    })
  )
})
