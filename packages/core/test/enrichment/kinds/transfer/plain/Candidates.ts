/** The pairs that an outflow of a month could be in, with what speaks for each (enrichments D2.1, D2.2). */
import * as Currency from "../../../../../src/shared/Currency.ts"
import * as Decimal from "../../../../../src/shared/Decimal.ts"
import { convert, rateOn, type RateTable } from "../../../../../src/shared/RateTable.ts"
import * as CalendarDate from "../../../../../src/shared/CalendarDate.ts"
import {
  type BusinessCalendar,
  businessDaysBetween,
  isBusinessDay,
  shift
} from "../../../../../src/shared/BusinessCalendar.ts"
import { type Lessons, noLesson, pairKey } from "../../../../../src/enrichment/kinds/transfer/Decisions.ts"
import { InflowCounts } from "./InflowCounts.ts"
import { type Leg, textWeight, unitsPerOne } from "./Leg.ts"
import { type MonthLegs, sameAmount } from "./MonthLegs.ts"
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
  type Side,
  textPart
} from "../../../../../src/enrichment/kinds/transfer/PairScore.ts"
import type { StrangerCounts } from "./Strangers.ts"
import type { TransferConfig } from "../../../../../src/enrichment/kinds/transfer/TransferConfig.ts"

export interface CandidateInput {
  readonly legs: MonthLegs
  readonly config: TransferConfig
  readonly strangers: StrangerCounts
  readonly lessons: Lessons
  readonly apart: ReadonlySet<string>
  readonly rates: RateTable
  readonly calendar: BusinessCalendar
  readonly baseCurrency: Currency.Currency
}

/** What a pair is by its amounts. */
interface Fit {
  readonly band: Exclude<Band, "group">
  /** One unit of what left in the currency of what arrived. */
  readonly rate?: Decimal.Decimal
}

export const sideOf = (leg: Leg): Side => ({
  recordId: leg.recordId,
  accountId: leg.accountId,
  date: leg.date,
  amount: leg.amount,
  currency: leg.currency
})

const penaltyOver = 200

/** Points off for what arrives beside the rate of the day, in centibits. */
const ratePenalty = (residual: number): number => {
  if (residual < 0) return Math.min(300, Math.round(penaltyOver * 100 * -residual))
  return residual <= 0.01 ? 30 : residual <= 0.02 ? 100 : residual <= 0.03 ? 200 : 300
}

const quarter = 0.25

/** A reference says something where hardly any other record has it. */
const mostWithCode = 2

export class Candidates {
  private readonly input: CandidateInput
  private readonly likely: InflowCounts
  private readonly withCode = new Map<string, ReadonlyArray<Leg>>()
  private readonly lags = new Map<number, number>()
  private readonly ratesOf = new Map<string, Decimal.Decimal | undefined>()
  private readonly caps = new Map<string, number>()

  constructor(input: CandidateInput) {
    this.input = input
    const { legs } = input
    this.likely = new InflowCounts(legs.inflows.all.filter((leg) => legs.signsOf(leg).weight >= 0))
  }

  /** All pairs of outflows of the month that reach `floor` centibits, in order. */
  scored(floor: number): ReadonlyArray<ScoredPair> {
    const found: Array<ScoredPair> = []
    this.each((out, into, fit) => {
      if (this.input.apart.has(pairKey(out.recordId, into.recordId))) return
      const pair = this.score(out, into, fit)
      if (pair.score >= floor) found.push(pair)
    })
    return found.toSorted(comparePairs)
  }

  /** Whether the two could be a pair at all, whatever speaks for it. */
  fit(out: Leg, into: Leg): Fit | undefined {
    const { legs, lessons } = this.input
    if (!legs.mayMeet(out, into)) return undefined
    if (sameAmount(out, into)) return { band: "exact" }
    if (out.pending || into.pending) return undefined
    const [left, arrived] = [legs.signsOf(out).weight > 0, legs.signsOf(into).weight > 0]
    const known = () => !lessons.isEmpty && lessons.wereLinked(out, into)
    if (out.currency === into.currency) {
      const missing = out.units - into.units
      if (missing <= 0 || missing > this.mostMissing(out) || !((left && arrived) || known())) return undefined
      return { band: "fee" }
    }
    if (!(left || arrived || known())) return undefined
    const rate = this.rate(out, into.currency)
    if (rate === undefined) return undefined
    const ratio = into.units / (out.units * Number(rate))
    const { over, under } = this.input.config.fx
    return ratio >= 1 - under / 100 && ratio <= 1 + over / 100 ? { band: "fx", rate } : undefined
  }

  /** Visits the candidates by amount. */
  private each(visit: (out: Leg, into: Leg, fit: Fit) => void): void {
    const { inflows, outflows } = this.input.legs
    const { legs, lessons } = this.input
    for (const out of outflows.all) {
      if (!legs.isOwn(out)) continue
      for (const into of inflows.equal(out)) {
        const fit = this.fit(out, into)
        if (fit !== undefined) visit(out, into, fit)
      }
    }
    const currencies = [...outflows.currencies].toSorted()
    for (const into of inflows.all) {
      if (into.pending) continue
      for (const currency of currencies) {
        const [least, most] = currency === into.currency ? this.feeSpan(into) : this.rateSpan(into, currency)
        if (!(least <= most)) continue
        // What is missing from an amount is a fee where both say that they are a transfer.
        const among = currency === into.currency && lessons.isEmpty ? legs.speaking : outflows
        for (const out of among.between(currency, least, most)) {
          if (!legs.isOwn(out) || !legs.mayMeet(out, into) || sameAmount(out, into)) continue
          const fit = this.fit(out, into)
          if (fit !== undefined) visit(out, into, fit)
        }
      }
    }
  }

  /** What may have left where that arrived and something is missing. */
  private feeSpan(into: Leg): readonly [number, number] {
    const { config, legs, lessons } = this.input
    if (legs.signsOf(into).weight <= 0 && lessons.isEmpty) return [1, 0]
    const share = Math.max(config.fee.percent / 100, 0)
    const fixed = this.feeAmount(into)
    const most = Math.max(into.units / (1 - share), into.units + fixed)
    return [into.units + 1, Math.ceil(Math.min(most, into.units / (1 - quarter)))]
  }

  private rateSpan(into: Leg, currency: Currency.Currency): readonly [number, number] {
    const rate = this.rateFor(currency, into.currency, into.date)
    if (rate === undefined) return [1, 0]
    // The rate of the outflow's day decides; a few days move it by less than this.
    const [low, high] = [0.8, 1.25]
    const middle = into.units / Number(rate)
    return [Math.floor(middle * low), Math.ceil(middle * high)]
  }

  private feeAmount({ currency, date }: Leg): number {
    const { baseCurrency, config, rates } = this.input
    const key = `${currency} ${date}`
    let amount = this.caps.get(key)
    if (amount === undefined) {
      const converted = convert(rates, config.fee.amount, baseCurrency, currency, date)
      amount = converted === undefined ? 0 : Number(converted.amount) * unitsPerOne
      this.caps.set(key, amount)
    }
    return amount
  }

  private mostMissing(out: Leg): number {
    const share = (this.input.config.fee.percent / 100) * out.units
    return Math.min(quarter * out.units, Math.max(share, this.feeAmount(out)))
  }

  private rateFor(from: Currency.Currency, to: Currency.Currency, date: CalendarDate.CalendarDate) {
    const key = `${from} ${to} ${date}`
    if (!this.ratesOf.has(key)) this.ratesOf.set(key, rateOn(this.input.rates, from, to, date)?.rate)
    return this.ratesOf.get(key)
  }

  private rate(out: Leg, to: Currency.Currency): Decimal.Decimal | undefined {
    return this.rateFor(out.currency, to, out.date)
  }

  /** Days on which no business is done count as the next one on which it is. */
  private businessDays(out: Leg, into: Leg): number {
    const key = out.day * 128 + (into.day - out.day + 64)
    let days = this.lags.get(key)
    if (days === undefined) {
      const { calendar } = this.input
      const on = (date: CalendarDate.CalendarDate) =>
        isBusinessDay(calendar, date) ? date : shift(calendar, date, "following")
      days = businessDaysBetween(calendar, on(out.date), on(into.date))
      this.lags.set(key, days)
    }
    return days
  }

  private agreeing(out: Leg, into: Leg, { band, rate }: Fit): { readonly all: number; readonly agreeing: number } {
    const { config, strangers } = this.input
    const count = (least: number, most: number) => strangers.count(into.currency, out.accountId, least, most)
    if (band === "exact") return count(out.units, out.units)
    if (band === "fee") return count(Math.ceil(out.units - this.mostMissing(out)), out.units - 1)
    const middle = out.units * Number(rate)
    return count(Math.ceil(middle * (1 - config.fx.under / 100)), Math.floor(middle * (1 + config.fx.over / 100)))
  }

  private penalty(out: Leg, into: Leg, { band, rate }: Fit): number {
    if (band === "exact") return 0
    if (band === "fx") return ratePenalty(1 - into.units / (out.units * Number(rate)))
    if (this.input.lessons.knowsFee(out, into)) return 0
    return (out.units - into.units) % (unitsPerOne / 2) === 0 ? 50 : 300
  }

  /** Records with the code around the outflow. */
  private recordsWith(code: string): ReadonlyArray<Leg> {
    let legs = this.withCode.get(code)
    if (legs === undefined) {
      const all = [...this.input.legs.outflows.all, ...this.input.legs.inflows.all]
      legs = all.filter((leg) => this.input.legs.codesOf(leg).has(code))
      this.withCode.set(code, legs)
    }
    return legs
  }

  private hasSharedCode(out: Leg, into: Leg): boolean {
    const { legs } = this.input
    const others = legs.codesOf(into)
    if (others.size === 0) return false
    const { after, before } = legs.window
    for (const code of legs.codesOf(out)) {
      if (!others.has(code)) continue
      const near = this.recordsWith(code).filter(({ day }) => day >= out.day - before && day <= out.day + after)
      if (near.length <= mostWithCode) return true
    }
    return false
  }

  /** What speaks for a pair; `fit` says what its amounts are. */
  score(out: Leg, into: Leg, fit: Fit): ScoredPair {
    const { legs, lessons } = this.input
    const [outSigns, inSigns] = [legs.signsOf(out), legs.signsOf(into)]
    const { after, before } = legs.window
    const rivals = Math.max(1, this.likely.count(into.currency, out.accountId, out.day - before, out.day + after))
    const { agreeing, all } = this.agreeing(out, into, fit)
    const lesson = lessons.isEmpty ? noLesson : lessons.counts(out, into)
    const counts = {
      rivals,
      strangers: all,
      agreeing,
      chance: fit.band === "exact" ? roundness(out.units) : fit.band === "fee" ? feeChance : fxChance,
      penalty: this.penalty(out, into, fit),
      businessDays: this.businessDays(out, into),
      textOut: textWeight(out, outSigns, into.accountId, inSigns),
      textIn: textWeight(into, inSigns, out.accountId, outSigns),
      ...lesson
    }
    const parts = {
      prior: priorPart(rivals),
      amount: amountPart(fit.band, counts),
      lag: lagPart(counts.businessDays),
      text: textPart(counts.textOut, counts.textIn),
      reference: this.hasSharedCode(out, into) ? referencePoints : 0,
      provider: providerPart(outSigns.hint, inSigns.hint),
      pair: pairPart(lesson)
    }
    return {
      out: sideOf(out),
      in: sideOf(into),
      band: fit.band,
      parts,
      counts,
      score: partsSum(parts),
      ...(fit.rate === undefined ? {} : { rate: fit.rate }),
      ...(out.mirror || into.mirror ? { mirror: true as const } : {})
    }
  }
}
