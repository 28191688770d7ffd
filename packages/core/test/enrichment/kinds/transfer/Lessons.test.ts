/** What is learnt of decisions, beside going through all of them for each pair. */
import { Seeded } from "@millrace/testing/model"
import { describe, expect, it } from "vitest"
import { confidenceOf, plainScale } from "../../../../src/enrichment/kinds/transfer/Calibration.ts"
import { type Decision, located } from "../../../../src/enrichment/kinds/transfer/Decisions.ts"
import { type Leg, legOf } from "../../../../src/enrichment/kinds/transfer/Leg.ts"
import { Lessons } from "../../../../src/enrichment/kinds/transfer/Lessons.ts"
import * as CalendarDate from "../../../../src/shared/CalendarDate.ts"
import { account, leg } from "./Legs.ts"

const accounts = [account(1, "Everyday", "checking"), account(2, "Saver", "savings"), account(3, "Joint", "checking")]
const texts = ["TRANSFER 12", "DEPOSIT", "9912"]
const rules = { includePending: true, mirrors: new Set<string>(), excluded: new Set<string>() }
const classOf = (units: number): number => Math.floor(Math.log2(units))

const pairOf = (random: Seeded, n: number): readonly [Leg, Leg] => {
  const first = random.below(3)
  const [from, to] = [accounts[first]!, accounts[(first + 1 + random.below(2)) % 3]!]
  const date = CalendarDate.addDays(CalendarDate.make("2025-01-01"), random.below(120))
  const amount = 20 + random.below(6)
  const currency = random.once(6) ? { currency: "USD" } : {}
  const legs = [
    legOf(leg(`o${n}`, from, date, `-${amount}`, random.pick(texts)), from, rules),
    legOf(leg(`i${n}`, to, date, String(amount - random.below(8)), random.pick(texts), currency), to, rules)
  ]
  return [legs[0]!, legs[1]!]
}

describe("what is learnt of decisions", () => {
  it("is what going through those of earlier days says, of the same two accounts", () => {
    const random = new Seeded(9)
    const seen = { rejected: 0, fees: 0, known: 0, linked: 0, patterns: 0 }
    for (let round = 0; round < 30; round++) {
      const decisions = Array.from({ length: random.below(80) }, (_, n): Decision => {
        const [out, into] = pairOf(random, n)
        return { out: located(out), in: located(into), accepted: !random.once(3) }
      }).toSorted((a, b) => (a.out.date < b.out.date ? -1 : a.out.date > b.out.date ? 1 : 0))
      const lessons = new Lessons(decisions, true)
      const stated = new Map<Decision, number>()
      for (let n = 0; n < 60; n++) {
        const one = decisions[random.below(decisions.length)]
        if (one !== undefined && random.once(2)) {
          const base = random.below(900) - 300
          const said = { date: one.out.date, out: one.out.recordId, in: one.in.recordId, judged: 0, accepted: true }
          lessons.hear([{ ...said, base }])
          stated.set(one, confidenceOf(plainScale, base))
        }
        const [out, into] = pairOf(random, 1_000 + n)
        const [left, arrived] = [located(out), located(into)]
        const before = decisions.filter(
          (each) =>
            each.out.accountId === out.accountId && each.in.accountId === into.accountId && each.out.date < out.date
        )
        const yes = before.filter(({ accepted }) => accepted)
        const pattern = before
          .filter(
            (each) =>
              !each.accepted &&
              each.out.pattern === left.pattern &&
              each.in.pattern === arrived.pattern &&
              classOf(each.out.units) === classOf(out.units)
          )
          .reduce((sum, each) => sum - 3 * 2 ** (-CalendarDate.daysBetween(each.out.date, out.date) / 180), 0)
        const expected = before.reduce((sum, each) => sum + (stated.get(each) ?? 5_000), 0)
        const known = yes
          .filter((each) => each.in.currency === each.out.currency)
          .slice(-20)
          .some((each) => each.out.units - each.in.units === out.units - into.units)
        const hadFee = yes.some(
          (each) =>
            each.in.currency === each.out.currency &&
            each.in.units < each.out.units &&
            each.out.units - each.in.units <= each.out.units / 4
        )
        expect(lessons.counts(out, into)).toEqual({
          accepted: yes.length,
          rejected: before.length - yes.length,
          expected: Math.round(expected / 100),
          pattern: Math.round(pattern * 100)
        })
        expect(lessons.wereLinked(out, into)).toBe(yes.length > 0)
        expect(lessons.hadFee(out, into)).toBe(hadFee)
        expect(lessons.knowsFee(out, into)).toBe(known)
        seen.rejected += before.length - yes.length
        seen.fees += hadFee ? 1 : 0
        seen.known += known ? 1 : 0
        seen.linked += yes.length > 0 ? 1 : 0
        seen.patterns += pattern < 0 ? 1 : 0
      }
      expect(new Lessons(decisions, false).isEmpty).toBe(true)
    }
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(50)
  })
})
