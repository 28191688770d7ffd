import { describe, expect, it } from "@effect/vitest"
import { type Allowance, allowanceOf, earliest, give, type Given, lateness, nothing } from "../../src/rate/Allowance.ts"
import { waitUntil } from "../../src/rate/Refill.ts"
import * as Schema from "effect/Schema"

const Requests = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 330 }))
const Seconds = Schema.Literals([1, 7, 60, 3_600, 86_400])
/** A part of the limit's time. */
const Part = Schema.Literals([0, 0, 0, 0.001, 0.01, 0.1, 0.4, 0.9, 1, 1.3])

const Limit = Schema.Struct({ requests: Requests, seconds: Seconds, burst: Schema.Literals(["usual", "one", "all"]) })

/** Processes that ask one after the other, with a store whose clock may be set back, and are late with their requests. */
const Arrivals = Schema.Array(
  Schema.Struct({
    gap: Part,
    /** So many ask at once. */
    times: Schema.Literals([1, 1, 3, 40, 400]),
    patience: Part,
    /** How much later another line of the request lets it go. */
    otherwise: Schema.Literals([0, 0, 0, 0.02, 0.3, 1.1]),
    /** Of all that a request may be late. */
    late: Schema.Literals([0, 0.5, 1]),
    setBack: Schema.Literals([0, 0, 0, 0, 0.2, 1])
  })
).check(Schema.isMaxLength(40))

const allowanceFor = ({ burst, requests, seconds }: typeof Limit.Type): Allowance =>
  allowanceOf(requests, seconds, burst === "usual" ? undefined : burst === "one" ? 1 : requests)

/** What requests have done when they all have asked: when they went, in true time, and what the line keeps. */
const play = (
  start: Given,
  begun: number,
  limit: typeof Limit.Type,
  arrivals: typeof Arrivals.Type
): { readonly gone: ReadonlyArray<number>; readonly given: Given; readonly now: number } => {
  const allowance = allowanceFor(limit)
  const millis = limit.seconds * 1000
  const gone: Array<number> = []
  let given = start
  let now = begun
  let behind = 0
  for (const { gap, late, otherwise, patience, setBack, times } of arrivals) {
    now += gap * millis
    behind += setBack * millis
    for (let n = 0; n < times; n++) {
      const clock = now - behind
      const from = earliest(given, clock, allowance)
      const wait = Math.max(waitUntil(from, clock), otherwise * limit.seconds)
      if (wait > patience * limit.seconds) continue
      given = give(given, allowance, from, clock + wait * 1000)
      gone.push(now + (wait + late * lateness(allowance)) * 1000)
    }
  }
  return { gone, given, now: now - behind }
}

/** The most that went within any of the limit's times. */
const mostWithin = (gone: ReadonlyArray<number>, seconds: number): number => {
  const at = gone.toSorted((a, b) => a - b)
  let most = 0
  let first = 0
  for (let n = 0; n < at.length; n++) {
    while (at[n]! - at[first]! >= seconds * 1000) first++
    most = Math.max(most, n - first + 1)
  }
  return most
}

describe("an allowance", () => {
  it.prop(
    "lets no more requests go within any of its times than are allowed, late ones and a clock that is set back included",
    { limit: Limit, arrivals: Arrivals },
    ({ arrivals, limit }) => {
      const { gone } = play(nothing, 0, limit, arrivals)
      expect(mostWithin(gone, limit.seconds)).toBeLessThanOrEqual(limit.requests)
    }
  )

  it.prop(
    "that is another than before lets nobody go until all of before is out of its time",
    { older: Limit, newer: Limit, before: Arrivals, after: Arrivals },
    ({ after, before, newer, older }) => {
      const isOther = allowanceFor(older).blocks !== allowanceFor(newer).blocks || older.seconds !== newer.seconds
      const punctual = before.map((one) => ({ ...one, late: 0 as const, setBack: 0 as const }))
      const first = play(nothing, 0, older, punctual)
      const second = play(first.given, first.now, newer, after)
      const last = Math.max(-Infinity, ...first.gone)
      expect(mostWithin(second.gone, newer.seconds)).toBeLessThanOrEqual(newer.requests)
      if (isOther) for (const at of second.gone) expect(at - last).toBeGreaterThanOrEqual(newer.seconds * 1000)
    }
  )

  it("gives at least nine tenths of what is allowed in the long run, of any limit", () => {
    const parts = [1, 2, 3, 4, 5, 7, 10, 15, 24, 50, 79, 80, 81, 159, 160, 161, 239, 240, 250, 319].map((requests) => {
      const allowance = allowanceOf(requests)
      let given = nothing
      let last = 0
      const times = 20 * requests
      for (let n = 0; n <= times; n++) {
        last = Math.max(0, earliest(given, 0, allowance))
        given = give(given, allowance, last, last)
      }
      return times / (last / 60_000) / requests
    })
    expect(Math.min(...parts)).toBeGreaterThanOrEqual(0.929)
  })

  it.each([
    [1, 1],
    [10, 5],
    [10, 10],
    [60, 6],
    [300, 60],
    [300, 300],
    [2_000, 1_000]
  ])(
    "of %i requests lets %i go at once after a rest, and spreads what follows without a long wait",
    (requests, burst) => {
      const allowance = allowanceOf(requests, 60, burst)
      const at: Array<number> = []
      let given = nothing
      for (let n = 0; n < 3 * requests; n++) {
        const from = earliest(given, 1_000_000, allowance)
        at.push(Math.max(from, 1_000_000))
        given = give(given, allowance, from, at.at(-1)!)
      }
      const waits = at.map((one) => waitUntil(one, 1_000_000))
      expect(waits.filter((wait) => wait === 0)).toHaveLength(burst)
      const steps = at.slice(burst).map((one, n) => one - at[burst + n - 1]!)
      // What went at once is missing in the first span; twice as much for the blocks of larger numbers.
      expect(Math.max(...steps)).toBeLessThan((2.1 * 63_000) / (requests - burst + 1))
    }
  )

  it("remembers fewer than 160 instants, however many requests are allowed", () => {
    for (const requests of [1, 79, 80, 159, 160, 1_000, 999_999]) {
      const { block, blocks } = allowanceOf(requests)
      expect(blocks).toBeLessThan(160)
      expect(block * blocks).toBeLessThanOrEqual(requests)
    }
  })
})
