/** The pairs that an outflow of a month could be in, with what supports each (enrichments D2.1, D2.2). */
import type * as Currency from "../../../shared/Currency.ts"
import type * as Decimal from "../../../shared/Decimal.ts"
import { convert, rateOn, type RateTable } from "../../../shared/RateTable.ts"
import { type BusinessCalendar, BusinessDays } from "../../../shared/BusinessCalendar.ts"
import type { Work } from "../../../shared/Work.ts"
import { noLesson } from "./AccountLessons.ts"
import { largestFee, pairKey } from "./Decisions.ts"
import { InflowCounts } from "./InflowCounts.ts"
import { unitsPerOne } from "./Leg.ts"
import type { Lessons } from "./Lessons.ts"
import { isSameAmount, type MonthLeg, type MonthLegs, textWeight } from "./MonthLegs.ts"
import {
  amountPart,
  type Band,
  comparePairs,
  feeChance,
  fxChance,
  lagPart,
  pairPart,
  partsSum,
  priorPart,
  providerPart,
  referencePoints,
  roundness,
  type ScoredPair,
  textPart
} from "./PairScore.ts"
import type { UnrelatedInflowCounts } from "./UnrelatedInflows.ts"
import type { TransferConfig } from "./TransferConfig.ts"

export interface CandidateInput {
  readonly legs: MonthLegs
  readonly config: TransferConfig
  readonly strangers: UnrelatedInflowCounts
  readonly lessons: Lessons
  readonly apart: ReadonlySet<string>
  readonly rates: RateTable
  readonly calendar: BusinessCalendar
  readonly baseCurrency: Currency.Currency
  readonly work: Work
}

/** Units of work for a pair that is weighed, and for one that is only looked at. */
const weighWork = 150
const fitWork = 10

/** What a pair is by its amounts. */
export type Fit = Exclude<Band, "group">

const penaltyOver = 200

/** Points off for what arrives beside the rate of the day, in centibits. */
const ratePenalty = (residual: number): number => {
  if (residual < 0) return Math.min(300, Math.round(penaltyOver * 100 * -residual))
  return residual <= 0.01 ? 30 : residual <= 0.02 ? 100 : residual <= 0.03 ? 200 : 300
}

/** A reference says something where hardly any other record has it. */
const mostWithCode = 2

/** The place of the first whose amount is not below `least`, in legs by amount. */
const firstFrom = (legs: ReadonlyArray<MonthLeg>, least: number): number => {
  let [low, high] = [0, legs.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (legs[middle]!.units < least) low = middle + 1
    else high = middle
  }
  return low
}

type Mutable<A> = { -readonly [K in keyof A]: A[K] }

export class Candidates {
  private readonly input: CandidateInput
  private readonly likely: InflowCounts
  private readonly openDays: BusinessDays
  private readonly found: Array<ScoredPair> = []
  private withCode: ReadonlyMap<string, ReadonlyArray<MonthLeg>> | undefined
  private readonly ratesOf = new Map<string, Decimal.Decimal | undefined>()
  private readonly caps = new Map<string, number>()
  private readonly outflows = new Map<string, ReadonlyArray<MonthLeg>>()
  private readonly speaking = new Map<string, ReadonlyArray<MonthLeg>>()
  /** What the pair that was weighed last was weighed by: most are dropped for their score, and nothing is made of those. */
  private readonly counts: Mutable<ScoredPair["counts"]> = {
    rivals: 0,
    strangers: 0,
    agreeing: 0,
    chance: 0,
    penalty: 0,
    businessDays: 0,
    textOut: 0,
    textIn: 0,
    ...noLesson
  }
  private readonly parts: Mutable<ScoredPair["parts"]> = {
    prior: 0,
    amount: 0,
    lag: 0,
    text: 0,
    reference: 0,
    provider: 0,
    pair: 0
  }

  constructor(input: CandidateInput) {
    this.input = input
    this.likely = new InflowCounts(input.legs)
    const { all } = input.legs
    this.openDays = new BusinessDays(input.calendar, all[0]?.day ?? 0, all.at(-1)?.day ?? -1)
  }

  /** All pairs of outflows of the month that reach `floor` centibits, in order. */
  scored(floor: number): ReadonlyArray<ScoredPair> {
    this.exact(floor)
    this.others(floor)
    return this.found.splice(0).toSorted(comparePairs)
  }

  /** Keeps a pair that reaches the floor. */
  private consider(out: MonthLeg, into: MonthLeg, fit: Fit, floor: number): void {
    const { apart, work } = this.input
    work.spend(weighWork)
    if (apart.size > 0 && apart.has(pairKey(out.recordId, into.recordId))) return
    const score = this.weigh(out, into, fit, floor)
    if (score >= floor) this.found.push(this.weighed(out, into, fit, score))
  }

  /** Whether the two could be a pair at all, whatever supports it. */
  fit(out: MonthLeg, into: MonthLeg): Fit | undefined {
    const { legs, work } = this.input
    work.spend(fitWork)
    if (!legs.mayMeet(out, into)) return undefined
    if (isSameAmount(out, into)) return "exact"
    if (out.pending || into.pending) return undefined
    const [left, arrived] = [out.weight > 0, into.weight > 0]
    if (out.currency === into.currency) {
      const missing = out.units - into.units
      if (missing <= 0 || missing > this.mostMissing(out)) return undefined
      return (left && arrived) || this.hadFee(out, into) ? "fee" : undefined
    }
    if (!(left || arrived || this.wereLinked(out, into))) return undefined
    const rate = this.rate(out, into)
    if (rate === undefined) return undefined
    const ratio = into.units / (out.units * Number(rate))
    const { over, under } = this.input.config.fx
    return ratio >= 1 - under / 100 && ratio <= 1 + over / 100 ? "fx" : undefined
  }

  /** Whether a person has linked records of the two accounts before that differ by a fee: equal ones say nothing about fees. */
  private hadFee(out: MonthLeg, into: MonthLeg): boolean {
    const { lessons } = this.input
    return lessons.showFees && lessons.hadFee(out, into)
  }

  /** Whether a person has linked records of the two accounts before. */
  private wereLinked(out: MonthLeg, into: MonthLeg): boolean {
    const { lessons } = this.input
    return !lessons.isEmpty && lessons.wereLinked(out, into)
  }

  /** Those of equal amounts. */
  private exact(floor: number): void {
    const { legs } = this.input
    const { amounts, outs } = legs
    for (const out of outs) {
      if (!legs.isOwn(out)) continue
      for (const into of amounts.arrived(out)) {
        if (!legs.mayMeet(out, into)) continue
        const fit = this.fit(out, into)
        if (fit !== undefined) this.consider(out, into, fit, floor)
      }
    }
  }

  /** Those that lack something, or which are of two currencies. */
  private others(floor: number): void {
    const { legs, lessons } = this.input
    const currencies = [...new Set(legs.outs.map(({ currency }) => currency))]
    for (const into of legs.ins) {
      const isSilent = into.weight <= 0 && !lessons.showFees
      if (isSilent && currencies.length === 1 && currencies[0] === into.currency) continue
      if (into.pending) continue
      for (const currency of currencies) {
        const isSame = currency === into.currency
        // What is missing from an amount is a fee where both say that they are a transfer, unless people have shown otherwise.
        if (isSame && isSilent) continue
        const [least, most] = isSame ? this.feeSpan(into) : this.rateSpan(into, currency)
        if (least <= most) this.between(this.among(currency, isSame && !lessons.showFees), into, least, most, floor)
      }
    }
  }

  private between(among: ReadonlyArray<MonthLeg>, into: MonthLeg, least: number, most: number, floor: number): void {
    const { legs } = this.input
    for (let n = firstFrom(among, least); n < among.length && among[n]!.units <= most; n++) {
      const out = among[n]!
      if (!legs.isOwn(out) || !legs.mayMeet(out, into) || isSameAmount(out, into)) continue
      const fit = this.fit(out, into)
      if (fit !== undefined) this.consider(out, into, fit, floor)
    }
  }

  /** What left in a currency, by amount: all, or what supports a transfer by itself. */
  private among(currency: Currency.Currency, speaking: boolean): ReadonlyArray<MonthLeg> {
    const kept = speaking ? this.speaking : this.outflows
    let sorted = kept.get(currency)
    if (sorted === undefined) {
      const meant = this.input.legs.outs.filter((leg) => leg.currency === currency && (!speaking || leg.weight > 0))
      kept.set(currency, (sorted = meant.toSorted((a, b) => a.units - b.units)))
    }
    return sorted
  }

  /** What may have left where that arrived and something is missing. */
  private feeSpan(into: MonthLeg): readonly [number, number] {
    const { config } = this.input
    const units = into.units
    const share = Math.max(config.fee.percent / 100, 0)
    const fixed = this.feeAmount(into)
    const most = Math.max(units / (1 - share), units + fixed)
    return [units + 1, Math.ceil(Math.min(most, units / (1 - largestFee)))]
  }

  private rateSpan(into: MonthLeg, currency: Currency.Currency): readonly [number, number] {
    const rate = this.rateFor(currency, into.currency, into)
    if (rate === undefined) return [1, 0]
    // The rate of the outflow's day decides; a few days move it by less than this.
    const [low, high] = [0.8, 1.25]
    const middle = into.units / Number(rate)
    return [Math.floor(middle * low), Math.ceil(middle * high)]
  }

  private feeAmount(leg: MonthLeg): number {
    const { baseCurrency, config, rates } = this.input
    const key = `${leg.day} ${leg.currency}`
    let amount = this.caps.get(key)
    if (amount === undefined) {
      const { currency, date } = leg
      const converted = convert(rates, config.fee.amount, baseCurrency, currency, date)
      amount = converted === undefined ? 0 : Number(converted.amount) * unitsPerOne
      this.caps.set(key, amount)
    }
    return amount
  }

  private mostMissing(out: MonthLeg): number {
    const units = out.units
    const share = (this.input.config.fee.percent / 100) * units
    return Math.min(largestFee * units, Math.max(share, this.feeAmount(out)))
  }

  /** On the day of a leg. */
  private rateFor(from: Currency.Currency, to: Currency.Currency, leg: MonthLeg): Decimal.Decimal | undefined {
    const { rates } = this.input
    const key = `${from} ${to} ${leg.day}`
    if (!this.ratesOf.has(key)) {
      this.ratesOf.set(key, rateOn(rates, from, to, leg.date)?.rate)
    }
    return this.ratesOf.get(key)
  }

  private rate(out: MonthLeg, into: MonthLeg): Decimal.Decimal | undefined {
    return this.rateFor(out.currency, into.currency, out)
  }

  /** Strangers whose amount could be what left. */
  private agreeing(out: MonthLeg, into: MonthLeg, fit: Fit): number {
    const { config, strangers } = this.input
    const units = out.units
    let [least, most] = [units, units]
    if (fit === "fee") {
      least = Math.ceil(units - this.mostMissing(out))
      most = units - 1
    } else if (fit === "fx") {
      const middle = units * Number(this.rate(out, into))
      least = Math.ceil(middle * (1 - config.fx.under / 100))
      most = Math.floor(middle * (1 + config.fx.over / 100))
    }
    return strangers.agreeing(into.currency, out.accountId, least, most)
  }

  private penalty(out: MonthLeg, into: MonthLeg, fit: Fit): number {
    if (fit === "exact") return 0
    const { lessons } = this.input
    const [left, arrived] = [out.units, into.units]
    if (fit === "fx") return ratePenalty(1 - arrived / (left * Number(this.rate(out, into))))
    if (!lessons.isEmpty && lessons.knowsFee(out, into)) return 0
    return (left - arrived) % (unitsPerOne / 2) === 0 ? 50 : 300
  }

  /** Legs with each code around the month. */
  private recordsWith(code: string): ReadonlyArray<MonthLeg> {
    if (this.withCode === undefined) {
      const found = new Map<string, Array<MonthLeg>>()
      const { legs } = this.input
      for (const all of [legs.outs, legs.ins]) {
        for (const leg of all) {
          for (const one of legs.codesOf(leg)) {
            const list = found.get(one)
            if (list === undefined) found.set(one, [leg])
            else list.push(leg)
          }
        }
      }
      this.withCode = found
    }
    return this.withCode.get(code) ?? []
  }

  private hasSharedCode(out: MonthLeg, into: MonthLeg): boolean {
    const { legs } = this.input
    const others = legs.codesOf(into)
    if (others.size === 0) return false
    const { after, before } = legs.window
    const day = out.day
    for (const code of legs.codesOf(out)) {
      if (!others.has(code)) continue
      let near = 0
      for (const leg of this.recordsWith(code)) {
        // What left counts as far back as what arrived counts ahead: so the month holds all of them, wherever in it the day is.
        const [back, ahead] = leg.out ? [after, before] : [before, after]
        if (leg.day >= day - back && leg.day <= day + ahead) near++
      }
      if (near <= mostWithCode) return true
    }
    return false
  }

  /** The points of the pair that was weighed last that were learnt of what people decided. */
  get learnt(): number {
    return this.parts.pair
  }

  /** Inflows that the outflow could be meant by. */
  private rivals(out: MonthLeg, into: MonthLeg): number {
    const { legs } = this.input
    const { after, before } = legs.window
    const day = out.day
    return Math.max(1, this.likely.count(into.currency, out.accountId, day - before, day + after))
  }

  /** The points of a pair, in centibits. Of one that cannot reach the floor, the most that it could have. */
  weigh(out: MonthLeg, into: MonthLeg, fit: Fit, floor = Number.NEGATIVE_INFINITY): number {
    const { legs, lessons, strangers } = this.input
    const { counts, parts } = this
    counts.rivals = this.rivals(out, into)
    counts.strangers = strangers.all(into.currency, out.accountId)
    counts.agreeing = 0
    counts.chance = fit === "exact" ? roundness(out.units) : fit === "fee" ? feeChance : fxChance
    counts.penalty = this.penalty(out, into, fit)
    counts.businessDays = this.openDays.apart(out.day, into.day)
    counts.textOut = textWeight(out, into)
    counts.textIn = textWeight(into, out)
    const lesson = lessons.isEmpty ? noLesson : lessons.counts(out, into)
    counts.accepted = lesson.accepted
    counts.rejected = lesson.rejected
    counts.expected = lesson.expected
    counts.pattern = lesson.pattern
    parts.prior = priorPart(counts.rivals)
    parts.lag = lagPart(counts.businessDays)
    parts.text = textPart(counts.textOut, counts.textIn)
    parts.provider = providerPart(out.signs.hint, into.signs.hint)
    parts.pair = pairPart(lesson)
    if (fit !== "exact") {
      // Most pairs that lack something are none, and are seen to be none before anything is looked for.
      parts.amount = amountPart(fit, counts)
      parts.reference = legs.codesOf(out).size > 0 && legs.codesOf(into).size > 0 ? referencePoints : 0
      const most = partsSum(parts)
      if (most < floor) return most
    }
    counts.agreeing = this.agreeing(out, into, fit)
    parts.amount = amountPart(fit, counts)
    parts.reference = this.hasSharedCode(out, into) ? referencePoints : 0
    return partsSum(parts)
  }

  /** The pair that was weighed last. */
  private weighed(out: MonthLeg, into: MonthLeg, fit: Fit, score: number): ScoredPair {
    const { legs } = this.input
    const pair: ScoredPair = {
      out: legs.side(out),
      in: legs.side(into),
      band: fit,
      parts: { ...this.parts },
      counts: { ...this.counts },
      score
    }
    if (fit !== "fx" && !out.mirror && !into.mirror) return pair
    return {
      ...pair,
      ...(fit === "fx" ? { rate: this.rate(out, into)! } : {}),
      ...(out.mirror || into.mirror ? { mirror: true as const } : {})
    }
  }
}
