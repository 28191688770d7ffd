import { countHits, fullTrust, trustOf, type TrustCounter } from "../../../src/identity/match/TrustCounter.ts"
import { describe, expect, it } from "vitest"

const after = (...reads: ReadonlyArray<readonly [hits: number, contradictions: number]>): TrustCounter =>
  reads.reduce((trust, [hits, contradictions]) => countHits(trust, hits, contradictions), fullTrust)

describe("TrustCounter", () => {
  it("has nothing to keep while ids are right", () => {
    expect(countHits(fullTrust, 5_000, 0)).toBe(fullTrust)
    const one = after([10, 1])
    expect(countHits(one, 0, 0)).toBe(one)
  })

  it("demotes at the third contradiction among the last two hundred hits, and not before", () => {
    expect(after([1, 1], [1, 1]).demoted).toBe(false)
    expect(after([1, 1], [1, 1], [1, 1]).demoted).toBe(true)
    expect(after([50, 3]).demoted).toBe(true)
    expect(after([1, 1], [99, 1], [99, 1]).demoted).toBe(true)
    expect(after([1, 1], [100, 1], [100, 1]).demoted).toBe(false)
  })

  it("forgets a contradiction after two hundred hits without one", () => {
    expect(after([1, 1], [199, 0]).contradictions).toEqual([199])
    expect(after([1, 1], [200, 0])).toEqual(fullTrust)
  })

  it("never promotes by itself", () => {
    const demoted = after([3, 3])
    expect(countHits(demoted, 10_000, 0)).toBe(demoted)
  })

  it("takes ids of a demoted account for positional, and no ids for what they are", () => {
    const demoted = after([3, 3])
    expect([trustOf("stable", fullTrust), trustOf("stable", demoted), trustOf("none", demoted)]).toEqual([
      "stable",
      "positional",
      "none"
    ])
  })
})
