/** `MILLRACE_LONG=1` splits a million amounts. */
import { describe, expect, it } from "@effect/vitest"
import { Seeded } from "@millrace/testing/model"
import { casesOf, countCases } from "@millrace/verification/cases/Cases"
import { type Share, share, type Sharing, wholeParts } from "../../../../src/enrichment/kinds/split/Shares.ts"

const { count: numRuns, first } = casesOf({ short: 5_000, long: 1_000_000 })

const unitsOf = (random: Seeded): bigint => {
  const digits = random.pick([1, 2, 3, 5, 9, 20])
  let units = 0n
  for (let n = 0; n < digits; n++) units = units * 10n + BigInt(random.below(10))
  return units
}

const sharingOf = (random: Seeded): Sharing => {
  let parts = random.once(4) ? 1_000_000 : random.below(1_000_001)
  const shareOf = (): Share => {
    const method = random.pick(["fixed", "percent", "percent", "remainder"] as const)
    if (method === "fixed") return { method, units: unitsOf(random) }
    if (method === "remainder") return { method, weight: BigInt(1 + random.below(1_000)) }
    const own = random.once(5) ? parts : random.below(parts + 1)
    parts -= own
    return { method, parts: BigInt(own) }
  }
  return {
    shares: random.list(1, random.pick([2, 4, 12]), shareOf),
    onOverflow: random.pick(["clip", "skip"]),
    implicitRemainder: !random.once(3)
  }
}

const sum = (all: ReadonlyArray<bigint>): bigint => all.reduce((total, one) => total + one, 0n)

describe("share", () => {
  it("gives away exactly the amount, nothing below zero, and to percentages their quota to less than a unit", () => {
    const random = new Seeded(7 + first)
    const seen = { lines: 0, overflow: 0, mismatch: 0, exact: 0, rest: 0 }
    for (let n = 0; n < numRuns; n++) {
      const amount = unitsOf(random) + 1n
      const sharing = sharingOf(random)
      const shared = share(amount, sharing)
      seen[shared.kind]++
      const fixed = sum(sharing.shares.map((one) => (one.method === "fixed" ? one.units : 0n)))
      const parts = sum(sharing.shares.map((one) => (one.method === "percent" ? one.parts : 0n)))
      const clipped = fixed > amount
      const wrong = (what: string) => new Error(`${what}: ${n} ${amount} ${String(shared.kind)}`)
      if (shared.kind === "overflow") {
        if (sharing.onOverflow !== "skip" || !clipped) throw wrong("an overflow of nothing")
        continue
      }
      if (sharing.onOverflow === "skip" && clipped) throw wrong("an overflow that is not told")
      const takesAll = sharing.shares.some(({ method }) => method === "remainder")
      if (shared.kind === "mismatch") {
        if (sharing.implicitRemainder || takesAll || shared.rest <= 0n) throw wrong("a rest that has a line")
        continue
      }
      if (shared.lines.length !== sharing.shares.length) throw wrong("not a line for each share")
      if (sum(shared.lines.map(({ units }) => units)) + shared.rest !== amount) throw wrong("not the amount")
      if (shared.rest < 0n || shared.lines.some(({ units }) => units < 0n)) throw wrong("below zero")
      if (shared.rest > 0n && (takesAll || !sharing.implicitRemainder)) throw wrong("a rest beside a remainder")
      if (shared.rest > 0n) seen.rest++
      const room = amount - (clipped ? amount : fixed)
      const enough = (amount * parts * 2n + wholeParts) / (wholeParts * 2n) <= room
      for (const [at, one] of sharing.shares.entries()) {
        if (one.method !== "percent" || !enough) continue
        const away = shared.lines[at]!.units * wholeParts - amount * one.parts
        if (away >= wholeParts || -away >= wholeParts) throw wrong(`a unit away from ${one.parts}`)
        seen.exact++
      }
      const again = share(amount, sharing)
      if (again.kind !== "lines" || again.lines.some(({ units }, at) => units !== shared.lines[at]!.units))
        throw wrong("another result")
    }
    countCases(numRuns)
    // Every way of ending was met.
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(numRuns / 50)
  }, 600_000)

  it("stays less than a unit away from each quota where their sum is rounded up", () => {
    const shares = [450_000n, 16_667n, 16_667n, 16_666n].map((parts) => ({ method: "percent", parts }) as const)
    const shared = share(13n, { shares, onOverflow: "clip", implicitRemainder: true })
    // 5.85 and three times about 0.217 are 6.5, of which 7 are given.
    expect(shared.kind === "lines" ? shared.lines.map(({ units }) => units) : []).toEqual([6n, 1n, 0n, 0n])
  })
})
