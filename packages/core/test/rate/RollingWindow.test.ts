import { arrive, make } from "../../src/rate/RollingWindow.ts"
import { describe, expect, it } from "@effect/vitest"

describe("RollingWindow", () => {
  it("admits the limit at once, and the next one a whole minute after the first", () => {
    const window = make(3)
    for (let i = 0; i < 3; i++) expect(arrive(window, 1_000).admitted).toBe(true)
    expect(arrive(make(1), 0).admitted).toBe(true)
    const other = make(1)
    arrive(other, 0)
    expect(arrive(other, 59_999)).toEqual({ admitted: false, limit: 1, retryAfter: 60 })
    expect(arrive(other, 119_999)).toEqual({ admitted: true, limit: 1, retryAfter: 0 })
  })

  it("counts refused requests too, so that a caller who never rests is never admitted", () => {
    const window = make(2)
    arrive(window, 0)
    arrive(window, 0)
    for (let at = 1_000; at < 600_000; at += 1_000) expect(arrive(window, at).admitted).toBe(false)
  })

  it("says after how many whole seconds one request would be admitted", () => {
    const window = make(3)
    arrive(window, 0)
    arrive(window, 10_000)
    arrive(window, 20_500)
    // With this refusal the oldest of the last three is the one of 10 s.
    expect(arrive(window, 30_000)).toEqual({ admitted: false, limit: 3, retryAfter: 40 })
    expect(arrive(window, 69_000)).toEqual({ admitted: false, limit: 3, retryAfter: 12 })
    expect(arrive(window, 90_000).admitted).toBe(true)
  })

  it("admits no more when the clock goes back", () => {
    const window = make(2)
    arrive(window, 100_000)
    arrive(window, 100_000)
    expect(arrive(window, 10_000).admitted).toBe(false)
    expect(arrive(window, 159_000).admitted).toBe(false)
  })
})
