/** Series with what people said of them, and the state that they are in today (enrichments D3.6). */
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import { type Cadence, type CadenceName, cadenceOf, endingDays } from "./Cadence.ts"
import type { Forecastable } from "./Forecast.ts"
import type { Direction, MerchantPayments, Payment } from "./Payments.ts"
import { nearestSlot, slotAfter, slotDay } from "./Rhythm.ts"
import { findSeries, type Found, type Hit, seriesOf } from "./SeriesFinder.ts"
import { heir, type SeriesDecisions } from "./SeriesFacts.ts"
import type { SlotCalendar } from "./SlotCalendar.ts"

export type SeriesState = "early" | "mature" | "late" | "ended"

/** A payment of a series. One that is pending has come, and is not measured by. */
export interface Member {
  readonly recordId: string
  readonly day: number
  readonly amount: number
  readonly accountId: string
  readonly slot: number
  readonly residual: number
  readonly pending: boolean
}

export interface PriceChange {
  /** Place of the first member that costs something else. */
  readonly at: number
  readonly before: number
  readonly after: number
  /** One payment alone says so. */
  readonly provisional: boolean
}

export interface Series {
  readonly cluster: string
  readonly direction: Direction
  readonly cadence: CadenceName
  /** Among those of the merchant with that cadence, by their first payments. */
  readonly ordinal: number
  readonly name: string | undefined
  readonly found: Found
  readonly members: ReadonlyArray<Member>
  readonly changes: ReadonlyArray<PriceChange>
  readonly confirmed: boolean
  readonly state: SeriesState
  /** Of the next payment. */
  readonly expectedSlot: number
  readonly expectedDay: number
  /** First days on which it is late, and over, if nothing comes. */
  readonly lateFrom: number
  readonly endedFrom: number
  /** The next day on which the state changes by itself. */
  readonly due: number | undefined
}

export interface SeriesRules {
  readonly today: number
  readonly graceDays: number
  readonly amountChangePercent: number
  /** The last day for which an account has been read; `undefined` where nobody knows. */
  readonly syncedOn: (accountId: string) => number | undefined
}

const stepRatio = 0.47

const idsOf = ({ hits }: Found): ReadonlySet<string> => new Set(hits.map(({ observation }) => observation.recordId))

/** Applies what people said: none, two, or one. */
const worded = (
  found: ReadonlyArray<Found>,
  all: ReadonlyArray<Payment>,
  { merges, rejected, splits }: SeriesDecisions,
  slots: SlotCalendar
): ReadonlyArray<Found> => {
  let series = [...found]
  const byId = new Map(all.map((one) => [one.recordId, one]))
  for (const { a, b } of merges) {
    const [left, right] = [byId.get(a), byId.get(b)]
    if (left === undefined || right === undefined) continue
    const [one, other] = [a, b].map((id) => series.find((each) => idsOf(each).has(id)))
    if (one !== undefined && one === other) continue
    const observations = [
      ...(one?.hits.map(({ observation }) => observation) ?? [left]),
      ...(other?.hits.map(({ observation }) => observation) ?? [right])
    ]
    const longer = (one?.hits.length ?? 0) >= (other?.hits.length ?? 0) ? one : other
    const rhythm = longer?.rhythm ?? { cadence: "monthly", phase: 0, days: [slots.dayIn(left.day)], shift: "none" }
    series = [...series.filter((each) => each !== one && each !== other), seriesOf(observations, rhythm, slots)]
  }
  for (const { a, b } of splits) {
    const [left, right] = [byId.get(a), byId.get(b)]
    const at = series.findIndex((each) => idsOf(each).has(a) && idsOf(each).has(b))
    if (left === undefined || right === undefined || at < 0) continue
    const later = left.day > right.day || (left.day === right.day && a > b) ? a : b
    const { hits, rhythm } = series[at]!
    const cut = hits.findIndex(({ observation }) => observation.recordId === later)
    const parts = [hits.slice(0, cut), hits.slice(cut)].map((part) =>
      seriesOf(
        part.map(({ observation }) => observation),
        rhythm,
        slots
      )
    )
    series.splice(at, 1, ...parts)
  }
  for (const id of rejected) series = series.filter((each) => !idsOf(each).has(id))
  return series.toSorted((a, b) => {
    const [x, y] = [a.hits[0]!.observation, b.hits[0]!.observation]
    return x.day - y.day || (x.recordId < y.recordId ? -1 : 1)
  })
}

const memberOf = ({ observation, residual, slot }: Hit): Member => {
  const { accountId, amount, day, recordId } = observation
  return { recordId, accountId, amount, day, slot, residual, pending: false }
}

/** Pending payments that are the next ones of a series. */
const arrivalsOf = (
  found: Found,
  pending: ReadonlyArray<Payment>,
  /** Those that came in another series. */
  taken: Set<string>,
  slots: SlotCalendar
): ReadonlyArray<Member> => {
  const { levels, rhythm } = found
  const { tolerance } = cadenceOf(rhythm.cadence)
  const last = found.hits.at(-1)!
  const level = levels.levels.at(-1)?.amount ?? last.observation.amount
  let slot = last.slot
  const arrivals: Array<Member> = []
  for (const { accountId, amount, day, recordId } of pending) {
    const near = nearestSlot(rhythm, day, slots)
    const residual = day - slotDay(rhythm, near, slots)
    if (
      taken.has(recordId) ||
      near <= slot ||
      Math.abs(residual) > tolerance ||
      Math.abs(Math.log(amount / level)) > stepRatio
    )
      continue
    slot = near
    taken.add(recordId)
    arrivals.push({ recordId, accountId, amount, day, slot, residual, pending: true })
  }
  return arrivals
}

const changesOf = ({ hits, levels }: Found, percent: number): ReadonlyArray<PriceChange> =>
  levels.levels.slice(1).flatMap(({ amount, from }, n) => {
    const before = levels.levels[n]!.amount
    if (amount === before || Math.abs(amount - before) * 100 < percent * before) return []
    return [{ at: from, before, after: amount, provisional: from === hits.length - 1 }]
  })

const stateOf = (
  members: ReadonlyArray<Member>,
  hits: number,
  cadence: Cadence,
  confirmed: boolean,
  endedOn: number | undefined,
  expectedDay: number,
  { graceDays, syncedOn, today }: SeriesRules
): Pick<Series, "state" | "lateFrom" | "endedFrom" | "due"> => {
  const last = members.at(-1)!
  const lateFrom = expectedDay + cadence.tolerance + graceDays + 1
  const endedFrom = Math.max(last.day + endingDays(cadence) + 1, lateFrom)
  if (endedOn !== undefined && last.day <= endedOn) {
    const isOver = endedOn <= today
    if (isOver) return { state: "ended", lateFrom, endedFrom: endedOn, due: undefined }
  }
  const synced = syncedOn(last.accountId)
  const isSeen = (day: number): boolean => today >= day && (synced === undefined || synced >= day)
  const state = isSeen(endedFrom)
    ? "ended"
    : isSeen(lateFrom)
      ? "late"
      : confirmed || hits >= cadence.matureHits
        ? "mature"
        : "early"
  const next = [lateFrom, endedFrom].filter((day) => !isSeen(day))
  const byWord = endedOn !== undefined && endedOn > today ? [endedOn] : []
  const due = state === "ended" ? undefined : Math.min(...next.map((day) => Math.max(day, today + 1)), ...byWord)
  return { state, lateFrom, endedFrom, due: due === Number.POSITIVE_INFINITY ? undefined : due }
}

/** All series of a merchant, as they are today. */
export const seriesOfMerchant = (
  { cluster, direction, pending, posted }: MerchantPayments,
  words: SeriesDecisions,
  rules: SeriesRules,
  slots: SlotCalendar
): ReadonlyArray<Series> => {
  const found = worded(findSeries(posted, slots), posted, words, slots)
  const taken = new Set<string>()
  const members = found.map((one) => [...one.hits.map(memberOf), ...arrivalsOf(one, pending, taken, slots)])
  const ids = members.map((some) => new Set(some.map(({ recordId }) => recordId)))
  const names = new Map(words.names.map(({ anchors, value }) => [heir(ids, anchors), value]))
  const ends = new Map(words.ends.map(({ anchors, value }) => [heir(ids, anchors), value]))
  const counts = new Map<CadenceName, number>()
  return found.map((one, n): Series => {
    const { rhythm } = one
    const cadence = cadenceOf(rhythm.cadence)
    const ordinal = counts.get(cadence.name) ?? 0
    counts.set(cadence.name, ordinal + 1)
    const own = members[n]!
    const last = own.at(-1)!
    const end = ends.get(n)
    const endedOn = end === undefined || !CalendarDate.is(end) ? undefined : CalendarDate.toEpochDay(end)
    const confirmed = own.some(({ recordId }) => words.confirmed.has(recordId))
    const expectedSlot = slotAfter(rhythm, last.slot + 1, last.day, slots)
    const expectedDay = slotDay(rhythm, expectedSlot, slots)
    return {
      cluster,
      direction,
      cadence: cadence.name,
      ordinal,
      name: names.get(n),
      found: one,
      members: own,
      changes: changesOf(one, rules.amountChangePercent),
      confirmed,
      expectedSlot,
      expectedDay,
      ...stateOf(own, one.hits.length, cadence, confirmed, endedOn, expectedDay, rules)
    }
  })
}

export const forecastable = ({ found, members }: Series): Forecastable => {
  const last = members.at(-1)!
  return {
    rhythm: found.rhythm,
    lastSlot: last.slot,
    lastDay: last.day,
    residual90: found.residual90,
    levels: found.levels,
    payments: found.hits.map(({ observation }) => observation)
  }
}
