/** Conformance of `UpstreamBudget`. Every test asks an instance of its own. */
import { Allowance, type Line, type Upstream, UpstreamBudget } from "@millrace/core/rate"
import { Ids } from "@millrace/core"
import { expect, layer as withLayer, type Vitest } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { StoreClock, type SuiteOptions } from "./StorageTests.ts"

const minute = 60

/** The lines of a request that is about a connection: that of the instance, and its own. */
const linesOf = (upstream: Upstream, perMinute?: number, perConnectionPerMinute?: number): ReadonlyArray<Line> => [
  {
    ...upstream,
    connection: undefined,
    ...(perMinute === undefined ? {} : { allowance: Allowance.allowanceOf(perMinute) })
  },
  ...(upstream.connection === undefined
    ? []
    : [
        {
          ...upstream,
          ...(perConnectionPerMinute === undefined ? {} : { allowance: Allowance.allowanceOf(perConnectionPerMinute) })
        }
      ])
]

export const tests = (it: Vitest.MethodsNonLive<UpstreamBudget | StoreClock | Ids>): void => {
  const arrange = Effect.gen(function* () {
    const [lines, clock] = [yield* UpstreamBudget, yield* StoreClock]
    const instanceId = `demo:${yield* (yield* Ids).next("bank")}`
    return { lines, clock, upstream: { instanceId, connection: "one" }, other: { instanceId, connection: "other" } }
  })

  it.effect("gives a place at once where there is no budget", () =>
    Effect.gen(function* () {
      const { lines, upstream } = yield* arrange
      for (let n = 0; n < 20; n++) {
        expect(yield* lines.take(linesOf(upstream), 0)).toEqual({ granted: true, wait: 0 })
      }
      expect(yield* lines.held(linesOf(upstream))).toBe(0)
    })
  )

  it.effect("lets half of a small limit go at once, and then one request after the other", () =>
    Effect.gen(function* () {
      const { lines, other, upstream } = yield* arrange
      for (let n = 0; n < 15; n++) {
        // The line is that of the instance, whichever connection asks.
        expect(yield* lines.take(linesOf(n % 2 === 0 ? upstream : other, 30), 0)).toEqual({ granted: true, wait: 0 })
      }
      const waits: Array<number> = []
      for (let n = 0; n < 3; n++) {
        const { granted, wait } = yield* lines.take(linesOf(upstream, 30), minute)
        expect(granted).toBe(true)
        waits.push(wait)
      }
      // What is left of the limit is spread over the rest of its time.
      const pace = Allowance.allowanceOf(30).span / 16
      for (const [n, wait] of waits.entries()) {
        expect(wait).toBeLessThanOrEqual((n + 1) * pace + 0.001)
        expect(wait).toBeGreaterThan((n + 1) * pace - 1.5)
      }
    })
  )

  it.effect("refuses who would have to wait for longer than it wants to, and gives its place to nobody", () =>
    Effect.gen(function* () {
      const { clock, lines, upstream } = yield* arrange
      expect(yield* lines.take(linesOf(upstream, 1), 5)).toEqual({ granted: true, wait: 0 })
      for (let n = 0; n < 3; n++) {
        const { granted, wait } = yield* lines.take(linesOf(upstream, 1), 5)
        expect(granted).toBe(false)
        expect(wait).toBeGreaterThan(55)
      }
      yield* clock.pass(Allowance.allowanceOf(1).span)
      expect(yield* lines.take(linesOf(upstream, 1), 5)).toEqual({ granted: true, wait: 0 })
    })
  )

  it.effect.each([
    [1, 3],
    [10, 45],
    [170, 400]
  ] as const)(
    "gives no more places within a minute than %i requests, and nine tenths of them in the long run",
    ([perMinute, places]) =>
      Effect.gen(function* () {
        const { clock, lines, upstream } = yield* arrange
        const { interval, span } = Allowance.allowanceOf(perMinute)
        const at: Array<number> = []
        let now = 0
        for (let n = 0; n < places; n++) {
          const { granted, wait } = yield* lines.take(linesOf(upstream, perMinute), 3_600)
          expect(granted).toBe(true)
          at.push(now + wait)
          if (n % 7 !== 3) continue
          yield* clock.pass(3 * interval)
          now += 3 * interval
        }
        // The store may have a clock that goes on meanwhile.
        for (let n = perMinute; n < at.length; n++) expect(at[n]! - at[n - perMinute]!).toBeGreaterThan(minute)
        expect(at.at(-1)! - at[0]!).toBeLessThanOrEqual(((places - 1) / (0.9 * perMinute)) * minute + span / perMinute)
      })
  )

  it.effect(
    "counts a place in every line from when the last of them lets it go, and keeps others waiting in none",
    () =>
      Effect.gen(function* () {
        const { clock, lines, other, upstream } = yield* arrange
        // The second request of a connection waits for a minute; the instance may be asked three times.
        for (const waits of [0, 1]) {
          const { granted, wait } = yield* lines.take(linesOf(upstream, 3, 1), 100)
          expect([granted, wait > 60]).toEqual([true, waits === 1])
        }
        const third = yield* lines.take(linesOf(other, 3, 1), 100)
        expect(third.granted).toBe(true)
        expect(third.wait).toBeLessThan(45)
        // The first of the three is over then, the other two are not.
        yield* clock.pass(64)
        const ofInstance = linesOf({ ...upstream, connection: undefined }, 3)
        expect((yield* lines.take(ofInstance, 50)).granted).toBe(true)
        expect((yield* lines.take(ofInstance, 100)).wait).toBeGreaterThan(15)
      })
  )

  it.effect("counts what was given under another limit as if all had gone at once", () =>
    Effect.gen(function* () {
      const { clock, lines, upstream } = yield* arrange
      expect(yield* lines.take(linesOf(upstream, 30), 0)).toEqual({ granted: true, wait: 0 })
      yield* clock.pass(30)
      for (const perMinute of [3, 300]) {
        const { granted, wait } = yield* lines.take(linesOf(upstream, perMinute), 5)
        expect(granted).toBe(false)
        expect(wait).toBeGreaterThan(30)
        expect(wait).toBeLessThanOrEqual(33)
      }
      yield* clock.pass(33)
      expect(yield* lines.take(linesOf(upstream, 300), 0)).toEqual({ granted: true, wait: 0 })
      expect((yield* lines.take(linesOf(upstream, 300), 5)).granted).toBe(true)
    })
  )

  it.effect("counts each connection against a budget of its own", () =>
    Effect.gen(function* () {
      const { lines, other, upstream } = yield* arrange
      expect((yield* lines.take(linesOf(upstream, 600, 1), 0)).granted).toBe(true)
      expect((yield* lines.take(linesOf(upstream, 600, 1), 0)).granted).toBe(false)
      expect((yield* lines.take(linesOf(other, 600, 1), 0)).granted).toBe(true)
    })
  )

  it.effect("gives no more places than there are to many who ask together", () =>
    Effect.gen(function* () {
      const { lines, upstream } = yield* arrange
      const answers = yield* Effect.all(
        Array.from({ length: 40 }, () => lines.take(linesOf(upstream, 100), 0)),
        { concurrency: "unbounded" }
      )
      const granted = answers.filter((answer) => answer.granted).length
      expect(granted).toBeGreaterThanOrEqual(10)
      // One more for each interval that the asking took.
      expect(granted).toBeLessThan(40)
    })
  )

  it.effect("holds everybody back for as long as the upstream asked, with a budget or without", () =>
    Effect.gen(function* () {
      const { clock, lines, other, upstream } = yield* arrange
      yield* lines.hold({ ...upstream, connection: undefined }, 40)
      // A shorter wait ends no longer one.
      yield* lines.hold({ ...upstream, connection: undefined }, 5)
      for (const perMinute of [undefined, 600]) {
        const refused = yield* lines.take(linesOf(other, perMinute), 10)
        expect(refused.granted).toBe(false)
        expect(refused.wait).toBeGreaterThan(35)
        expect(refused.wait).toBeLessThanOrEqual(40)
      }
      const patient = yield* lines.take(linesOf(upstream, 600), minute)
      expect(patient.granted).toBe(true)
      expect(patient.wait).toBeGreaterThan(35)
      expect(yield* lines.held(linesOf(upstream))).toBeGreaterThan(35)
      yield* clock.pass(41)
      expect(yield* lines.held(linesOf(upstream))).toBe(0)
      expect(yield* lines.take(linesOf(other), 0)).toEqual({ granted: true, wait: 0 })
    })
  )

  it.effect("holds one connection back and lets the others go", () =>
    Effect.gen(function* () {
      const { lines, other, upstream } = yield* arrange
      yield* lines.hold(upstream, 40)
      expect((yield* lines.take(linesOf(upstream), 0)).granted).toBe(false)
      expect(yield* lines.take(linesOf(other), 0)).toEqual({ granted: true, wait: 0 })
      expect(yield* lines.take(linesOf({ ...upstream, connection: undefined }), 0)).toEqual({
        granted: true,
        wait: 0
      })
    })
  )

  it.effect("keeps a limit of a day, and takes no place in other lines for who is refused by one", () =>
    Effect.gen(function* () {
      const { clock, lines, upstream } = yield* arrange
      const daily = { instanceId: `${upstream.instanceId}#limit:day`, connection: "one" }
      const day = { ...daily, allowance: Allowance.allowanceOf(4, 86_400) }
      const both = [...linesOf(upstream, 2), day]
      // Two may go at once; of three a minute apart the third waits for hours.
      for (let n = 0; n < 2; n++) {
        expect(yield* lines.take(both, 0)).toEqual({ granted: true, wait: 0 })
        yield* clock.pass(minute)
      }
      const refused = yield* lines.take(both, 0)
      expect(refused.granted).toBe(false)
      expect(refused.wait).toBeGreaterThan(6 * 3_600)
      // The line of the minute is as it was: two requests within it would be one too many.
      expect(yield* lines.take(linesOf(upstream, 2), 0)).toEqual({ granted: true, wait: 0 })
      yield* clock.pass(9 * 3_600)
      expect(yield* lines.take(both, 0)).toEqual({ granted: true, wait: 0 })
    })
  )
}

export const suite = <E>(
  name: string,
  layer: Layer.Layer<UpstreamBudget | StoreClock, E>,
  options?: SuiteOptions
): void => {
  withLayer(Layer.merge(layer, Ids.layer), {
    excludeTestServices: options?.liveClock ?? false,
    timeout: "60 seconds"
  })(name, tests)
}
