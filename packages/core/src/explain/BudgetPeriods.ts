/** Plan and fact of a budget, period by period, as people read them (enrichments C12). */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Enrichment } from "../enrichment/Enrichment.ts"
import { AnalysisStore } from "../enrichment/AnalysisStore.ts"
import { BudgetConfig, recurrenceOf } from "../enrichment/kinds/budget/BudgetConfig.ts"
import { BudgetState, type PeriodRow, tableKey } from "../enrichment/kinds/budget/BudgetState.ts"
import { type BudgetCell, foldPeriods } from "../enrichment/kinds/budget/Fold.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import * as Currency from "../shared/Currency.ts"
import * as Decimal from "../shared/Decimal.ts"
import { decode } from "../shared/StrictDecoding.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { Workspace } from "../workspace/Workspace.ts"

/** A line of a budget in one period: `left` is `planned + carriedIn - spent`. Exact, in the currency of the budget. */
export interface BudgetPeriodLine {
  readonly key: string
  readonly name: string
  readonly planned: Decimal.Decimal
  /** What the period before left over; negative where it was overspent. */
  readonly carriedIn: Decimal.Decimal
  readonly spent: Decimal.Decimal
  readonly left: Decimal.Decimal
  readonly carriedOut: Decimal.Decimal
  /** What is in no sum, since there is no rate to the currency of the budget. */
  readonly unconverted: ReadonlyArray<{
    readonly currency: string
    readonly records: number
    readonly amount: Decimal.Decimal
  }>
}

export interface BudgetPeriod {
  readonly from: CalendarDate.CalendarDate
  /** Its last day. */
  readonly to: CalendarDate.CalendarDate
  readonly current: boolean
  readonly currency: Currency.Currency
  readonly lines: ReadonlyArray<BudgetPeriodLine>
}

/** Periods that have a day in common with these. */
export interface PeriodsRequest {
  readonly from?: CalendarDate.CalendarDate
  readonly to?: CalendarDate.CalendarDate
}

const lineOf = (
  { amount, available, carriedIn, carriedOut, line: { key, name }, spent }: BudgetCell,
  row: PeriodRow | undefined,
  digits: number
): BudgetPeriodLine => {
  const decimal = (units: bigint) => Decimal.fromUnits(units, digits)
  return {
    key,
    name,
    planned: decimal(amount),
    carriedIn: decimal(carriedIn),
    spent: decimal(spent),
    left: decimal(available),
    carriedOut: decimal(carriedOut),
    unconverted: (row?.unconverted ?? []).flatMap(([own, currency, records, sum]) =>
      own === key ? [{ currency, records, amount: sum }] : []
    )
  }
}

/** The periods of a budget whose table of all periods is this one, the newest first. */
export const periodsOf = (
  { config: sent, past = [] }: Pick<Enrichment, "config" | "past">,
  { baseCurrency, timezone }: Pick<Workspace, "baseCurrency" | "timezone">,
  table: unknown,
  today: CalendarDate.CalendarDate,
  { from, to }: PeriodsRequest = {}
): ReadonlyArray<BudgetPeriod> => {
  const config = decode(BudgetConfig, sent)
  const state = decode(BudgetState, table)
  if (Result.isFailure(config) || Result.isFailure(state)) return []
  const { success: kept } = state
  if (kept.kind !== "table") return []
  const currency = config.success.currency ?? baseCurrency
  const digits = Currency.minorDigits(currency)
  const periods = foldPeriods(kept.rows, {
    config: config.success,
    recurrence: recurrenceOf(config.success),
    digits,
    past: past.map(({ remembered, until }) => ({
      remembered,
      until: CalendarDate.inZone(Timestamp.toMillis(until), timezone)
    })),
    today
  })
  const rows = new Map(kept.rows.map((row) => [row.start, row]))
  return periods.toReversed().flatMap((cells): ReadonlyArray<BudgetPeriod> => {
    const [first] = cells
    if (first === undefined) return []
    const last = CalendarDate.addDays(first.end, -1)
    if ((to !== undefined && first.start > to) || (from !== undefined && last < from)) return []
    return [
      {
        from: first.start,
        to: last,
        current: first.start <= today && today <= last,
        currency,
        lines: cells.map((cell) => lineOf(cell, rows.get(first.start), digits))
      }
    ]
  })
}

/** The periods of a budget, the newest first; none before it was worked out. */
export const budgetPeriods = Effect.gen(function* () {
  const store = yield* AnalysisStore
  return Effect.fnUntraced(function* (
    enrichment: Enrichment,
    workspace: Pick<Workspace, "baseCurrency" | "timezone">,
    request: PeriodsRequest
  ) {
    const today = CalendarDate.inZone(yield* Clock.currentTimeMillis, workspace.timezone)
    const { dataType, id, workspaceId } = enrichment
    const [table] = yield* store.partitions({ workspaceId, dataType }, id, [tableKey])
    return table === undefined ? [] : periodsOf(enrichment, workspace, table.state, today, request)
  })
})
