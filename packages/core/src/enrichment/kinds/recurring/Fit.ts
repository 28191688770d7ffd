/** Which rhythm the days of some observations follow best (enrichments D3.3, D3.4). */
import { type ShiftPolicy, shiftPolicies } from "../../../shared/BusinessCalendar.ts"
import { type Cadence, cadences } from "./Cadence.ts"
import { type Rhythm, slotDay, slotNear } from "./Rhythm.ts"
import { type SlotCalendar, weekdayOfDay } from "./SlotCalendar.ts"

export interface Fit {
  readonly rhythm: Rhythm
  /** Places of the observations that meet a slot, with the slot and how many days they are behind it; by slot. */
  readonly hits: ReadonlyArray<{ readonly at: number; readonly slot: number; readonly residual: number }>
  /** From the first hit to the last. */
  readonly slots: number
  readonly meanResidual: number
  /** 90 of 100 hits are no farther off. */
  readonly residual90: number
  /** Against chance. */
  readonly bits: number
  readonly score: number
  /** Whether there are enough hits, few gaps, few strays, and no chance. */
  readonly accepted: boolean
}

const leastHitRate = 0.8
const mostUnmatched = 0.2
const leastBits = 5
const commonest = 6
const mostAnchors = 60

/** The most frequent first, the smaller of equals first. */
const byFrequency = (values: Iterable<number>): ReadonlyArray<number> => {
  const counts = new Map<number, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].toSorted(([a, m], [b, n]) => n - m || a - b).map(([value]) => value)
}

const remainder = (value: number, by: number): number => ((value % by) + by) % by

const percentile90 = (sorted: ReadonlyArray<number>): number => sorted[Math.ceil(0.9 * sorted.length) - 1] ?? 0

/** How often hits of that many observations, each at most `residual90` off, come about by chance. */
export const bitsOf = (hits: number, observations: number, span: number, residual90: number): number => {
  const chance = Math.min(1, (observations / (span + 1)) * (2 * residual90 + 1))
  return (hits - 1) * Math.log2(1 / chance)
}

/** What a rhythm makes of the days, which are in order; `undefined` where more than `mostStrays` meet no slot. */
const attach = (
  days: ReadonlyArray<number>,
  rhythm: Rhythm,
  { tolerance }: Cadence,
  slots: SlotCalendar,
  mostStrays: number
): Fit["hits"] | undefined => {
  const hits: Array<{ at: number; slot: number; residual: number }> = []
  let strays = 0
  for (let at = 0; at < days.length; at++) {
    const day = days[at]!
    const near = slotNear(rhythm, day, slots)
    let slot = 0
    let residual = Number.POSITIVE_INFINITY
    for (let candidate = near - 1; candidate <= near + 2; candidate++) {
      const off = day - slotDay(rhythm, candidate, slots)
      if (Math.abs(off) < Math.abs(residual)) [slot, residual] = [candidate, off]
      if (off < 0) break
    }
    const last = hits.at(-1)
    if (Math.abs(residual) > tolerance || (last !== undefined && slot < last.slot)) strays++
    else if (last !== undefined && last.slot === slot) {
      strays++
      if (Math.abs(residual) < Math.abs(last.residual)) hits[hits.length - 1] = { at, slot, residual }
    } else hits.push({ at, slot, residual })
    if (strays > mostStrays) return undefined
  }
  return hits
}

const judged = (days: ReadonlyArray<number>, rhythm: Rhythm, cadence: Cadence, hits: Fit["hits"]): Fit | undefined => {
  const [first, last] = [hits[0], hits.at(-1)]
  if (first === undefined || last === undefined) return undefined
  const count = hits.length
  const slots = last.slot - first.slot + 1
  const off = hits.map(({ residual }) => Math.abs(residual)).toSorted((a, b) => a - b)
  const meanResidual = off.reduce((sum, one) => sum + one, 0) / count
  const residual90 = percentile90(off)
  const strays = (days.length - count) / days.length
  const bits = bitsOf(count, days.length, days.at(-1)! - days[0]!, residual90)
  const score =
    1_000 *
    (count / slots -
      0.5 * strays -
      (0.3 * meanResidual) / cadence.tolerance +
      0.1 * Math.min(1, count / 12) -
      (rhythm.shift === "none" ? 0 : 0.01))
  return {
    rhythm,
    hits,
    slots,
    meanResidual,
    residual90,
    bits,
    // Sums of doubles are compared as whole milli-points.
    score: Math.round(score * 1_000) / 1_000,
    accepted:
      count >= cadence.leastHits && count / slots >= leastHitRate && strays <= mostUnmatched && bits >= leastBits
  }
}

const dayAnchors = (days: ReadonlyArray<number>, slots: SlotCalendar): ReadonlyArray<number> => {
  const seen = byFrequency(days.map((day) => slots.dayIn(day))).slice(0, commonest)
  return seen.includes(31) ? seen : [...seen, 31]
}

const pairAnchors = (days: ReadonlyArray<number>, slots: SlotCalendar): ReadonlyArray<readonly [number, number]> => {
  const seen = byFrequency(days.map((day) => slots.dayIn(day)))
    .slice(0, commonest)
    .toSorted((a, b) => a - b)
  const pairs: Array<readonly [number, number]> = [
    [1, 15],
    [1, 16],
    [15, 31]
  ]
  for (const a of seen) {
    for (const b of seen) {
      if (b - a < 12 || b - a > 18 || pairs.some(([x, y]) => x === a && y === b)) continue
      pairs.push([a, b])
    }
  }
  return pairs
}

/** Anchors of a cadence worth trying, without shifts. */
const anchorsOf = (
  { days: step, months, name }: Cadence,
  days: ReadonlyArray<number>,
  slots: SlotCalendar
): ReadonlyArray<Rhythm> => {
  const plain = { cadence: name, phase: 0, days: [], shift: "none" } as const
  if (step !== undefined) {
    return byFrequency(days.map((day) => remainder(day, step)))
      .slice(0, commonest)
      .map((phase) => ({ ...plain, phase }))
  }
  if (months === 0.5) return pairAnchors(days, slots).map((pair) => ({ ...plain, days: pair }))
  const phases =
    months === 1 ? [0] : byFrequency(days.map((day) => remainder(slots.monthOf(day), months!))).slice(0, commonest)
  return phases
    .flatMap((phase) => dayAnchors(days, slots).map((day) => ({ ...plain, phase, days: [day] })))
    .slice(0, mostAnchors)
}

const better = (a: Fit | undefined, b: Fit | undefined): Fit | undefined =>
  a === undefined || (b !== undefined && Number(b.accepted) - Number(a.accepted) > 0)
    ? b
    : b === undefined || (a.accepted && !b.accepted) || b.score <= a.score
      ? a
      : b

/** The best fit of one cadence; `undefined` where nothing comes near it. `strict` gives up on what cannot be accepted. */
export const fitCadence = (
  days: ReadonlyArray<number>,
  cadence: Cadence,
  slots: SlotCalendar,
  strict = true
): Fit | undefined => {
  const mostStrays = strict ? Math.floor(mostUnmatched * days.length + 1e-9) : days.length
  const most = strict ? mostStrays : days.length - 2
  // Slots between the first and the last day are too few or too many for that many observations.
  const span = days.at(-1)! - days[0]!
  if (strict && (days.length - mostStrays - 1) * cadence.period - 2 * cadence.tolerance - 6 > span) return undefined
  const policies: ReadonlyArray<ShiftPolicy> = cadence.months === undefined ? ["none"] : shiftPolicies
  let best: Fit | undefined
  const attempt = (rhythm: Rhythm): Fit | undefined => {
    const hits = attach(days, rhythm, cadence, slots, most)
    const fit = hits === undefined ? undefined : judged(days, rhythm, cadence, hits)
    best = better(best, fit)
    return fit
  }
  for (const anchor of anchorsOf(cadence, days, slots)) {
    for (const shift of policies) {
      const fit = attempt({ ...anchor, shift })
      // A shift makes nothing better that is exact without one.
      if (shift === "none" && fit?.meanResidual === 0) break
    }
  }
  if (cadence.name === "monthly" && best !== undefined && medianOff(best) >= 1.5) {
    const seen = byFrequency(days.map((day) => Math.ceil(slots.dayIn(day) / 7) * 7 + weekdayOfDay(day))).slice(0, 3)
    for (const one of seen) {
      for (const nth of [Math.floor(one / 7), 5]) {
        const rhythm: Rhythm = {
          cadence: cadence.name,
          phase: 0,
          days: [],
          weekday: { nth, day: one % 7 },
          shift: "none"
        }
        const before: Fit | undefined = best
        const fit = attempt(rhythm)
        if (fit !== undefined && medianOff(fit) > 0.5) best = before
      }
    }
  }
  return best
}

const medianOff = ({ hits }: Fit): number => {
  const off = hits.map(({ residual }) => Math.abs(residual)).toSorted((a, b) => a - b)
  return off[Math.floor((off.length - 1) / 2)]!
}

/** The best fit of all cadences that is accepted by `accepts`; the days are in order. */
export const fitBest = (
  days: ReadonlyArray<number>,
  slots: SlotCalendar,
  accepts: (fit: Fit, cadence: Cadence) => boolean,
  strict = true
): Fit | undefined => {
  let best: Fit | undefined
  let monthly: Fit | undefined
  let fourWeekly: Fit | undefined
  for (const cadence of cadences) {
    if (days.length < cadence.leastHits) continue
    const fit = fitCadence(days, cadence, slots, strict)
    if (fit === undefined || !accepts(fit, cadence)) continue
    if (cadence.name === "monthly") monthly = fit
    if (cadence.name === "fourWeekly") fourWeekly = fit
    if (best === undefined || fit.score > best.score) best = fit
  }
  if (monthly !== undefined && fourWeekly !== undefined && (best === monthly || best === fourWeekly)) {
    return fourWeekly.meanResidual + 1 <= monthly.meanResidual ? fourWeekly : monthly
  }
  return best
}
