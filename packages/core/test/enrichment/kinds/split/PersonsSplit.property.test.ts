/** `MILLRACE_LONG=1` splits a million amounts. */
import { describe, expect, it } from "@effect/vitest"
import { Seeded } from "@millrace/testing/model"
import { casesOf, countCases } from "@millrace/verification/cases/Cases"
import { personsLines, type PersonsSplit } from "../../../../src/enrichment/kinds/split/PersonsSplit.ts"
import * as Decimal from "../../../../src/shared/Decimal.ts"

const { count: numRuns, first } = casesOf({ short: 2_000, long: 1_000_000 })

describe("a person's split", () => {
  it("has exactly the amount and its sign, keeps all lines but the last, or all proportions where less is left", () => {
    const random = new Seeded(11 + first)
    const seen = { same: 0, more: 0, less: 0, zero: 0 }
    for (let n = 0; n < numRuns; n++) {
      const [currency, digits] = random.pick([["EUR", 2] as const, ["JPY", 0] as const, ["KWD", 3] as const])
      const units = random.list(2, random.pick([2, 3, 8]), () => BigInt(random.below(random.pick([3, 500, 1_000_000]))))
      const said = units.reduce((sum, one) => sum + one, 0n)
      const total = random.once(3) ? said : BigInt(random.below(2 * Number(said) + 2))
      const amount = Decimal.fromUnits(random.once(2) ? -total : total, digits)
      const split: PersonsSplit = {
        deliver: "lines",
        lines: units.map((one, at) => ({
          id: `l${at}`,
          key: `k${at}`,
          amount: Decimal.fromUnits(one, digits),
          set: {}
        }))
      }
      const made = personsLines("txn_1", { amount, currency }, split)
      if (total === 0n) {
        expect(made).toBeUndefined()
        seen.zero++
        continue
      }
      const given = made!.lines.of.map(
        ({ claims }) => claims.find(({ field }) => field === "amount")!.value as Decimal.Decimal
      )
      expect(Decimal.sum(given)).toBe(amount)
      expect(given.every((one) => Decimal.sign(one) === 0 || Decimal.sign(one) === Decimal.sign(amount))).toBe(true)
      const others = said - units.at(-1)!
      const mismatch = made!.claims.some(({ field }) => field === "split.mismatch")
      expect(mismatch).toBe(total < others)
      for (const [at, one] of given.entries()) {
        const got = Decimal.toUnits(Decimal.abs(one), digits)
        if (!mismatch && at < given.length - 1) expect(got).toBe(units[at])
        // Less than a unit away from its share.
        if (mismatch) {
          const apart = got * said - total * units[at]!
          expect(apart < said && -apart < said).toBe(true)
        }
      }
      seen[total === said ? "same" : mismatch ? "less" : "more"]++
    }
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(0)
    countCases(numRuns)
  })
})
