/** Plan against fact, period by period, exact under late and edited records (enrichments C12). */
import * as Effect from "effect/Effect"
import type { PatternEngine } from "../../../pattern/Pattern.ts"
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import * as Currency from "../../../shared/Currency.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import { limits } from "../../../shared/Limits.ts"
import { periodIndex, periodStart } from "../../../shared/Recurrence.ts"
import { suppression } from "../EnrichmentFact.ts"
import type { Partition, PartitionKey, PartitionPlan, PlanInput, SetKind } from "../SetKind.ts"
import { BudgetConfig, budgetStage, checkBudget, rememberedAmounts } from "./BudgetConfig.ts"
import { BudgetState, keptPeriods, type PeriodRow, tableKey, type TableState } from "./BudgetState.ts"
import { placeOf, prepareBudget, type PreparedBudget, refundReachDays } from "./Contribution.ts"
import { foldPeriods } from "./Fold.ts"
import { BudgetEvidence, keysField, type PeriodInput, planPeriod } from "./PeriodPlan.ts"
import { pacePeriods, projections, seriesReachDays } from "./Projection.ts"
import {
  budgetEvents,
  crossingEvents,
  crossingFindings,
  crossings,
  thresholdFinding,
  unconvertedFinding,
  unconvertedFindings,
  type Watched
} from "./Thresholds.ts"

type Input = PlanInput<PreparedBudget, BudgetState>
type BudgetPlan = PartitionPlan<BudgetState, BudgetEvidence>

/** Ends the id of a record before the one of its line. */
const lineSeparator = ":"

/** Records that a person does not want counted; a record that falls into lines is named whole, or by one of them. */
const silencedBy = ({ facts }: Input): PeriodInput["silenced"] => {
  const named = new Set(
    facts.flatMap(({ field, kind, recordId }) =>
      kind === "suppress" && recordId !== undefined && (field === undefined || field === keysField) ? [recordId] : []
    )
  )
  return (recordId) => named.has(recordId) || named.has(recordId.split(lineSeparator, 1)[0]!)
}

/** The periods that a day and those up to so many days from it fall into. */
const startsBetween = (
  { recurrence }: PreparedBudget,
  from: CalendarDate.CalendarDate,
  to: CalendarDate.CalendarDate
): ReadonlyArray<CalendarDate.CalendarDate> => {
  const first = periodIndex(recurrence, from)
  return Array.from({ length: periodIndex(recurrence, to) - first + 1 }, (_, n) => periodStart(recurrence, first + n))
}

/** A refund looks for its purchase, and the purchase for refunds that came before. */
const aroundDays = 2 * refundReachDays

const isEmpty = ({ booked, unconverted }: PeriodRow): boolean => booked.length === 0 && unconverted.length === 0

/** What is kept in the table of a period: the days and the series only as long as a projection looks at them. */
const keptRow = (row: PeriodRow, { prepared: { recurrence }, today }: Input): PeriodRow => {
  const isRecent = periodIndex(recurrence, row.start) >= periodIndex(recurrence, today) - pacePeriods
  const isReached = row.start >= CalendarDate.addDays(today, -2 * seriesReachDays)
  return {
    ...row,
    days: isRecent ? row.days : [],
    series: isReached ? row.series.filter(({ date }) => date >= CalendarDate.addDays(today, -seriesReachDays)) : []
  }
}

const currencyOf = ({ baseCurrency, prepared }: Input): Currency.Currency => prepared.config.currency ?? baseCurrency

const planTable = (input: Input, rows: ReadonlyArray<PeriodRow>, before: TableState | undefined): BudgetPlan => {
  const { enrichmentId, past, prepared, revision, today } = input
  const { config, recurrence } = prepared
  const currency = currencyOf(input)
  const digits = Currency.minorDigits(currency)
  const current = periodIndex(recurrence, today)
  const start = periodStart(recurrence, current)
  const periods = foldPeriods(rows, { config, recurrence, digits, past, today })
  const cellsOf = (day: CalendarDate.CalendarDate) => periods.find(([cell]) => cell?.start === day) ?? []
  const now = cellsOf(start)
  const last = cellsOf(periodStart(recurrence, current - 1))
  const expected = config.notify.projection ? projections(now, rows, recurrence, today) : []
  const watched: ReadonlyArray<Watched> = [
    ...(config.notify.fact ? [...last, ...now] : []).map((cell) => ({
      cell,
      basis: "fact" as const,
      amount: cell.spent
    })),
    ...expected.map((amount, at) => ({ cell: now[at]!, basis: "projection" as const, amount }))
  ]
  const crossed = crossings(watched, config.thresholds, before?.crossings ?? [])
  const next = periodStart(recurrence, current + 1)
  const tomorrow = CalendarDate.addDays(today, 1)
  return {
    state: { kind: "table", rows, crossings: crossed },
    claims: [],
    links: [],
    events: crossingEvents(crossed, watched, { enrichmentId, revision, currency, digits }),
    findings: [
      ...crossingFindings(crossed, watched, { enrichmentId, currency, digits }),
      ...unconvertedFindings(
        rows.find((row) => row.start === start),
        enrichmentId
      )
    ],
    // What will probably be spent is something else each day.
    due: config.notify.projection && config.thresholds.length > 0 ? tomorrow : next
  }
}

const rowOf = (partition: Partition<BudgetState> | undefined): PeriodRow | undefined =>
  partition?.state?.kind === "period" ? partition.state.row : undefined

const plan = Effect.fnUntraced(function* (input: Input) {
  const { dirty, prepared, rates, read, sha256, today } = input
  const { config, recurrence } = prepared
  const currency = currencyOf(input)
  const current = periodIndex(recurrence, today)
  const oldest = periodStart(recurrence, current - keptPeriods + 1)
  const asked = dirty.filter((key) => key !== tableKey).map((key) => CalendarDate.make(key))
  const withRefunds = config.refunds === "original"
  const around = (start: CalendarDate.CalendarDate) =>
    withRefunds ? startsBetween(prepared, CalendarDate.addDays(start, -aroundDays), start) : [start]
  // A purchase that changed may take a refund to another period.
  const starts = withRefunds
    ? [...new Set(asked.flatMap((start) => startsBetween(prepared, start, endAfter(prepared, start, aroundDays))))]
    : asked
  const known = yield* read([...new Set([tableKey, ...starts.flatMap(around)])])
  const next = new Map<PartitionKey, BudgetPlan>()
  const rows = new Map<string, PeriodRow>()
  const table = known.get(tableKey)?.state
  const before = table?.kind === "table" ? table : undefined
  if (before === undefined) {
    const all = startsBetween(prepared, oldest, CalendarDate.addDays(today, seriesReachDays))
    for (const partition of (yield* read(all)).values()) {
      const row = rowOf(partition)
      if (row !== undefined) rows.set(row.start, row)
    }
  } else for (const row of before.rows) rows.set(row.start, row)

  const counting = {
    currency,
    digits: Currency.minorDigits(currency),
    rates,
    today,
    work: input.work,
    sha256,
    silenced: silencedBy(input)
  }
  const due = prepared.moves ? CalendarDate.addDays(today, 1) : undefined
  for (const start of starts) {
    const { records } = known.get(start)!
    rows.delete(start)
    if (records.length === 0) continue
    const near = withRefunds ? around(start).flatMap((key) => known.get(key)!.records) : []
    const { claims, row } = planPeriod(prepared, start, records, near, counting)
    rows.set(start, row)
    next.set(start, { state: { kind: "period", row }, claims, links: [], events: [], due })
  }
  const kept = [...rows.values()]
    .filter((row) => row.start >= oldest && !isEmpty(row))
    .map((row) => keptRow(row, input))
    .toSorted((a, b) => (a.start < b.start ? -1 : 1))
  if (kept.length > 0 || !dirty.includes(tableKey)) next.set(tableKey, planTable(input, kept, before))
  return { next }
})

/** The last day that is at most so many days after the period. */
const endAfter = (
  { recurrence }: PreparedBudget,
  start: CalendarDate.CalendarDate,
  days: number
): CalendarDate.CalendarDate =>
  CalendarDate.addDays(periodStart(recurrence, periodIndex(recurrence, start) + 1), days - 1)

const explainKeys = ({ amount, counted, currency, into, lines, period }: BudgetEvidence): string =>
  counted === null
    ? `${amount} ${currency} belongs to ${lines.join(", ")}, and is not in its sum: there is no rate to ${into}`
    : `${counted} ${into}${currency === into ? "" : ` (${amount} ${currency})`} counts for ${lines.join(", ")} in the period from ${period}`

/** Lines of all periods that are kept. */
const budgetFigures: NonNullable<SetKind<BudgetConfig, PreparedBudget, BudgetState>["shows"]>["of"] = (
  state,
  { baseCurrency, enrichmentId, past, prepared: { config, recurrence }, today }
) => {
  if (state.kind !== "table") return []
  const currency = config.currency ?? baseCurrency
  const digits = Currency.minorDigits(currency)
  return foldPeriods(state.rows, { config, recurrence, digits, past, today }).flatMap((cells) =>
    cells.map(({ amount, carriedIn, end, line: { name }, spent, start }) => ({
      enrichmentId,
      name,
      from: start,
      to: CalendarDate.addDays(end, -1),
      currency,
      planned: Decimal.fromUnits(amount + carriedIn, digits),
      spent: Decimal.fromUnits(spent, digits)
    }))
  )
}

/** The kind `budget` on an engine for patterns. */
export const makeBudget = ({
  patterns
}: {
  readonly patterns: PatternEngine
}): SetKind<BudgetConfig, PreparedBudget, BudgetState, BudgetEvidence> => ({
  type: "budget",
  label: "Budgets",
  family: "set",
  stage: () => budgetStage,
  capabilities: {
    authority: "analysis",
    dataTypes: ["transactions"],
    writes: [keysField],
    emits: Object.values(budgetEvents),
    finds: [thresholdFinding, unconvertedFinding],
    perWorkspace: limits.enrichmentsPerWorkspace
  },
  Config: BudgetConfig,
  check: (config, catalog) => checkBudget(config, catalog, patterns),
  declares: () => new Map([[keysField, "str"]]),
  prepare: (config, catalog) => prepareBudget(config, catalog, patterns),
  State: { version: 1, codec: BudgetState },
  Evidence: BudgetEvidence,
  lines: true,
  shows: { partition: tableKey, of: budgetFigures },
  watches: ["rates"],
  remembers: rememberedAmounts,
  reads: ({ fields }) => fields,
  partitions: (prepared, record) => {
    const start = placeOf(prepared, record)
    return start === undefined ? [] : [start]
  },
  plan,
  undo: suppression,
  explain: (_, { evidence, value }) => {
    const recomputed = evidence.lines.join(",")
    return { sentence: explainKeys(evidence), recomputed, holds: recomputed === value }
  }
})
