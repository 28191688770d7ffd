/**
 * One amount that arrived in two, or two that arrived as one (enrichments C8): the two on one day in one account. Only what
 * nothing else explains is looked at, and only within one month, so that no record is ever in two links.
 */
import type { CalendarDate } from "../../../../../src/shared/CalendarDate.ts"
import {
  type BusinessCalendar,
  businessDaysBetween,
  isBusinessDay,
  shift
} from "../../../../../src/shared/BusinessCalendar.ts"
import type { Candidates } from "./Candidates.ts"
import { sideOf } from "./Candidates.ts"
import { pairKey } from "../../../../../src/enrichment/kinds/transfer/Decisions.ts"
import { type Leg, textWeight } from "./Leg.ts"
import type { MonthLegs } from "./MonthLegs.ts"
import {
  amountPart,
  compareText,
  lagPart,
  partsSum,
  priorPart,
  providerPart,
  roundness,
  type ScoredPair,
  textPart
} from "../../../../../src/enrichment/kinds/transfer/PairScore.ts"
import type { StrangerCounts } from "./Strangers.ts"

/** Records of an account on one day that are looked at for parts. */
const mostOfADay = 24

/** For the choice of two among others, in centibits. */
const choicePenalty = 200

interface Group {
  readonly one: Leg
  readonly parts: readonly [Leg, Leg]
}

export interface GroupInput {
  readonly legs: MonthLegs
  readonly candidates: Candidates
  readonly strangers: StrangerCounts
  readonly apart: ReadonlySet<string>
  readonly calendar: BusinessCalendar
}

const found = ({ apart, candidates, legs }: GroupInput): ReadonlyArray<Group> => {
  const isFree = (leg: Leg): boolean =>
    legs.isOwn(leg) &&
    !leg.pending &&
    !leg.mirror &&
    !(leg.out
      ? legs.inflows.all.some((into) => candidates.fit(leg, into) !== undefined)
      : legs.outflows.all.some((out) => candidates.fit(out, leg) !== undefined))
  const free = new Map<string, boolean>()
  const freely = (leg: Leg): boolean => {
    let known = free.get(leg.recordId)
    if (known === undefined) free.set(leg.recordId, (known = isFree(leg)))
    return known
  }
  const groups: Array<Group> = []
  for (const [many, ones] of [
    [legs.inflows, legs.outflows],
    [legs.outflows, legs.inflows]
  ] as const) {
    // Two amounts that make a third mean little: something has to speak for them.
    const speaking = many.all.filter((leg) => {
      const { hint, weight } = legs.signsOf(leg)
      return weight > 0 || hint > 0
    })
    const days = Map.groupBy(speaking, ({ accountId, currency, day }) => `${accountId} ${currency} ${day}`)
    for (const some of days.values()) {
      if (some.length < 2 || some.length > mostOfADay) continue
      for (const [n, first] of some.entries()) {
        for (const second of some.slice(n + 1)) {
          const sum = first.units + second.units
          for (const one of ones.between(first.currency, sum, sum)) {
            const [out, into] = one.out ? [one, first] : [first, one]
            if (!legs.mayMeet(out, into)) continue
            if ([first, second].some((part) => apart.has(pairKey(one.recordId, part.recordId)))) continue
            if (freely(one) && freely(first) && freely(second)) groups.push({ one, parts: [first, second] })
          }
        }
      }
    }
  }
  // What could be in two groups is in none.
  const uses = new Map<string, number>()
  for (const { one, parts } of groups) {
    for (const { recordId } of [one, ...parts]) uses.set(recordId, (uses.get(recordId) ?? 0) + 1)
  }
  return groups.filter(({ one, parts }) => [one, ...parts].every(({ recordId }) => uses.get(recordId) === 1))
}

/** Groups that something besides amounts and days speaks for, in order. */
export const groupsOf = (input: GroupInput, floor: number): ReadonlyArray<ScoredPair> => {
  const { calendar, legs, strangers } = input
  const on = (date: CalendarDate) => (isBusinessDay(calendar, date) ? date : shift(calendar, date, "following"))
  return found(input)
    .map(({ one, parts: [first, second] }): ScoredPair => {
      const [out, into] = one.out ? [one, first] : [first, one]
      const signs = { one: legs.signsOf(one), first: legs.signsOf(first), second: legs.signsOf(second) }
      const textOne = textWeight(one, signs.one, first.accountId, signs.first)
      const textMany = Math.min(
        textWeight(first, signs.first, one.accountId, signs.one),
        textWeight(second, signs.second, one.accountId, signs.one)
      )
      const { agreeing, all } = strangers.count(one.currency, out.accountId, one.units, one.units)
      const counts = {
        rivals: 1,
        strangers: all,
        agreeing,
        chance: roundness(one.units),
        penalty: choicePenalty,
        businessDays: businessDaysBetween(calendar, on(out.date), on(into.date)),
        textOut: one.out ? textOne : textMany,
        textIn: one.out ? textMany : textOne,
        accepted: 0,
        rejected: 0,
        expected: 0,
        pattern: 0
      }
      const parts = {
        prior: priorPart(counts.rivals),
        amount: amountPart("group", counts),
        lag: lagPart(counts.businessDays),
        text: textPart(counts.textOut, counts.textIn),
        reference: 0,
        provider: providerPart(signs.one.hint, signs.first.hint),
        pair: 0
      }
      return {
        out: sideOf(out),
        in: sideOf(into),
        band: "group",
        parts,
        counts,
        score: partsSum(parts),
        second: { role: one.out ? ("in" as const) : ("out" as const), ...sideOf(second) }
      }
    })
    .filter(({ parts, score }) => score >= floor && (parts.text > 0 || parts.provider > 0))
    .toSorted((a, b) => compareText(a.out.recordId, b.out.recordId) || compareText(a.in.recordId, b.in.recordId))
}
