/** What it costs to take an observation for a record, in whole points by part (enrichments D1). */
import * as Decimal from "../../shared/Decimal.ts"
import { amountRatio, comparePercent, pointsOfChange, type AmountRatio } from "./AmountRatio.ts"
import type { MatchConfig } from "./Matching.ts"
import { likeness, type MatchRow } from "./MatchRow.ts"
import { convertedRatio, ratePercent } from "./OtherCurrency.ts"
import type { RateTable } from "../../shared/RateTable.ts"

/** What a record of its own costs: a pair must cost less. */
export const unmatchedCost = 1_000

/** Days by which a posted row may be dated before its pending form. */
export const earlyDays = 2

/** Days in which another row of the same amount makes a pair doubtful. */
export const twinDays = 30

/** Two sources of one account may date an event so many days apart. */
export const sourceDays = 3

export interface HeldRow extends MatchRow {
  /** It was dropped or removed before. */
  readonly removed: boolean
  /** The source says in this read that it is gone. */
  readonly listed: boolean
  /** The read would have shown it, were it still there as we hold it. */
  readonly absent: boolean
}

export interface PairContext {
  /** Both have the same upstream id, of a kind that is renumbered. */
  readonly sameId: boolean
  /** Another live row with the amount of this one is known within `twinDays`. */
  readonly amountElsewhere: () => boolean
  /** Stored rates; none unless given. */
  readonly rates?: RateTable | undefined
}

export interface PairCost {
  readonly cost: number
  /** Points by part; the parts add up to the cost, or to less than zero. */
  readonly parts: Readonly<Record<string, number>>
  readonly amountChanged: boolean
  /** Only a person can tell. */
  readonly isOpen?: true
}

interface Band {
  readonly name: "tip" | "partialCapture" | "hold" | "rerating" | "correction"
  readonly points: number
}

const twentyFive = 25n
const one = Decimal.make("1")

const isHoldAmount = (amount: Decimal.Decimal): boolean => {
  const size = Decimal.abs(amount)
  return Decimal.compare(size, one) <= 0 || (Decimal.scale(size) === 0 && BigInt(size) % twentyFive === 0n)
}

/** Differences of amounts that one event can have; the cheapest is last. */
const bandsOf = (
  observed: MatchRow,
  held: MatchRow,
  ratio: AmountRatio,
  alike: number,
  config: MatchConfig
): ReadonlyArray<Band> => {
  const bands: Array<Band> = []
  const more = comparePercent(ratio, 100)
  if (held.pending && more > 0 && alike >= 0.4 && comparePercent(ratio, 100 + config.tipBandPercent) <= 0) {
    bands.push({ name: "tip", points: 250 + pointsOfChange(ratio, 1_000) })
  }
  if (more < 0 && alike >= 0.6 && comparePercent(ratio, 50) >= 0) {
    bands.push({ name: "partialCapture", points: 400 + pointsOfChange(ratio, 800) })
  }
  if (held.pending && config.holds && alike >= 0.6 && isHoldAmount(held.amount)) {
    bands.push({ name: "hold", points: 650 })
  }
  if (
    (observed.foreign || held.foreign) &&
    alike >= 0.4 &&
    comparePercent(ratio, 96) >= 0 &&
    comparePercent(ratio, 104) <= 0
  ) {
    bands.push({ name: "rerating", points: 200 + pointsOfChange(ratio, 5_000) })
  }
  const isBookedAgain = !observed.pending && !held.pending && observed.day === held.day
  if (isBookedAgain && alike >= 0.9 && comparePercent(ratio, 98) >= 0 && comparePercent(ratio, 102) <= 0) {
    bands.push({ name: "correction", points: 200 + pointsOfChange(ratio, 5_000) })
  }
  return bands.toSorted((a, b) => b.points - a.points)
}

/** Points of a gap of `gap` days, or `undefined` where it is too wide. */
const dateCost = (
  observed: MatchRow,
  held: HeldRow,
  gap: number | undefined,
  window: number,
  config: MatchConfig
): number | undefined => {
  const settles = held.pending && !observed.pending
  if (gap === undefined) return settles ? 50 : undefined
  if (!settles) return Math.abs(gap) > config.shiftDays ? undefined : 120 * Math.abs(gap)
  if (gap < -earlyDays || gap > window) return undefined
  return gap >= 0 ? 15 * gap + 3 * gap * gap : 80 * -gap
}

/** Whether the amounts alone rule a pair out: nearly all pairs, told fast. */
export const isFar = (observed: MatchRow, held: MatchRow): boolean => {
  if (observed.amount === held.amount) return false
  const [now, before] = [observed.units, held.units]
  if (now > 0 !== before > 0 && now !== 0 && before !== 0) return !Number.isNaN(now + before)
  if (held.pending) return false
  // What is booked may become less, and more only by the rate of a currency. A comparison with NaN is false.
  return Math.abs(now) > Math.abs(before) * 1.05 || Math.abs(now) * 2.01 < Math.abs(before)
}

/**
 * The cost of a pair whose pending form is in another currency. Rates decide where they are stored; without them a like text
 * makes it a question.
 */
const otherCurrencyCost = (
  observed: MatchRow,
  held: HeldRow,
  gap: number | undefined,
  config: MatchConfig,
  rates: RateTable | undefined
): PairCost | undefined => {
  if (observed.pending || !held.pending || !held.absent) return undefined
  const date = dateCost(observed, held, gap, config.changedWindowDays, config)
  if (date === undefined) return undefined
  const alike = likeness(observed, held)
  if (alike < 0.6) return undefined
  const ratio = convertedRatio(observed, held, rates)
  const isWithin = (percent: number): boolean =>
    ratio !== undefined && comparePercent(ratio, 100 - percent) >= 0 && comparePercent(ratio, 100 + percent) <= 0
  const agrees = isWithin(ratePercent)
  // A tip may have been added; what differs by more is another event.
  if (ratio !== undefined && !agrees && !isWithin(config.tipBandPercent)) return undefined
  const parts = {
    date,
    text: Math.round(700 * (1 - alike)),
    currency: agrees ? 200 + pointsOfChange(ratio!, 5_000) : 400,
    ...(held.removed ? { revived: 150 } : {}),
    ...(held.listed ? { listedAsRemoved: -100 } : {})
  }
  const cost = Object.values(parts).reduce((sum, points) => sum + points, 0)
  if (cost >= unmatchedCost) return undefined
  return { cost, parts, amountChanged: true, ...(agrees ? {} : { isOpen: true }) }
}

/** The cost of a pair, or `undefined` where it cannot be one event. */
export const pairCost = (
  observed: MatchRow,
  held: HeldRow,
  config: MatchConfig,
  context: PairContext
): PairCost | undefined => {
  const sign = Decimal.sign(observed.amount)
  // A zero says nothing about which event it is.
  if (sign === 0 || sign !== Decimal.sign(held.amount)) return undefined
  if (observed.pending && !held.pending) return undefined
  const gap = observed.day === undefined || held.day === undefined ? undefined : observed.day - held.day
  if (observed.currency !== held.currency) return otherCurrencyCost(observed, held, gap, config, context.rates)
  if (dateCost(observed, held, gap, config.exactWindowDays, config) === undefined) return undefined
  const amountChanged = observed.amount !== held.amount
  const posted = !observed.pending && !held.pending
  // A posted row that may well be there still does not become another one.
  if (amountChanged && posted && !held.absent) return undefined
  const ratio = amountChanged ? amountRatio(observed.amount, held.amount) : undefined
  // Texts are compared last, and only where the best of them would do.
  if (ratio !== undefined && bandsOf(observed, held, ratio, 1, config).length === 0) return undefined
  const alike = likeness(observed, held)

  const parts: Record<string, number> = {}
  let band: Band | undefined
  if (ratio !== undefined) {
    const [outside, inside] = [config.exactWindowDays, config.changedWindowDays].map(
      (window) => dateCost(observed, held, gap, window, config) !== undefined
    )
    band = bandsOf(observed, held, ratio, alike, config).findLast(({ name }) => (name === "hold" ? outside : inside))
    if (band === undefined) return undefined
  }
  parts["date"] = dateCost(observed, held, gap, config.exactWindowDays, config)!
  parts["text"] = Math.round(700 * (1 - alike))
  if (band === undefined) {
    parts["amount"] = 0
    const moved = posted && gap !== 0 && !held.absent
    if ((moved || alike < 0.2) && context.amountElsewhere()) {
      if (moved) return undefined
      if (alike < 0.2) parts["amountElsewhere"] = 400
    }
    // What came on the day of what is gone, at its amount, is the same in whatever words.
    if (posted && alike < 0.5 && !(held.absent && gap === 0)) parts["unlikeText"] = 400
  } else parts[band.name] = band.points
  if (held.removed) parts["revived"] = 150
  if (held.pending && !held.absent && !held.removed) parts["pendingUnclear"] = 200
  if (held.listed) parts["listedAsRemoved"] = -100
  if (context.sameId) parts["samePosition"] = -50
  const total = Object.values(parts).reduce((sum, points) => sum + points, 0)
  return total >= unmatchedCost ? undefined : { cost: Math.max(0, total), parts, amountChanged }
}
