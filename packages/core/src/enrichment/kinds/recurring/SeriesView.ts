/** What is said of a series: claims on its payments, events, and what people see as a finding (enrichments C10). */
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import { amountText, type Currency } from "../../../shared/Currency.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import type { Sha256 } from "../../../shared/DerivedId.ts"
import type { PlannedEvent, PlannedFinding, SetClaim } from "../SetKind.ts"
import { cadenceOf } from "./Cadence.ts"
import { forecast, yearFrom } from "./Forecast.ts"
import { type RecurringEvidence, seriesId } from "./RecurringEvidence.ts"
import { rhythmText, slotDay } from "./Rhythm.ts"
import { forecastable, type Member, type Series } from "./Series.ts"
import { wasOver } from "./SeriesFinder.ts"
import { isBusinessDay } from "../../../shared/BusinessCalendar.ts"
import type { SlotCalendar } from "./SlotCalendar.ts"
import {
  recurringArrived,
  recurringDetected,
  recurringEnded,
  recurringLate,
  recurringPriceChanged,
  recurringResumed
} from "./RecurringEvents.ts"
import type { EventType } from "../../../event/EventType.ts"

type Evidence = RecurringEvidence

/** Payments of older days are no news. */
const newsDays = 45
/** Payments by which a series is named to people and in what they decide. */
const anchorCount = 12

export interface ViewContext {
  readonly enrichmentId: string
  readonly currency: Currency
  readonly digits: number
  readonly slots: SlotCalendar
  readonly sha256: Sha256
  readonly today: number
}

const dateOf = CalendarDate.fromEpochDay
const round = (value: number): number => Math.round(value * 1_000) / 1_000

export class SeriesView {
  readonly id: string
  readonly series: Series
  private readonly context: ViewContext
  private readonly rhythm: string

  constructor(series: Series, context: ViewContext) {
    this.series = series
    this.context = context
    this.rhythm = rhythmText(series.found.rhythm)
    this.id = seriesId(context.sha256, this.key())
  }

  private key() {
    const { cadence, cluster, direction, ordinal } = this.series
    const { currency, enrichmentId } = this.context
    return { enrichmentId, cluster, direction, currency, cadence, ordinal }
  }

  /** An amount without a sign. */
  private plain(units: number): Decimal.Decimal {
    return Decimal.fromUnits(BigInt(units), this.context.digits)
  }

  private signed(units: number): Decimal.Decimal {
    const amount = this.plain(units)
    return this.series.direction === "out" ? Decimal.negate(amount) : amount
  }

  get name(): string {
    return this.series.name ?? this.series.cluster
  }

  get head(): Member {
    return this.series.members.at(-1)!
  }

  private expected() {
    const { expectedDay } = this.series
    const source = forecastable(this.series)
    return { source, next: forecast(source, expectedDay, this.context.slots).at(-1)! }
  }

  private measured(): Evidence {
    const { expectedSlot, found } = this.series
    const { slots } = this.context
    const plain = { ...found.rhythm, shift: "none" } as const
    const closed: Array<CalendarDate.CalendarDate> = []
    for (let slot = this.head.slot + 1; slot <= expectedSlot; slot++) {
      const [a, b] = [slotDay(plain, slot, slots), slotDay(found.rhythm, slot, slots)]
      for (let day = Math.min(a, b); day <= Math.max(a, b); day++) {
        const date = dateOf(day)
        if (!isBusinessDay(slots.calendar, date)) closed.push(date)
      }
    }
    return {
      of: "fit",
      rhythm: this.rhythm,
      hits: found.hits.map(
        ({ observation, residual }) => [dateOf(observation.day - residual), dateOf(observation.day)] as const
      ),
      slots: found.slots,
      observations: found.observations,
      span: found.span,
      meanResidual: round(found.meanResidual),
      residual90: found.residual90,
      bits: round(found.bits),
      score: round(found.score),
      levels: found.levels.levels.map(({ amount }) => this.signed(amount)),
      lastSlot: dateOf(slotDay(plain, this.head.slot, slots)),
      lastDate: dateOf(this.head.day),
      closed: found.rhythm.shift === "none" ? [] : closed.toSorted()
    }
  }

  private amountBasis(): readonly [Decimal.Decimal, Evidence] {
    const { digits, slots } = this.context
    const { next, source } = this.expected()
    const level = source.levels.levels.at(-1)?.amount
    const recent = source.payments.slice(-6).map(({ amount }) => amount)
    const middle = recent.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(0.5 * recent.length) - 1)]!
    // The season is kept as what it makes of the middle, so that the amount follows from it to the last digit.
    const season = level === undefined && slots !== undefined ? next.amount / middle : 1
    return [
      this.signed(next.amount),
      {
        of: "amount",
        level: level === undefined ? null : this.signed(level),
        recent: recent.map((units) => this.signed(units)),
        season,
        digits
      }
    ]
  }

  claims(): ReadonlyArray<SetClaim<Evidence>> {
    const { cadence, changes, confirmed, endedFrom, found, lateFrom, members, state } = this.series
    const claims: Array<SetClaim<Evidence>> = []
    const { matureHits } = cadenceOf(cadence)
    const { levels } = found
    const basis: Evidence = {
      of: "state",
      hits: Math.min(found.hits.length, matureHits),
      mature: matureHits,
      confirmed,
      late: state === "late" ? dateOf(lateFrom) : null,
      ended: state === "ended" ? dateOf(endedFrom) : null
    }
    const prices: Evidence = {
      of: "levels",
      levels: levels.levels.map(({ amount }) => this.signed(amount)),
      varies: levels.kind === "variable"
    }
    for (const [at, { day, pending, recordId, residual }] of members.entries()) {
      const add = (field: string, value: string | boolean, evidence: Evidence): void => {
        claims.push({ recordId, field: `recurring.${field}`, value, evidence })
      }
      const slot: Evidence = { of: "slot", rhythm: this.rhythm, slot: dateOf(day - residual), date: dateOf(day) }
      add("seriesId", this.id, { of: "series", ...this.key() })
      add("cadence", cadence, slot)
      add("state", state, basis)
      add("amountKind", levels.kind, prices)
      add("deltaDays", String(residual), slot)
      const change = changes.find((one) => one.at === at)
      if (change !== undefined) {
        const [before, after] = [this.plain(change.before), this.plain(change.after)]
        add("amountDelta", Decimal.subtract(after, before), { of: "change", before, after })
      }
      if (pending || change?.provisional === true) {
        add("provisional", true, { of: "arrival", pending, alone: change?.provisional === true })
      }
      if (at === members.length - 1 && state !== "ended") {
        const measured = this.measured()
        const [amount, amountBasis] = this.amountBasis()
        add("expectedDate", dateOf(this.series.expectedDay), measured)
        add("schedule", this.rhythm, measured)
        add("expectedAmount", amount, amountBasis)
      }
    }
    return claims
  }

  events(): ReadonlyArray<PlannedEvent> {
    const { cadence, changes, direction, expectedDay, members, state } = this.series
    const { currency, today } = this.context
    const common = {
      seriesId: this.id,
      name: this.name,
      cadence,
      direction,
      currency,
      amount: this.signed(this.head.amount),
      lastDate: dateOf(this.head.day)
    }
    const expectedDate = dateOf(expectedDay)
    const events: Array<PlannedEvent> = []
    const tell = <Data>(key: string, type: EventType<Data>, data: Data): void => {
      events.push(type.planned({ key: `${this.id}:${key}`, subjectId: this.id, data }))
    }
    if (state !== "ended") tell("detected", recurringDetected, { ...common, expectedDate })
    const { leastHits } = cadenceOf(cadence)
    for (const [at, { amount, day, pending, recordId, residual }] of members.entries()) {
      if (day < today - newsDays) continue
      const payment = { ...common, amount: this.signed(amount), recordId, date: dateOf(day) }
      if (at >= leastHits) tell(`arrived:${recordId}`, recurringArrived, { ...payment, deltaDays: residual, pending })
      const before = members[at - 1]
      if (before !== undefined && wasOver(this.series.found, before.day, day)) {
        tell(`resumed:${recordId}`, recurringResumed, payment)
      }
      const change = changes.find((one) => one.at === at)
      if (change === undefined) continue
      const percent = Math.round(((change.after - change.before) * 1_000) / change.before)
      tell(`price:${recordId}${change.provisional ? ":provisional" : ""}`, recurringPriceChanged, {
        ...payment,
        before: this.plain(change.before),
        after: this.plain(change.after),
        percent: Decimal.fromUnits(BigInt(percent), 1),
        provisional: change.provisional
      })
    }
    if (state === "late") tell(`late:${expectedDate}`, recurringLate, { ...common, expectedDate })
    if (state === "ended") tell(`ended:${common.lastDate}`, recurringEnded, common)
    return events
  }

  /** None of a series that is over. */
  findings(): ReadonlyArray<PlannedFinding> {
    const { cadence, direction, expectedDay, members, state } = this.series
    if (state === "ended") return []
    const { currency, slots } = this.context
    const { next, source } = this.expected()
    const amount = this.signed(next.amount)
    const expectedDate = dateOf(expectedDay)
    const name = this.name.length > 100 ? `${this.name.slice(0, 99)}…` : this.name
    return [
      {
        key: this.id,
        kind: "recurring_series",
        title: `${name}: ${cadence}, ${amountText(amount, currency)}, next on ${expectedDate}`,
        subject: { kind: "transaction", id: this.head.recordId },
        data: {
          seriesId: this.id,
          name: this.name,
          cadence,
          schedule: this.rhythm,
          direction,
          state,
          currency,
          expectedDate,
          expectedBetween: [dateOf(next.earliest), dateOf(next.latest)],
          expectedAmount: amount,
          annualAmount: this.signed(yearFrom(source, slots)),
          lastDate: dateOf(this.head.day),
          first: members.slice(0, 3).map(({ recordId }) => recordId),
          recordIds: members.slice(-anchorCount).map(({ recordId }) => recordId)
        }
      }
    ]
  }
}
