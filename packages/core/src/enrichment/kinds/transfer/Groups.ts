/**
 * One amount that arrived in two, or two that arrived as one (enrichments C8): the two on one day in one account. Only what
 * nothing else explains is looked at, and only within one month, so that no record is ever in two links.
 */
import { type BusinessCalendar, businessDaysApart } from "../../../shared/BusinessCalendar.ts"
import type { Candidates } from "./Candidates.ts"
import { pairKey } from "./Decisions.ts"
import { type MonthLeg, type MonthLegs, textWeight } from "./MonthLegs.ts"
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
} from "./PairScore.ts"
import type { UnrelatedInflowCounts } from "./UnrelatedInflows.ts"

/** Records of an account on one day that are looked at for parts. */
const mostOfADay = 24

/** For the choice of two among others, in centibits. */
const choicePenalty = 200

interface Group {
  readonly one: MonthLeg
  readonly parts: readonly [MonthLeg, MonthLeg]
}

export interface GroupInput {
  readonly legs: MonthLegs
  readonly candidates: Candidates
  readonly strangers: UnrelatedInflowCounts
  readonly apart: ReadonlySet<string>
  readonly calendar: BusinessCalendar
}

/** Whether it fits to none of the other direction. */
const isAlone = ({ candidates, legs }: GroupInput, leg: MonthLeg): boolean => {
  const { after, before } = legs.window
  const { out } = leg
  const others = out ? legs.ins : legs.outs
  const [from, to] = out ? [leg.day - before, leg.day + after] : [leg.day - after, leg.day + before]
  for (const other of others) {
    if (other.day < from) continue
    if (other.day > to) break
    if ((out ? candidates.fit(leg, other) : candidates.fit(other, leg)) !== undefined) return false
  }
  return true
}

/** Two of an account, a currency and a day each, that something supports, in order, by the sum of their amounts. */
const couplesBySum = (many: ReadonlyArray<MonthLeg>): ReadonlyMap<number, ReadonlyArray<Group["parts"]>> => {
  // Two amounts that make a third mean little: something has to support them.
  const some = many.filter(({ signs, weight }) => weight > 0 || signs.hint > 0)
  const bySum = new Map<number, Array<Group["parts"]>>()
  for (const beside of Map.groupBy(some, (leg) => `${leg.day} ${leg.accountId} ${leg.currency}`).values()) {
    if (beside.length > mostOfADay) continue
    for (const [place, second] of beside.entries()) {
      for (const first of beside.slice(0, place)) {
        const sum = first.units + second.units
        const couples = bySum.get(sum)
        if (couples === undefined) bySum.set(sum, [[first, second]])
        else couples.push([first, second])
      }
    }
  }
  return bySum
}

const found = (input: GroupInput): ReadonlyArray<Group> => {
  const { apart, legs } = input
  const free = new Map<MonthLeg, boolean>()
  const freely = (leg: MonthLeg): boolean => {
    let known = free.get(leg)
    if (known === undefined) {
      known = legs.isOwn(leg) && !leg.pending && !leg.mirror && isAlone(input, leg)
      free.set(leg, known)
    }
    return known
  }
  const groups: Array<Group> = []
  for (const [many, ones] of [
    [legs.ins, legs.outs],
    [legs.outs, legs.ins]
  ] as const) {
    const couples = couplesBySum(many)
    if (couples.size === 0) continue
    for (const one of ones) {
      if (!legs.isOwn(one)) continue
      for (const [first, second] of couples.get(one.units) ?? []) {
        if (one.currency !== first.currency) continue
        const [out, into] = one.out ? [one, first] : [first, one]
        if (!legs.mayMeet(out, into)) continue
        if ([first, second].some((part) => apart.has(pairKey(one.recordId, part.recordId)))) continue
        if (freely(one) && freely(first) && freely(second)) groups.push({ one, parts: [first, second] })
      }
    }
  }
  // What could be in two groups is in none.
  const uses = new Map<MonthLeg, number>()
  for (const { one, parts } of groups) for (const leg of [one, ...parts]) uses.set(leg, (uses.get(leg) ?? 0) + 1)
  return groups.filter(({ one, parts }) => [one, ...parts].every((leg) => uses.get(leg) === 1))
}

/** Groups that something besides amounts and days supports, in order. */
export const groupsOf = (input: GroupInput, floor: number): ReadonlyArray<ScoredPair> => {
  const { calendar, legs, strangers } = input
  return found(input)
    .map(({ one, parts: [first, second] }): ScoredPair => {
      const isOut = one.out
      const [out, into] = isOut ? [one, first] : [first, one]
      const textOne = textWeight(one, first)
      const textMany = Math.min(textWeight(first, one), textWeight(second, one))
      const units = one.units
      const [currency, account] = [one.currency, out.accountId]
      const counts = {
        rivals: 1,
        strangers: strangers.all(currency, account),
        agreeing: strangers.agreeing(currency, account, units, units),
        chance: roundness(units),
        penalty: choicePenalty,
        businessDays: businessDaysApart(calendar, out.day, into.day),
        textOut: isOut ? textOne : textMany,
        textIn: isOut ? textMany : textOne,
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
        provider: providerPart(one.signs.hint, first.signs.hint),
        pair: 0
      }
      return {
        out: legs.side(out),
        in: legs.side(into),
        band: "group",
        parts,
        counts,
        score: partsSum(parts),
        second: { role: isOut ? ("in" as const) : ("out" as const), ...legs.side(second) }
      }
    })
    .filter(({ parts, score }) => score >= floor && (parts.text > 0 || parts.provider > 0))
    .toSorted((a, b) => compareText(a.out.recordId, b.out.recordId) || compareText(a.in.recordId, b.in.recordId))
}
