import { describe, expect, it } from "@effect/vitest"
import { place } from "../../src/rate/Refill.ts"

describe("a refill bucket", () => {
  it("lets a burst go at once after a rest, and then spreads requests evenly", () => {
    const refill = { burst: 6, interval: 2 }
    let nextAt = -Infinity
    const waits: Array<number> = []
    for (let n = 0; n < 8; n++) {
      const given = place(nextAt, 1_000_000, refill, 300)
      nextAt = given.nextAt
      waits.push(given.wait)
    }
    expect(waits).toEqual([0, 0, 0, 0, 0, 0, 2, 4])
  })

  it("gives no place to who would wait for longer than it wants to, and keeps the line as it is", () => {
    const refill = { burst: 1, interval: 60 }
    const first = place(-Infinity, 0, refill, 0)
    expect(first).toMatchObject({ granted: true, wait: 0 })
    expect(place(first.nextAt, 0, refill, 59)).toEqual({ granted: false, wait: 60, nextAt: first.nextAt })
    expect(place(first.nextAt, 60_000, refill, 0)).toMatchObject({ granted: true, wait: 0 })
  })
})
