import { describe, expect, it } from "@effect/vitest"
import { place, refillOf } from "../../src/rate/Refill.ts"
import * as Schema from "effect/Schema"

/** Requests, each so many milliseconds after the one before, of callers who wait for up to some seconds. */
const Requests = Schema.Array(
  Schema.Struct({
    gap: Schema.Literals([0, 1, 250, 1_000, 4_999, 20_000, 61_000]),
    patience: Schema.Literals([0, 3, 300])
  })
).check(Schema.isMaxLength(120))

describe("a refill bucket", () => {
  it.prop(
    "lets no more requests go within any 60 seconds than the budget",
    { budget: Schema.Literals([1, 2, 7, 10, 30, 100]), requests: Requests },
    ({ budget, requests }) => {
      const refill = refillOf(budget)
      const gone: Array<number> = []
      let nextAt = -Infinity
      let now = 0
      for (const { gap, patience } of requests) {
        now += gap
        const given = place(nextAt, now, refill, patience)
        nextAt = given.nextAt
        if (given.granted) gone.push(now + given.wait * 1000)
        expect(given.granted).toBe(given.wait <= patience)
      }
      // Places are given in order, so the request `budget` places on has to be a minute later.
      for (let n = budget; n < gone.length; n++) expect(gone[n]! - gone[n - budget]!).toBeGreaterThan(59_998)
    }
  )

  it("lets a burst go at once after a rest, and then spreads requests evenly", () => {
    const refill = refillOf(60)
    let nextAt = -Infinity
    const waits: Array<number> = []
    for (let n = 0; n < 8; n++) {
      const given = place(nextAt, 1_000_000, refill, 300)
      nextAt = given.nextAt
      waits.push(given.wait)
    }
    expect(waits.slice(0, 6)).toEqual([0, 0, 0, 0, 0, 0])
    expect(waits[6]).toBeCloseTo(60 / 55, 2)
    expect(waits[7]).toBeCloseTo(120 / 55, 2)
  })

  it("uses its budget up when there is always somebody waiting", () => {
    const refill = refillOf(100)
    let nextAt = -Infinity
    let gone = 0
    for (let n = 0; n < 1_000; n++) {
      const given = place(nextAt, 0, refill, 10 * 60)
      nextAt = given.nextAt
      if (given.granted) gone++
    }
    expect(gone).toBeGreaterThan(9 * 100)
  })

  it("gives no place to who would wait for longer than it wants to, and keeps the line as it is", () => {
    const refill = refillOf(1)
    const first = place(-Infinity, 0, refill, 0)
    expect(first).toMatchObject({ granted: true, wait: 0 })
    expect(place(first.nextAt, 0, refill, 59)).toEqual({ granted: false, wait: 60, nextAt: first.nextAt })
    expect(place(first.nextAt, 60_000, refill, 0)).toMatchObject({ granted: true, wait: 0 })
  })
})
