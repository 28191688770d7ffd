/** The series among the payments of one merchant in one direction and currency (enrichments D3.2 to D3.5). */
import { cadenceOf, endingDays } from "./Cadence.ts"
import { bitsOf, type Fit, fitBest, fitCadence } from "./Fit.ts"
import { byTime, type Lane, lanesOf, type Observation } from "./Lanes.ts"
import { type Levels, levelsOf, variationOf } from "./Levels.ts"
import { nearestSlot, type Rhythm, slotDay } from "./Rhythm.ts"
import type { SlotCalendar } from "./SlotCalendar.ts"

export interface Hit {
  readonly observation: Observation
  readonly slot: number
  /** Days behind the slot; negative when before. */
  readonly residual: number
}

export interface Found {
  readonly rhythm: Rhythm
  /** In the order of time, at least one. */
  readonly hits: ReadonlyArray<Hit>
  readonly levels: Levels
  /** Slots from the first hit to the last. */
  readonly slots: number
  /** Observations of the lane, and days from its first to its last. */
  readonly observations: number
  readonly span: number
  readonly meanResidual: number
  readonly residual90: number
  readonly bits: number
  readonly score: number
}

const mostSeries = 4
const lengthBonus = 50
const longRows = 24
const stepRatio = 0.47

const dayOf = ({ day }: Observation): number => day

const foundOf = (fit: Fit, lane: ReadonlyArray<Observation>): Found => {
  const hits = fit.hits.map(({ at, residual, slot }) => ({ observation: lane[at]!, slot, residual }))
  const { bits, meanResidual, residual90, rhythm, score, slots } = fit
  return {
    rhythm,
    hits,
    levels: levelsOf(hits.map(({ observation }) => observation.amount)),
    slots,
    observations: lane.length,
    span: lane.at(-1)!.day - lane[0]!.day,
    meanResidual,
    residual90,
    bits,
    score
  }
}

/** Two of a half or whole year cannot exclude chance by their days alone: nearly the same day and amount together do. */
const pairBits = 12.3

const isPairOfYears = (fit: Fit, lane: ReadonlyArray<Observation>, rows: number): boolean => {
  const [a, b] = fit.hits
  if (a === undefined || b === undefined || fit.hits.length !== 2 || fit.slots !== 2 || lane.length !== 2 || rows > 3) {
    return false
  }
  const { leastHits, period } = cadenceOf(fit.rhythm.cadence)
  if (leastHits > 2) return false
  const [before, after] = [lane[0]!.amount, lane[1]!.amount]
  if (variationOf([before, after]) > 0.15) return false
  const byDay = Math.log2(period / (2 * Math.abs(b.residual - a.residual) + 1))
  const byAmount = -Math.log2(Math.abs(Math.log(after / before)) + 0.01)
  return byDay + byAmount >= pairBits
}

const longPeriod = 45

/**
 * Amounts that vary need more hits and fewer gaps. So do lanes that are one of several of a merchant, and cadences for which
 * few payments are enough: the more is tried, the more comes about by chance.
 */
const amountsHold = ({ bits, hits, levels, rhythm, slots }: Found, tried: number): boolean => {
  if (levels.kind === "fixed") return true
  const rate = hits.length / slots
  const surplus = bits - Math.log2(tried) - (cadenceOf(rhythm.cadence).period > longPeriod ? 3 : 0)
  if (levels.kind === "stepped") return surplus >= 5
  if (levels.kind === "variable") return rate >= 0.85 && surplus >= 6
  return hits.length >= 5 && rate >= 0.9 && surplus >= 8
}

/** `lanes`: how many of the merchant are tried besides all of its payments. */
const fitLane = (lane: Lane, rows: number, lanes: number, slots: SlotCalendar): Found | undefined => {
  const { bonus, observations } = lane
  const fit = fitBest(observations.map(dayOf), slots, (one) =>
    one.hits.length > 2 ? one.accepted : isPairOfYears(one, observations, rows)
  )
  if (fit === undefined) return undefined
  const found = foundOf(fit, observations)
  if (found.hits.length > 2 && !amountsHold(found, observations.length === rows ? 1 : lanes)) return undefined
  return { ...found, score: fit.score + bonus + lengthBonus * Math.min(1, found.hits.length / longRows) }
}

const better = (a: Found | undefined, b: Found): Found =>
  a === undefined ||
  b.score > a.score ||
  (b.score === a.score && byTime(b.hits[0]!.observation, a.hits[0]!.observation) < 0)
    ? b
    : a

/** Takes the best lane as a series as long as there is one; what is left are single payments. */
const extract = (all: ReadonlyArray<Observation>, room: number, rows: number, slots: SlotCalendar): Array<Found> => {
  const series: Array<Found> = []
  let left = all
  const fewest = rows <= 3 ? 2 : 3
  while (series.length < room) {
    let best: Found | undefined
    const lanes = lanesOf(left, fewest)
    for (const lane of lanes) {
      const found = fitLane(lane, rows, lanes.length, slots)
      if (found !== undefined) best = better(best, found)
    }
    if (best === undefined) break
    series.push(best)
    const taken = new Set(best.hits.map(({ observation }) => observation))
    left = left.filter((one) => !taken.has(one))
  }
  return series
}

/** Observations that are one series whatever the figures say: with the best rhythm that there is for them. */
export const seriesOf = (observations: ReadonlyArray<Observation>, rhythm: Rhythm, slots: SlotCalendar): Found => {
  const all = observations.toSorted(byTime)
  const days = all.map(dayOf)
  const fit = fitBest(days, slots, () => true, false) ?? fitCadence(days, cadenceOf(rhythm.cadence), slots, false)
  const used = fit?.rhythm ?? rhythm
  const hits = all.map((observation): Hit => {
    const slot = nearestSlot(used, observation.day, slots)
    return { observation, slot, residual: observation.day - slotDay(used, slot, slots) }
  })
  const off = hits.map(({ residual }) => Math.abs(residual)).toSorted((a, b) => a - b)
  const span = days.at(-1)! - days[0]!
  const residual90 = off[Math.ceil(0.9 * off.length) - 1]!
  return {
    rhythm: used,
    hits,
    levels: levelsOf(all.map(({ amount }) => amount)),
    slots: hits.at(-1)!.slot - hits[0]!.slot + 1,
    observations: all.length,
    span,
    meanResidual: off.reduce((sum, one) => sum + one, 0) / off.length,
    residual90,
    bits: bitsOf(all.length, all.length, span, residual90),
    score: fit?.score ?? 0
  }
}

const lastOf = ({ hits }: Found): Observation => hits.at(-1)!.observation
const firstOf = ({ hits }: Found): Observation => hits[0]!.observation

const levelAtEnd = ({ hits, levels }: Found): number => levels.levels.at(-1)?.amount ?? hits.at(-1)!.observation.amount

/** Whether what begins on one account goes on with what ended on another: a card was replaced. */
const goesOn = (before: Found, after: Observation, slots: SlotCalendar): boolean => {
  const { period, tolerance } = cadenceOf(before.rhythm.cadence)
  const last = lastOf(before)
  if (after.accountId === last.accountId || after.day <= last.day || after.day - last.day > 1.5 * period) return false
  const slot = nearestSlot(before.rhythm, after.day, slots)
  if (slot <= before.hits.at(-1)!.slot) return false
  if (Math.abs(after.day - slotDay(before.rhythm, slot, slots)) > tolerance) return false
  return Math.abs(Math.log(after.amount / levelAtEnd(before))) <= stepRatio
}

const joined = (a: Found, more: ReadonlyArray<Observation>, slots: SlotCalendar): Found => {
  const all = [...a.hits.map(({ observation }) => observation), ...more].toSorted(byTime)
  const fit = fitCadence(all.map(dayOf), cadenceOf(a.rhythm.cadence), slots)
  return fit === undefined || fit.hits.length < all.length ? seriesOf(all, a.rhythm, slots) : foundOf(fit, all)
}

/** Joins series, and single payments, with those that ended on another account. */
const acrossAccounts = (series: ReadonlyArray<Found>, all: ReadonlyArray<Observation>, slots: SlotCalendar) => {
  const joinable = series.toSorted((a, b) => byTime(firstOf(a), firstOf(b)))
  const done: Array<Found> = []
  for (const one of joinable) {
    const at = done.findIndex(
      (before) => before.rhythm.cadence === one.rhythm.cadence && goesOn(before, firstOf(one), slots)
    )
    if (at < 0) done.push(one)
    else {
      done[at] = joined(
        done[at]!,
        one.hits.map(({ observation }) => observation),
        slots
      )
    }
  }
  const taken = new Set(done.flatMap(({ hits }) => hits.map(({ observation }) => observation)))
  for (const single of all) {
    if (taken.has(single)) continue
    const at = done.findIndex((before) => goesOn(before, single, slots) || goesOnBeside(before, single, slots))
    if (at < 0) continue
    done[at] = joined(done[at]!, [single], slots)
    taken.add(single)
  }
  return done
}

/** The same for the second and further payments on the new account, as long as they are too few for a series. */
const goesOnBeside = (before: Found, after: Observation, slots: SlotCalendar): boolean => {
  const last = lastOf(before)
  if (after.accountId !== last.accountId || firstOf(before).accountId === last.accountId) return false
  return goesOn(before, { ...after, accountId: "" }, slots)
}

/** Series of what is in order of time, at most four; which one comes first follows from their first payments. */
export const findSeries = (all: ReadonlyArray<Observation>, slots: SlotCalendar): ReadonlyArray<Found> => {
  if (all.length < 2) return []
  const accounts = [...Map.groupBy(all, ({ accountId }) => accountId)].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const rows = all.length
  let series: ReadonlyArray<Found> = accounts
    .flatMap(([, own]) => extract(own, mostSeries, rows, slots))
    .toSorted((a, b) => b.score - a.score || byTime(firstOf(a), firstOf(b)))
    .slice(0, mostSeries)
  if (accounts.length > 1) {
    series = acrossAccounts(series, all, slots)
    if (series.length < mostSeries) {
      const taken = new Set(series.flatMap(({ hits }) => hits.map(({ observation }) => observation)))
      const left = all.filter((one) => !taken.has(one))
      series = [...series, ...extract(left, mostSeries - series.length, rows, slots)]
    }
  }
  return series.toSorted((a, b) => byTime(firstOf(a), firstOf(b)))
}

/** Whether so much time lies between two payments that the series was over. */
export const wasOver = ({ rhythm }: Found, from: number, to: number): boolean =>
  to - from > endingDays(cadenceOf(rhythm.cadence))
