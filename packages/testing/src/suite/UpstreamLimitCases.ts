/** Limits: what is declared, what answers say of them, and how long everybody waits. */
import { expect } from "@effect/vitest"
import { Outbound } from "@millrace/core/outbound"
import { CurrentPsu, type ProviderDriver, Providers, UpstreamPatience } from "@millrace/core/provider"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { refusal } from "./Refusal.ts"
import { asksNothing, type UpstreamCase } from "./UpstreamCase.ts"
import {
  arrange,
  connect,
  connected,
  expectNoSecrets,
  inSimulatedTime,
  lookAround,
  type UpstreamWorld
} from "./UpstreamUnderTest.ts"

/** The driver as an installation has it: its requests wait for their turn, for as long as a run of a job does. */
const inTurn = Effect.fnUntraced(function* <World extends UpstreamWorld>(world: World) {
  const providers = yield* Layer.build(
    Layer.provide(Providers.layerBudgeted([world.making]), [
      world.options.storage,
      Layer.succeed(Outbound, world.outbound)
    ])
  )
  const driver: ProviderDriver = yield* Effect.flatMap(Providers, ({ all }) => Effect.succeed(all[0]!)).pipe(
    Effect.provide(providers)
  )
  return { ...world, driver } satisfies UpstreamWorld
})

const wait = 30

const held = (scope: "client" | "connection" | "endpoint"): UpstreamCase => ({
  title: `asks nothing of what was told to wait (${scope}) before its time, and goes on then`,
  lacks: asksNothing,
  run: Effect.fnUntraced(function* (options) {
    const world = yield* inTurn(yield* connected(options))
    const { server } = world.fake
    // What the clock starts with may have filled limits: a minute later they are empty.
    yield* TestClock.adjust("2 minutes")
    server.plan({ incident: { kind: "rateLimited", retryAfter: wait, scope } })
    const told = yield* refusal(inSimulatedTime(world, lookAround(world)))
    expect(told._tag).toBe("RateLimited")
    for (let second = 0; second < wait; second += 10) {
      yield* Effect.exit(lookAround(world))
      expect(server.tooEarly.map(({ path }) => path)).toEqual([])
      yield* TestClock.adjust("10 seconds")
    }
    // A driver that was told no time waits for a minute.
    yield* TestClock.adjust("1 minute")
    yield* inSimulatedTime(world, lookAround(world)).pipe(Effect.provideService(UpstreamPatience, 3_600))
    expect(server.tooEarly.map(({ path }) => path)).toEqual([])
    expectNoSecrets(world)
  })
})

export const limitCases: ReadonlyArray<UpstreamCase> = [
  {
    title: "names limits that can be kept, each once",
    lacks: ({ capabilities }) =>
      (capabilities.limits ?? []).length > 0 ? undefined : "its upstream tells of no limits",
    run: Effect.fnUntraced(function* (options) {
      const { driver } = yield* connected(options)
      const limits = driver.capabilities.limits ?? []
      expect(new Set(limits.map(({ name }) => name)).size).toBe(limits.length)
      for (const { burst = 1, name, requests, seconds } of limits) {
        expect([name, Number.isInteger(requests) && requests >= 1 && seconds > 0 && burst >= 1]).toEqual([name, true])
      }
    })
  },
  held("client"),
  held("connection"),
  held("endpoint"),
  {
    title: "lets a person who connects a bank read it twice without waiting for a place longer than a second",
    lacks: ({ capabilities }) =>
      (capabilities.limits ?? []).length > 0 ? undefined : "its upstream tells of no limits",
    run: Effect.fnUntraced(
      function* (options) {
        const world = yield* inTurn(yield* arrange(options))
        const once = yield* connect(world)
        for (let n = 0; n < 2; n++) yield* inSimulatedTime(world, lookAround(once))
        expect(world.fake.server.exceeded).toEqual([])
      },
      Effect.provideService(UpstreamPatience, 1)
    )
  },
  {
    title: "asks no more often than its upstream allows, however often it is asked",
    lacks: ({ capabilities }) =>
      (capabilities.limits ?? []).length > 0 ? undefined : "its upstream tells of no limits",
    run: Effect.fnUntraced(function* (options) {
      const world = yield* inTurn(yield* connected(options))
      yield* TestClock.adjust("2 minutes")
      const { server } = world.fake
      const asked = server.requests.length
      yield* inSimulatedTime(
        world,
        Effect.forEach(Array.from({ length: 8 }), () => Effect.exit(lookAround(world)), {
          concurrency: 4,
          discard: true
        }).pipe(Effect.provideService(UpstreamPatience, 600))
      )
      expect(server.requests.length).toBeGreaterThan(asked)
      expect(server.exceeded.map(({ limit, request }) => `${limit.name} ${request.path}`)).toEqual([])
      expectNoSecrets(world)
    })
  },
  {
    title: "reads of its limits what answers say, under the names that it gave them",
    lacks: ({ hasReadLimits }) => (hasReadLimits ? undefined : "answers of its upstream say nothing about limits"),
    run: Effect.fnUntraced(function* (options) {
      const world = yield* connected(options)
      const names = new Set((world.driver.capabilities.limits ?? []).map(({ name }) => name))
      for (const value of ["0", "17", "-1875538", "", "soon", "99999999999999", "NaN", "1767607200"]) {
        const headers = Object.fromEntries(
          ["", "account-", "ip-"].flatMap((of) =>
            ["limit", "remaining", "reset"].flatMap((word) => [
              [`x-ratelimit-${of}${word}`, value],
              [`ratelimit-${of}${word}`, value]
            ])
          )
        )
        for (const status of [200, 429]) {
          const readings = world.driver.readLimits!({ status, headers }, 1_767_607_200_000)
          for (const { remaining, resetSeconds } of readings) {
            expect([typeof remaining, typeof resetSeconds]).toEqual(["number", "number"])
          }
          // An account may have fewer limits than there are names; that of none would be a name misspelt.
          if (readings.length > 0) expect(readings.some(({ limit }) => names.has(limit))).toBe(true)
        }
      }
    })
  },
  {
    title: "reads for a person who waits as it reads in the background",
    run: Effect.fnUntraced(function* (options) {
      const world = yield* inTurn(yield* connected(options))
      const psu = { ipAddress: "203.0.113.7", userAgent: "Firefox" }
      const exit = yield* Effect.exit(
        inSimulatedTime(world, lookAround(world)).pipe(Effect.provideService(CurrentPsu, psu))
      )
      expect(Exit.isSuccess(exit)).toBe(true)
      // Nobody's address is made up: only that of a person who is there may ever be sent, and here none was given.
      const sent = world.fake.server.requests.map(({ body, headers, rawQuery }) =>
        JSON.stringify([headers, rawQuery, body])
      )
      expect(sent.some((text) => text.includes(psu.ipAddress))).toBe(false)
    })
  }
]
