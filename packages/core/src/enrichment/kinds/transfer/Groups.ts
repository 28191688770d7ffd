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

/** Those that something speaks for. */
const speaking = (legs: MonthLegs, many: Int32Array): Int32Array => {
  const { hint, weight } = legs
  const meant = new Int32Array(many.length)
  let count = 0
  for (let n = 0; n < many.length; n++) {
    const leg = many[n]!
    // Two amounts that make a third mean little: something has to speak for them.
    if (weight[leg]! > 0 || hint[leg]! > 0) meant[count++] = leg
  }
  return meant.subarray(0, count)
}

/** Two of an account, a currency and a day each, that something speaks for: legs in order, two for each couple. */
const couples = (legs: MonthLegs, many: Int32Array): ReadonlyArray<number> => {
  const { account, currency, day, space } = legs
  const some = speaking(legs, many)
  const pairs: Array<number> = []
  const currencies = space.currencies.length
  const keyOf = (leg: number): number => account[leg]! * currencies + currency[leg]!
  // Of the day that is looked at: how many there are by account and currency, and one more than the place of the last.
  const counts = new Int32Array(space.accounts.length * currencies)
  const lasts = new Int32Array(counts.length)
  const before = new Int32Array(some.length)
  for (let from = 0, to = 0; from < some.length; from = to) {
    for (; to < some.length && day[some[to]!] === day[some[from]!]; to++) {
      const key = keyOf(some[to]!)
      counts[key]!++
      before[to] = lasts[key]!
      lasts[key] = to + 1
    }
    for (let n = from; n < to; n++) {
      if (counts[keyOf(some[n]!)]! > mostOfADay) continue
      for (let last = before[n]!; last > 0; last = before[last - 1]!) pairs.push(some[last - 1]!, some[n]!)
    }
    for (let n = from; n < to; n++) counts[keyOf(some[n]!)] = lasts[keyOf(some[n]!)] = 0
  }
  return pairs
}

const sumBits = 14

/** Where a sum is noted: most amounts are noted nowhere, and are seen to be no sum at once. */
const bitOf = (units: number): number => Math.imul(units | 0, 0x9e3779b1) >>> (32 - sumBits)

/** Couples by the sum of their amounts: the places of their first legs. */
export class Sums {
  private readonly units: Float64Array
  private readonly noted = new Uint8Array(1 << sumBits)
  private readonly bySum = new Map<number, Array<number>>()

  constructor({ units }: Pick<MonthLegs, "units">, pairs: ReadonlyArray<number>) {
    this.units = units
    for (let at = 0; at < pairs.length; at += 2) {
      const sum = units[pairs[at]!]! + units[pairs[at + 1]!]!
      this.noted[bitOf(sum)] = 1
      const list = this.bySum.get(sum)
      if (list === undefined) this.bySum.set(sum, [at])
      else list.push(at)
    }
  }

  /** Those that come to as much as a leg. */
  of(leg: number): ReadonlyArray<number> {
    const units = this.units[leg]!
    return this.noted[bitOf(units)] === 0 ? none : (this.bySum.get(units) ?? none)
  }
}

const none: ReadonlyArray<number> = []

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
    const pairs = couples(legs, many)
    if (pairs.length === 0) continue
    const sums = new Sums(legs, pairs)
    for (let n = 0; n < ones.length; n++) {
      const one = ones[n]!
      if (!legs.isOwn(one)) continue
      for (const at of sums.of(one)) {
        const [first, second] = [pairs[at]!, pairs[at + 1]!]
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
