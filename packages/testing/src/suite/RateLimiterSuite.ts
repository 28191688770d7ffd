/** Conformance of `RateLimiter`. Every test counts under a key of its own. */
import { RateLimiter, RollingWindow } from "@millrace/core/rate"
import { Ids } from "@millrace/core"
import { expect, layer as withLayer, type Vitest } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { StoreClock, type SuiteOptions } from "./StorageTests.ts"

/** Some requests, each so many milliseconds after the one before and under one of a few limits. */
const Arrivals = Schema.Array(
  Schema.Struct({
    gap: Schema.Literals([0, 1, 999, 1000, 7_500, 20_000, 59_999, 60_000, 90_001]),
    limit: Schema.Literals([1, 2, 3, 10])
  })
).check(Schema.isMaxLength(60))

/** Counts the arrivals of the last 60 s, one by one: what every implementation must agree with. */
const makeLog = () => {
  let known: ReadonlyArray<number> = []
  const within = (now: number): number => known.filter((at) => now - at < RollingWindow.windowMillis).length
  return (now: number, limit: number) => {
    const admitted = within(now) < limit
    known = [...known, now].slice(-limit)
    let wait = 0
    if (!admitted)
      do wait++
      while (within(now + wait * 1000) >= limit)
    return { admitted, limit, retryAfter: wait }
  }
}

type Tests = (it: Vitest.MethodsNonLive<RateLimiter | StoreClock | Ids>, liveClock: boolean) => void

export const tests: Tests = (it, liveClock) => {
  const newKey = Effect.flatMap(Ids, (ids) => ids.next("workspace"))

  it.effect("admits as many as the limit at once and counts refusals too", () =>
    Effect.gen(function* () {
      const [limiter, clock, key] = [yield* RateLimiter, yield* StoreClock, yield* newKey]
      for (let i = 0; i < 5; i++) {
        expect(yield* limiter.arrive(key, 5)).toEqual({ admitted: true, limit: 5, retryAfter: 0 })
      }
      yield* clock.pass(30)
      const refused = yield* limiter.arrive(key, 5)
      expect(refused).toMatchObject({ admitted: false, limit: 5 })
      expect(refused.retryAfter).toBeGreaterThanOrEqual(29)
      expect(refused.retryAfter).toBeLessThanOrEqual(30)
      yield* clock.pass(31)
      // The refusal of 31 s ago is still in the window.
      for (let i = 0; i < 4; i++) expect((yield* limiter.arrive(key, 5)).admitted).toBe(true)
      expect((yield* limiter.arrive(key, 5)).admitted).toBe(false)
    })
  )

  it.effect("counts every key apart", () =>
    Effect.gen(function* () {
      const limiter = yield* RateLimiter
      const [one, two] = [yield* newKey, yield* newKey]
      expect((yield* limiter.arrive(one, 1)).admitted).toBe(true)
      expect((yield* limiter.arrive(two, 1)).admitted).toBe(true)
      expect((yield* limiter.arrive(one, 1)).admitted).toBe(false)
    })
  )

  it.effect("remembers a caller for the whole minute while others come", () =>
    Effect.gen(function* () {
      const [limiter, clock] = [yield* RateLimiter, yield* StoreClock]
      const [one, two] = [yield* newKey, yield* newKey]
      yield* limiter.arrive(one, 1)
      yield* clock.pass(50)
      yield* limiter.arrive(two, 1)
      expect((yield* limiter.arrive(one, 1)).admitted).toBe(false)
    })
  )

  it.effect("admits no more than the limit of many that arrive together", () =>
    Effect.gen(function* () {
      const [limiter, key] = [yield* RateLimiter, yield* newKey]
      const decisions = yield* Effect.forEach(Array.from({ length: 40 }), () => limiter.arrive(key, 10), {
        concurrency: "unbounded"
      })
      expect(decisions.filter(({ admitted }) => admitted)).toHaveLength(10)
    })
  )

  it.effect("applies another limit at once and keeps what it knows", () =>
    Effect.gen(function* () {
      const [limiter, key] = [yield* RateLimiter, yield* newKey]
      for (let i = 0; i < 4; i++) yield* limiter.arrive(key, 10)
      expect((yield* limiter.arrive(key, 3)).admitted).toBe(false)
      // Three are known now.
      expect((yield* limiter.arrive(key, 5)).admitted).toBe(true)
      expect((yield* limiter.arrive(key, 5)).admitted).toBe(true)
      expect((yield* limiter.arrive(key, 5)).admitted).toBe(false)
    })
  )

  // Needs a clock that can be set to the millisecond.
  if (liveClock) return
  it.effect.prop("decides like a log of all arrivals", { arrivals: Arrivals }, ({ arrivals }) =>
    Effect.gen(function* () {
      const [limiter, clock, key] = [yield* RateLimiter, yield* StoreClock, yield* newKey]
      const log = makeLog()
      let now = 0
      for (const { gap, limit } of arrivals) {
        now += gap
        yield* clock.pass(gap / 1000)
        expect(yield* limiter.arrive(key, limit)).toEqual(log(now, limit))
      }
    })
  )
}

export const suite = <E>(
  name: string,
  layer: Layer.Layer<RateLimiter | StoreClock, E>,
  options?: SuiteOptions
): void => {
  const liveClock = options?.liveClock ?? false
  withLayer(Layer.merge(layer, Ids.layer), { excludeTestServices: liveClock, timeout: "60 seconds" })(name, (it) =>
    tests(it, liveClock)
  )
}
