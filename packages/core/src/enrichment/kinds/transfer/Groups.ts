/**
 * One amount that arrived in two, or two that arrived as one (enrichments C8): the two on one day in one account. Only what
 * nothing else explains is looked at, and only within one month, so that no record is ever in two links.
 */
import { type BusinessCalendar, businessDaysApart } from "../../../shared/BusinessCalendar.ts"
import type { Candidates } from "./Candidates.ts"
import { pairKey } from "./Decisions.ts"
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
} from "./PairScore.ts"
import type { StrangerCounts } from "./Strangers.ts"

/** Records of an account on one day that are looked at for parts. */
const mostOfADay = 24

/** For the choice of two among others, in centibits. */
const choicePenalty = 200

/** Legs, by their places. */
interface Group {
  readonly one: number
  readonly parts: readonly [number, number]
}

export interface GroupInput {
  readonly legs: MonthLegs
  readonly candidates: Candidates
  readonly strangers: StrangerCounts
  readonly apart: ReadonlySet<string>
  readonly calendar: BusinessCalendar
}

/** Whether it fits to none of the other direction. */
const isAlone = ({ candidates, legs }: GroupInput, leg: number): boolean => {
  const { after, before } = legs.window
  const out = legs.isOut(leg)
  const others = out ? legs.ins : legs.outs
  const [from, to] = out
    ? [legs.day[leg]! - before, legs.day[leg]! + after]
    : [legs.day[leg]! - after, legs.day[leg]! + before]
  for (const other of others) {
    if (legs.day[other]! < from) continue
    if (legs.day[other]! > to) break
    if ((out ? candidates.fit(leg, other) : candidates.fit(other, leg)) !== undefined) return false
  }
  return true
}

/** Two amounts that make a third mean little: something has to speak for them. */
const speaks = (legs: MonthLegs, leg: number): boolean => legs.weight[leg]! > 0 || legs.hint[leg]! > 0

/** Two of an account, a currency and a day each, that something speaks for. */
const couples = (legs: MonthLegs, many: Int32Array): ReadonlyArray<readonly [number, number]> => {
  const found: Array<readonly [number, number]> = []
  const ofDay = new Map<number, Array<number>>()
  const close = (): void => {
    for (const some of ofDay.values()) {
      if (some.length > mostOfADay) continue
      for (const [n, first] of some.entries()) for (const second of some.slice(n + 1)) found.push([first, second])
    }
    ofDay.clear()
  }
  let day = Number.NaN
  for (const leg of many) {
    if (legs.day[leg] !== day) close()
    day = legs.day[leg]!
    if (!speaks(legs, leg)) continue
    const key = legs.account[leg]! * mostCurrencies + legs.currency[leg]!
    const list = ofDay.get(key)
    if (list === undefined) ofDay.set(key, [leg])
    else list.push(leg)
  }
  close()
  return found
}

/** Legs by amount: those with one of some amounts. */
const having = (
  legs: MonthLegs,
  ones: Int32Array,
  sums: ReadonlySet<number>
): ReadonlyMap<number, ReadonlyArray<number>> => {
  const found = new Map<number, Array<number>>()
  if (sums.size === 0) return found
  for (const leg of ones) {
    const units = legs.units[leg]!
    if (!sums.has(units)) continue
    const list = found.get(units)
    if (list === undefined) found.set(units, [leg])
    else list.push(leg)
  }
  return found
}

const found = (input: GroupInput): ReadonlyArray<Group> => {
  const { apart, legs } = input
  const free = new Map<number, boolean>()
  const freely = (leg: number): boolean => {
    let known = free.get(leg)
    if (known === undefined) {
      known = legs.isOwn(leg) && !legs.isPending(leg) && !legs.isMirror(leg) && isAlone(input, leg)
      free.set(leg, known)
    }
    return known
  }
  const groups: Array<Group> = []
  for (const [many, ones] of [
    [legs.ins, legs.outs],
    [legs.outs, legs.ins]
  ] as const) {
    const all = couples(legs, many)
    const bySum = having(legs, ones, new Set(all.map(([first, second]) => legs.units[first]! + legs.units[second]!)))
    for (const [first, second] of all) {
      for (const one of bySum.get(legs.units[first]! + legs.units[second]!) ?? []) {
        if (legs.currency[one] !== legs.currency[first]) continue
        const [out, into] = legs.isOut(one) ? [one, first] : [first, one]
        if (!legs.mayMeet(out, into)) continue
        if ([first, second].some((part) => apart.has(pairKey(legs.idOf(one), legs.idOf(part))))) continue
        if (freely(one) && freely(first) && freely(second)) groups.push({ one, parts: [first, second] })
      }
    }
  }
  // What could be in two groups is in none.
  const uses = new Map<number, number>()
  for (const { one, parts } of groups) for (const leg of [one, ...parts]) uses.set(leg, (uses.get(leg) ?? 0) + 1)
  return groups.filter(({ one, parts }) => [one, ...parts].every((leg) => uses.get(leg) === 1))
}

/** Groups that something besides amounts and days speaks for, in order. */
export const groupsOf = (input: GroupInput, floor: number): ReadonlyArray<ScoredPair> => {
  const { calendar, legs, strangers } = input
  return found(input)
    .map(({ one, parts: [first, second] }): ScoredPair => {
      const isOut = legs.isOut(one)
      const [out, into] = isOut ? [one, first] : [first, one]
      const textOne = legs.textWeight(one, first)
      const textMany = Math.min(legs.textWeight(first, one), legs.textWeight(second, one))
      const units = legs.units[one]!
      const [currency, account] = [legs.currency[one]!, legs.account[out]!]
      const counts = {
        rivals: 1,
        strangers: strangers.all(currency, account),
        agreeing: strangers.agreeing(currency, account, units, units),
        chance: roundness(units),
        penalty: choicePenalty,
        businessDays: businessDaysApart(calendar, legs.day[out]!, legs.day[into]!),
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
        provider: providerPart(legs.hint[one]!, legs.hint[first]!),
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

/** More than there are. */
const mostCurrencies = 65_536
