/** The pairs that an outflow of a month could be in, with what speaks for each (enrichments D2.1, D2.2). */
import type * as Currency from "../../../shared/Currency.ts"
import type * as Decimal from "../../../shared/Decimal.ts"
import { convert, rateOn, type RateTable } from "../../../shared/RateTable.ts"
import type * as CalendarDate from "../../../shared/CalendarDate.ts"
import { type BusinessCalendar, BusinessDays } from "../../../shared/BusinessCalendar.ts"
import type { Work } from "../../../shared/Work.ts"
import { noLesson } from "./AccountLessons.ts"
import { largestFee, pairKey } from "./Decisions.ts"
import { InflowCounts } from "./InflowCounts.ts"
import { unitsPerOne } from "./Leg.ts"
import type { Lessons } from "./Lessons.ts"
import type { MonthLegs } from "./MonthLegs.ts"
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
import { SortedUnits } from "./SortedUnits.ts"
import type { StrangerCounts } from "./Strangers.ts"
import type { TransferConfig } from "./TransferConfig.ts"

export interface CandidateInput {
  readonly legs: MonthLegs
  readonly config: TransferConfig
  readonly strangers: StrangerCounts
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

type Mutable<A> = { -readonly [K in keyof A]: A[K] }

export class Candidates {
  private readonly input: CandidateInput
  private readonly likely: InflowCounts
  private readonly openDays: BusinessDays
  private readonly found: Array<ScoredPair> = []
  private withCode: ReadonlyMap<string, ReadonlyArray<number>> | undefined
  private readonly ratesOf = new Map<string, Decimal.Decimal | undefined>()
  private readonly caps = new Map<number, number>()
  private readonly outflows = new Map<number, SortedUnits>()
  private readonly speaking = new Map<number, SortedUnits>()
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
    this.openDays = new BusinessDays(input.calendar, input.legs.firstDay, input.legs.lastDay)
  }

  /** All pairs of outflows of the month that reach `floor` centibits, in order. */
  scored(floor: number): ReadonlyArray<ScoredPair> {
    this.exact(floor)
    this.others(floor)
    return this.found.splice(0).toSorted(comparePairs)
  }

  /** Keeps a pair that reaches the floor. */
  private consider(out: number, into: number, fit: Fit, floor: number): void {
    const { apart, legs, work } = this.input
    work.spend(weighWork)
    if (apart.size > 0 && apart.has(pairKey(legs.idOf(out), legs.idOf(into)))) return
    const score = this.weigh(out, into, fit, floor)
    if (score >= floor) this.found.push(this.weighed(out, into, fit, score))
  }

  /** Whether the two could be a pair at all, whatever speaks for it. */
  fit(out: number, into: number): Fit | undefined {
    const { legs, work } = this.input
    work.spend(fitWork)
    if (!legs.mayMeet(out, into)) return undefined
    if (legs.sameAmount(out, into)) return "exact"
    if (legs.isPending(out) || legs.isPending(into)) return undefined
    const [left, arrived] = [legs.weight[out]! > 0, legs.weight[into]! > 0]
    if (legs.currency[out] === legs.currency[into]) {
      const missing = legs.units[out]! - legs.units[into]!
      if (missing <= 0 || missing > this.mostMissing(out)) return undefined
      return (left && arrived) || this.hadFee(out, into) ? "fee" : undefined
    }
    if (!(left || arrived || this.wereLinked(out, into))) return undefined
    const rate = this.rate(out, into)
    if (rate === undefined) return undefined
    const ratio = legs.units[into]! / (legs.units[out]! * Number(rate))
    const { over, under } = this.input.config.fx
    return ratio >= 1 - under / 100 && ratio <= 1 + over / 100 ? "fx" : undefined
  }

  /** Whether a person has linked records of the two accounts before that differ by a fee: equal ones say nothing of fees. */
  private hadFee(out: number, into: number): boolean {
    const { legs, lessons } = this.input
    return lessons.showFees && lessons.hadFee(legs.leg(out), legs.leg(into))
  }

  /** Whether a person has linked records of the two accounts before. */
  private wereLinked(out: number, into: number): boolean {
    const { legs, lessons } = this.input
    return !lessons.isEmpty && lessons.wereLinked(legs.leg(out), legs.leg(into))
  }

  /** Those of equal amounts. */
  private exact(floor: number): void {
    const { legs } = this.input
    const { amounts, outs } = legs
    for (let n = 0; n < outs.length; n++) {
      const out = outs[n]!
      if (!legs.isOwn(out)) continue
      for (let into = amounts.arrived(out); into >= 0; into = amounts.next(into)) {
        if (!legs.mayMeet(out, into)) continue
        const fit = this.fit(out, into)
        if (fit !== undefined) this.consider(out, into, fit, floor)
      }
    }
  }

  /** Those of which something is missing, or which are of two currencies. */
  private others(floor: number): void {
    const { legs, lessons } = this.input
    const { ins } = legs
    const currencies = this.outCurrencies()
    for (let n = 0; n < ins.length; n++) {
      const into = ins[n]!
      const isSilent = legs.weight[into]! <= 0 && !lessons.showFees
      if (isSilent && currencies.length === 1 && currencies[0] === legs.currency[into]) continue
      if (legs.isPending(into)) continue
      for (const currency of currencies) {
        const isSame = currency === legs.currency[into]
        // What is missing from an amount is a fee where both say that they are a transfer, unless people have shown otherwise.
        if (isSame && isSilent) continue
        const [least, most] = isSame ? this.feeSpan(into) : this.rateSpan(into, currency)
        if (least <= most) this.between(this.among(currency, isSame && !lessons.showFees), into, least, most, floor)
      }
    }
  }

  private between(among: SortedUnits, into: number, least: number, most: number, floor: number): void {
    const { legs } = this.input
    for (let n = among.from(least); n < among.size && among.units[n]! <= most; n++) {
      const out = among.legs[n]!
      if (!legs.isOwn(out) || !legs.mayMeet(out, into) || legs.sameAmount(out, into)) continue
      const fit = this.fit(out, into)
      if (fit !== undefined) this.consider(out, into, fit, floor)
    }
  }

  private outCurrencies(): ReadonlyArray<number> {
    const { currency, outs } = this.input.legs
    const found: Array<number> = []
    for (let n = 0, last = -1; n < outs.length; n++) {
      const one = currency[outs[n]!]!
      if (one === last) continue
      last = one
      if (!found.includes(one)) found.push(one)
    }
    return found
  }

  /** What left in a currency, by amount: all, or what speaks for a transfer by itself. */
  private among(currency: number, speaking: boolean): SortedUnits {
    const kept = speaking ? this.speaking : this.outflows
    let sorted = kept.get(currency)
    if (sorted === undefined) {
      const { currency: currencies, outs, units, weight } = this.input.legs
      const meant = new Int32Array(outs.length)
      let count = 0
      for (let n = 0; n < outs.length; n++) {
        const leg = outs[n]!
        if ((!speaking || weight[leg]! > 0) && currencies[leg] === currency) meant[count++] = leg
      }
      kept.set(currency, (sorted = new SortedUnits(units, meant.subarray(0, count))))
    }
    return sorted
  }

  /** What may have left where that arrived and something is missing. */
  private feeSpan(into: number): readonly [number, number] {
    const { config, legs } = this.input
    const units = legs.units[into]!
    const share = Math.max(config.fee.percent / 100, 0)
    const fixed = this.feeAmount(into)
    const most = Math.max(units / (1 - share), units + fixed)
    return [units + 1, Math.ceil(Math.min(most, units / (1 - largestFee)))]
  }

  private rateSpan(into: number, currency: number): readonly [number, number] {
    const { legs } = this.input
    const rate = this.rateFor(currency, legs.currency[into]!, into)
    if (rate === undefined) return [1, 0]
    // The rate of the outflow's day decides; a few days move it by less than this.
    const [low, high] = [0.8, 1.25]
    const middle = legs.units[into]! / Number(rate)
    return [Math.floor(middle * low), Math.ceil(middle * high)]
  }

  private feeAmount(leg: number): number {
    const { baseCurrency, config, legs, rates } = this.input
    const key = legs.day[leg]! * mostCurrencies + legs.currency[leg]!
    let amount = this.caps.get(key)
    if (amount === undefined) {
      const { currency, date } = legs.leg(leg)
      const converted = convert(rates, config.fee.amount, baseCurrency, currency, date)
      amount = converted === undefined ? 0 : Number(converted.amount) * unitsPerOne
      this.caps.set(key, amount)
    }
    return amount
  }

  private mostMissing(out: number): number {
    const units = this.input.legs.units[out]!
    const share = (this.input.config.fee.percent / 100) * units
    return Math.min(largestFee * units, Math.max(share, this.feeAmount(out)))
  }

  /** By numbers, on the day of a leg. */
  private rateFor(from: number, to: number, leg: number): Decimal.Decimal | undefined {
    const { legs, rates } = this.input
    const key = `${from} ${to} ${legs.day[leg]}`
    if (!this.ratesOf.has(key)) {
      const { currencies } = legs.space
      const { date }: { readonly date: CalendarDate.CalendarDate } = legs.leg(leg)
      this.ratesOf.set(key, rateOn(rates, currencies[from]!, currencies[to]!, date)?.rate)
    }
    return this.ratesOf.get(key)
  }

  private rate(out: number, into: number): Decimal.Decimal | undefined {
    const { currency } = this.input.legs
    return this.rateFor(currency[out]!, currency[into]!, out)
  }

  /** Strangers whose amount could be what left. */
  private agreeing(out: number, into: number, fit: Fit): number {
    const { config, legs, strangers } = this.input
    const units = legs.units[out]!
    let [least, most] = [units, units]
    if (fit === "fee") {
      least = Math.ceil(units - this.mostMissing(out))
      most = units - 1
    } else if (fit === "fx") {
      const middle = units * Number(this.rate(out, into))
      least = Math.ceil(middle * (1 - config.fx.under / 100))
      most = Math.floor(middle * (1 + config.fx.over / 100))
    }
    return strangers.agreeing(legs.currency[into]!, legs.account[out]!, least, most)
  }

  private penalty(out: number, into: number, fit: Fit): number {
    if (fit === "exact") return 0
    const { legs, lessons } = this.input
    const [left, arrived] = [legs.units[out]!, legs.units[into]!]
    if (fit === "fx") return ratePenalty(1 - arrived / (left * Number(this.rate(out, into))))
    if (!lessons.isEmpty && lessons.knowsFee(legs.leg(out), legs.leg(into))) return 0
    return (left - arrived) % (unitsPerOne / 2) === 0 ? 50 : 300
  }

  /** Legs with each code around the month. */
  private recordsWith(code: string): ReadonlyArray<number> {
    if (this.withCode === undefined) {
      const found = new Map<string, Array<number>>()
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

  private hasSharedCode(out: number, into: number): boolean {
    const { legs } = this.input
    const others = legs.codesOf(into)
    if (others.size === 0) return false
    const { after, before } = legs.window
    const day = legs.day[out]!
    for (const code of legs.codesOf(out)) {
      if (!others.has(code)) continue
      let near = 0
      for (const leg of this.recordsWith(code)) {
        // What left counts as far back as what arrived counts ahead: so the month holds all of them, wherever in it the day is.
        const [back, ahead] = legs.isOut(leg) ? [after, before] : [before, after]
        if (legs.day[leg]! >= day - back && legs.day[leg]! <= day + ahead) near++
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
  private rivals(out: number, into: number): number {
    const { legs } = this.input
    const { after, before } = legs.window
    const day = legs.day[out]!
    return Math.max(1, this.likely.count(legs.currency[into]!, legs.account[out]!, day - before, day + after))
  }

  /** The points of a pair, in centibits. Of one that cannot reach the floor, the most that it could have. */
  weigh(out: number, into: number, fit: Fit, floor = Number.NEGATIVE_INFINITY): number {
    const { legs, lessons, strangers } = this.input
    const { counts, parts } = this
    counts.rivals = this.rivals(out, into)
    counts.strangers = strangers.all(legs.currency[into]!, legs.account[out]!)
    counts.agreeing = 0
    counts.chance = fit === "exact" ? roundness(legs.units[out]!) : fit === "fee" ? feeChance : fxChance
    counts.penalty = this.penalty(out, into, fit)
    counts.businessDays = this.openDays.apart(legs.day[out]!, legs.day[into]!)
    counts.textOut = legs.textWeight(out, into)
    counts.textIn = legs.textWeight(into, out)
    const lesson = lessons.isEmpty ? noLesson : lessons.counts(legs.leg(out), legs.leg(into))
    counts.accepted = lesson.accepted
    counts.rejected = lesson.rejected
    counts.expected = lesson.expected
    counts.pattern = lesson.pattern
    parts.prior = priorPart(counts.rivals)
    parts.lag = lagPart(counts.businessDays)
    parts.text = textPart(counts.textOut, counts.textIn)
    parts.provider = providerPart(legs.hint[out]!, legs.hint[into]!)
    parts.pair = pairPart(lesson)
    if (fit !== "exact") {
      // Most pairs of which something is missing are none, and are seen to be none before anything is looked for.
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
  private weighed(out: number, into: number, fit: Fit, score: number): ScoredPair {
    const { legs } = this.input
    const pair: ScoredPair = {
      out: legs.side(out),
      in: legs.side(into),
      band: fit,
      parts: { ...this.parts },
      counts: { ...this.counts },
      score
    }
    if (fit !== "fx" && !legs.isMirror(out) && !legs.isMirror(into)) return pair
    return {
      ...pair,
      ...(fit === "fx" ? { rate: this.rate(out, into)! } : {}),
      ...(legs.isMirror(out) || legs.isMirror(into) ? { mirror: true as const } : {})
    }
  }
}

/** More than there are. */
const mostCurrencies = 65_536
