/** What enrichments of sets would say otherwise, distinguished by what it is: series of payments, budgets, cases (enrichments F2). */
import * as Result from "effect/Result"
import type { PartitionState } from "../enrichment/AnalysisStore.ts"
import type { Enrichment } from "../enrichment/Enrichment.ts"
import { tableKey } from "../enrichment/kinds/budget/BudgetState.ts"
import { RecurringState } from "../enrichment/kinds/recurring/RecurringState.ts"
import type * as CalendarDate from "../shared/CalendarDate.ts"
import type { Currency } from "../shared/Currency.ts"
import type { Decimal } from "../shared/Decimal.ts"
import { decode } from "../shared/StrictDecoding.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import { periodsOf } from "./BudgetPeriods.ts"

/** A line of a budget in a period; exact, in the currency of the budget. */
export interface BudgetFigures {
  readonly planned: Decimal
  readonly spent: Decimal
  readonly left: Decimal
}

export interface BudgetDifference {
  readonly enrichmentId: string
  readonly from: CalendarDate.CalendarDate
  readonly line: string
  readonly currency: Currency
  /** `null` where there is no such line, or nothing was ever booked in the budget. */
  readonly before: BudgetFigures | null
  readonly after: BudgetFigures | null
}

export interface SeriesDifferences {
  readonly found: number
  readonly changed: number
  readonly gone: number
}

/** What an enrichment of a set kind would keep: partitions of it, or all. */
export interface Kept {
  readonly enrichment: Enrichment
  readonly partitions: ReadonlyArray<Pick<PartitionState, "partition" | "state">>
}

/** Series by id, as text. */
export const seriesOf = ({ enrichment, partitions }: Kept): ReadonlyArray<readonly [id: string, text: string]> =>
  enrichment.type === "recurring"
    ? partitions.flatMap(({ state }) => {
        const decoded = decode(RecurringState, state)
        return Result.isSuccess(decoded)
          ? decoded.success.series.map((one) => [`${enrichment.id} ${one.id}`, JSON.stringify(one)] as const)
          : []
      })
    : []

type Series = ReadonlyMap<string, string>

export const seriesDifferences = (old: Series, now: Series): SeriesDifferences => ({
  found: [...now.keys()].filter((id) => !old.has(id)).length,
  changed: [...now].filter(([id, text]) => old.has(id) && old.get(id) !== text).length,
  gone: [...old.keys()].filter((id) => !now.has(id)).length
})

/** Its whole table is one partition. */
export const isBudget = ({ type }: Enrichment): boolean => type === "budget"
export const budgetTable: string = tableKey

type Figures = Omit<BudgetDifference, "before" | "after"> & BudgetFigures

/** Lines of budgets by budget, period and line. */
const figuresOf = (kept: ReadonlyArray<Kept>, workspace: Workspace, today: CalendarDate.CalendarDate) => {
  const found = new Map<string, Figures>()
  for (const { enrichment, partitions } of kept) {
    const table = partitions.find(({ partition }) => partition === tableKey)
    if (!isBudget(enrichment) || table === undefined) continue
    const { id: enrichmentId } = enrichment
    for (const { currency, from, lines } of periodsOf(enrichment, workspace, table.state, today)) {
      for (const { key: line, left, planned: amount, spent } of lines) {
        found.set(`${enrichmentId} ${from} ${line}`, {
          enrichmentId,
          from,
          line,
          currency,
          planned: amount,
          spent,
          left
        })
      }
    }
  }
  return found
}

const figures = (one: Figures | undefined): BudgetFigures | null =>
  one === undefined ? null : { planned: one.planned, spent: one.spent, left: one.left }

/** Lines that would be others, the newest periods first. */
export const budgetDifferences = (
  before: ReadonlyArray<Kept>,
  after: ReadonlyArray<Kept>,
  workspace: Workspace,
  today: CalendarDate.CalendarDate
): ReadonlyArray<BudgetDifference> => {
  const [old, now] = [before, after].map((kept) => figuresOf(kept, workspace, today))
  return [...new Set([...old!.keys(), ...now!.keys()])]
    .flatMap((place): ReadonlyArray<BudgetDifference> => {
      const [was, is] = [figures(old!.get(place)), figures(now!.get(place))]
      if (JSON.stringify(was) === JSON.stringify(is)) return []
      const { currency, enrichmentId, from, line } = (now!.get(place) ?? old!.get(place))!
      return [{ enrichmentId, from, line, currency, before: was, after: is }]
    })
    .toSorted((a, b) =>
      a.from !== b.from
        ? a.from < b.from
          ? 1
          : -1
        : `${a.enrichmentId} ${a.line}` < `${b.enrichmentId} ${b.line}`
          ? -1
          : 1
    )
}
