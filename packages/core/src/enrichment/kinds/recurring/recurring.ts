/** Payments that recur: subscriptions, bills, wages, rent; when the next one comes, and what it will be (enrichments C10, D3). */
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Currency } from "../../../shared/Currency.ts"
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import type { Sha256 } from "../../../shared/DerivedId.ts"
import { type FactRequest, suppression } from "../EnrichmentFact.ts"
import type { PartitionPlan, PlanInput, SetKind, SetRecord } from "../SetKind.ts"
import { cadenceOf } from "./Cadence.ts"
import { digitsOf, merchantsOf, partitionOf, paymentFields } from "./Payments.ts"
import { RecurringConfig } from "./RecurringConfig.ts"
import { explainRecurring, RecurringEvidence } from "./RecurringEvidence.ts"
import { RecurringState } from "./RecurringState.ts"
import { recurringEventTypes } from "./RecurringEvents.ts"
import { seriesOfMerchant } from "./Series.ts"
import { confirmSeries, endSeries, rejectSeries, type SeriesDecisions, wordsOf } from "./SeriesFacts.ts"
import { SeriesView } from "./SeriesView.ts"
import { SlotCalendar } from "./SlotCalendar.ts"
import { rhythmText } from "./Rhythm.ts"

const recurringStage = 110

const fields = [
  "seriesId",
  "cadence",
  "state",
  "expectedDate",
  "expectedAmount",
  "schedule",
  "deltaDays",
  "amountKind",
  "amountDelta",
  "provisional"
].map((name) => `recurring.${name}`)

const types = {
  "recurring.expectedDate": "date",
  "recurring.expectedAmount": "num",
  "recurring.deltaDays": "num",
  "recurring.amountDelta": "num",
  "recurring.provisional": "bool"
} as const

type Input = PlanInput<RecurringConfig, RecurringState>
type PartPlan = PartitionPlan<RecurringState, RecurringEvidence>

const monthsBefore = (date: CalendarDate.CalendarDate, months: number): CalendarDate.CalendarDate => {
  const month = Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1 - months
  const [year, index] = [Math.floor(month / 12), (month % 12) + 1]
  const day = Math.min(Number(date.slice(8, 10)), CalendarDate.daysInMonth(year, index))
  return CalendarDate.fromParts(year, index, day) ?? CalendarDate.make("1900-01-01")
}

/** The first day on which a day is out of sight. */
const outOfSight = (day: number, months: number): number => {
  let gone = CalendarDate.toEpochDay(monthsBefore(CalendarDate.fromEpochDay(day), -months)) + 1
  while (CalendarDate.toEpochDay(monthsBefore(CalendarDate.fromEpochDay(gone), months)) <= day) gone++
  return gone
}

interface Group {
  readonly keys: ReadonlyArray<string>
  readonly records: ReadonlyArray<SetRecord>
  readonly homes: ReadonlyMap<string, string>
}

/** Partitions that people joined by merging series of theirs are planned as one. */
const groupsOf = Effect.fnUntraced(function* ({ dirty, read }: Input, { merges }: SeriesDecisions) {
  const groups: Array<Group> = []
  const seen = new Set<string>()
  yield* read(dirty)
  for (const start of dirty) {
    if (seen.has(start)) continue
    const keys = [start]
    const homes = new Map<string, string>()
    const records: Array<SetRecord> = []
    for (const key of keys) {
      seen.add(key)
      for (const record of (yield* read([key])).get(key)!.records) {
        homes.set(record.recordId, key)
        records.push(record)
      }
      for (const { a, partition } of merges) {
        if (partition !== undefined && homes.has(a) && !keys.includes(partition)) keys.push(partition)
      }
    }
    groups.push({ keys: keys.toSorted(), records, homes })
  }
  return groups
})

const planGroup = (
  { keys, records, homes }: Group,
  input: Input,
  words: SeriesDecisions,
  slots: SlotCalendar,
  sha256: Sha256
): ReadonlyArray<readonly [string, PartPlan]> => {
  const { accounts, enrichmentId, prepared: config } = input
  const today = CalendarDate.toEpochDay(input.today)
  const from = CalendarDate.toEpochDay(monthsBefore(input.today, config.lookbackMonths))
  const digits = digitsOf(records)
  const plans = new Map(
    keys.map((key) => [
      key,
      {
        series: new Array<RecurringState["series"][number]>(),
        claims: new Array<PartPlan["claims"][number]>(),
        events: new Array<PartPlan["events"][number]>(),
        findings: new Array<NonNullable<PartPlan["findings"]>[number]>(),
        due: Number.POSITIVE_INFINITY
      }
    ])
  )
  const context = { enrichmentId, digits, slots, sha256, today }
  const rules = {
    today,
    graceDays: config.graceDays,
    amountChangePercent: config.amountChangePercent,
    syncedOn: (accountId: string) => {
      const day = accounts.get(accountId as SetRecord["accountId"])?.syncedOn
      return day === undefined ? undefined : CalendarDate.toEpochDay(day)
    }
  }
  const options = { digits, from, includeTransfers: config.includeTransfers }
  // Merged partitions are of one currency or nothing is joined: amounts of two cannot be compared.
  for (const [currency, own] of Map.groupBy(records, ({ fields: { currency: code } }) => String(code))) {
    for (const merchant of merchantsOf(own, options, words.merges)) {
      if (config.direction !== "both" && merchant.direction !== config.direction) continue
      const all = [...merchant.posted, ...merchant.pending]
      const home = homes.get(all[0]!.recordId)!
      const goneNext =
        all.length < 2
          ? Number.POSITIVE_INFINITY
          : outOfSight(Math.min(...all.map(({ day }) => day)), config.lookbackMonths)
      const plan = plans.get(home)!
      plan.due = Math.min(plan.due, Math.max(goneNext, today + 1))
      for (const series of seriesOfMerchant(merchant, words, rules, slots)) {
        const view = new SeriesView(series, { ...context, currency: currency as Currency })
        const { cadence, direction, due, expectedDay, found, members, name, state } = series
        plan.due = Math.min(plan.due, due ?? Number.POSITIVE_INFINITY)
        const hits = found.hits.length
        if (config.minConfidence === "mature" && !series.confirmed && hits < cadenceOf(cadence).matureHits) continue
        plan.series.push({
          id: view.id,
          merchant: series.cluster,
          direction,
          cadence,
          schedule: rhythmText(found.rhythm),
          state,
          name: name ?? null,
          first: CalendarDate.fromEpochDay(members[0]!.day),
          last: CalendarDate.fromEpochDay(members.at(-1)!.day),
          expected: CalendarDate.fromEpochDay(expectedDay),
          recordIds: members.map(({ recordId }) => recordId)
        })
        for (const claim of view.claims()) plans.get(homes.get(claim.recordId)!)!.claims.push(claim)
        plan.events.push(...view.events())
        plan.findings.push(...view.findings())
      }
    }
  }
  return [...plans].map(([key, { claims, due, events, findings, series }]) => [
    key,
    {
      state: { series },
      claims,
      links: [],
      events,
      findings,
      due: due === Number.POSITIVE_INFINITY ? undefined : CalendarDate.fromEpochDay(due)
    }
  ])
}

const textsOf = (value: Schema.Json | undefined): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : []

export const makeRecurring = ({
  sha256
}: {
  readonly sha256: Sha256
}): SetKind<RecurringConfig, RecurringConfig, RecurringState, RecurringEvidence> => ({
  type: "recurring",
  label: "Recurring payments",
  family: "set",
  stage: () => recurringStage,
  capabilities: {
    authority: "analysis",
    dataTypes: ["transactions"],
    writes: fields,
    emits: recurringEventTypes,
    finds: ["recurring_series"],
    perWorkspace: 20
  },
  Config: RecurringConfig,
  State: { version: 1, codec: RecurringState },
  Evidence: RecurringEvidence,
  check: ({ lookbackMonths }) => ({
    errors: [],
    lints:
      lookbackMonths < 25
        ? [{ field: "lookbackMonths", message: "annual series need two occurrences: 25 or more" }]
        : []
  }),
  declares: () => new Map(fields.map((field) => [field, types[field as keyof typeof types] ?? "str"])),
  prepare: (config) => config,
  reads: () => paymentFields,
  partitions: (_, record) => {
    const key = partitionOf(record)
    return key === undefined ? [] : [key]
  },
  watches: ["calendar"],
  plan: Effect.fnUntraced(function* (input) {
    const words = wordsOf(input.facts)
    const slots = new SlotCalendar(input.calendar)
    const next = new Map<string, PartPlan>()
    for (const group of yield* groupsOf(input, words)) {
      for (const [key, plan] of planGroup(group, input, words, slots, sha256)) {
        if (group.records.length > 0) next.set(key, plan)
      }
    }
    return { next }
  }),
  feedback: (enrichmentId, { data }, status) => {
    const series = { enrichmentId, partition: "", recordIds: textsOf(data["recordIds"]) }
    const byStatus: Partial<Record<typeof status, ReadonlyArray<FactRequest>>> = {
      dismissed: rejectSeries(series),
      confirmed: confirmSeries({ ...series, recordIds: textsOf(data["first"]) }),
      resolved: endSeries(series, String(data["lastDate"]))
    }
    return byStatus[status] ?? []
  },
  undo: suppression,
  explain: (_, explained) => explainRecurring(explained, sha256)
})
