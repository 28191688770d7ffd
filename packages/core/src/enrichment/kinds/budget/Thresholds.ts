/** Thresholds that a budget crosses, told once, and again after it recovered (enrichments C12). */
import * as Schema from "effect/Schema"
import { eventTypes } from "../../../event/EventType.ts"
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import { amountText, type Currency } from "../../../shared/Currency.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import type { PlannedEvent, PlannedFinding } from "../SetKind.ts"
import type { BudgetConfig } from "./BudgetConfig.ts"
import type { Crossing, PeriodRow } from "./BudgetState.ts"
import type { BudgetCell } from "./Fold.ts"

const EventData = Schema.Struct({
  /** The key of the line, and its name. */
  line: Schema.String,
  name: Schema.String,
  /** First and last day. */
  from: CalendarDate.CalendarDate,
  to: CalendarDate.CalendarDate,
  threshold: Decimal.DecimalText,
  /** Whether it was spent, or will probably be. */
  basis: Schema.Literals(["fact", "projection"]),
  currency: Schema.String,
  /** What was spent, or will be. */
  amount: Decimal.DecimalText,
  /** What there is to spend: the amount of the line, and what the period before left over. */
  budget: Decimal.DecimalText
})

export const budgetEvents = eventTypes(
  { subject: "enrichment", outbound: true, data: EventData },
  {
    "budget.threshold":
      "A line of a budget crossed one of its thresholds, or will probably do so before its period ends.",
    "budget.recovered": "A line of a budget is below a threshold again that it had crossed."
  }
)

/** How far below a threshold a budget has recovered, as a part of the budget. */
const recovery = Decimal.make("0.02")

/** Whether `amount` is at least (`at most` with -1) the part of the budget. Of a budget of nothing any amount is above every part. */
const reaches = (amount: bigint, budget: bigint, part: Decimal.Decimal): boolean => {
  if (budget <= 0n) return amount > 0n
  const digits = Decimal.scale(part)
  return amount * 10n ** BigInt(digits) >= budget * Decimal.toUnits(part, digits)
}

const hasRecovered = (amount: bigint, budget: bigint, threshold: Decimal.Decimal): boolean => {
  if (budget <= 0n) return amount <= 0n
  const part = Decimal.subtract(threshold, recovery)
  const digits = Decimal.scale(part)
  return amount * 10n ** BigInt(digits) <= budget * Decimal.toUnits(part, digits)
}

/** A line in a period in which thresholds are watched, with what is measured there. */
export interface Watched {
  readonly cell: BudgetCell
  readonly basis: Crossing["basis"]
  readonly amount: bigint
}

/** What holds after these measures; what is not watched any more is forgotten. */
export const crossings = (
  watched: ReadonlyArray<Watched>,
  thresholds: BudgetConfig["thresholds"],
  before: ReadonlyArray<Crossing>
): ReadonlyArray<Crossing> =>
  watched.flatMap(({ amount, basis, cell }) =>
    thresholds.flatMap((threshold): ReadonlyArray<Crossing> => {
      const { line, start } = cell
      const budget = cell.amount + cell.carriedIn
      const last = before.find(
        (one) => one.line === line.key && one.start === start && one.threshold === threshold && one.basis === basis
      )
      if (last?.on === true) return [hasRecovered(amount, budget, threshold) ? { ...last, on: false } : last]
      if (!reaches(amount, budget, threshold)) return last === undefined ? [] : [last]
      return [{ line: line.key, start, threshold, basis, n: (last?.n ?? 0) + 1, on: true }]
    })
  )

/**
 * The events of crossings, each with a key of its own. They are named as long as they are watched: anyone who keeps the keys
 * tells each once.
 */
export const crossingEvents = (
  all: ReadonlyArray<Crossing>,
  watched: ReadonlyArray<Watched>,
  of: {
    readonly enrichmentId: string
    readonly revision: number
    readonly currency: Currency
    readonly digits: number
  }
): ReadonlyArray<PlannedEvent> =>
  all.flatMap(({ basis, line, n, on, start, threshold }) => {
    const found = watched.find((one) => one.basis === basis && one.cell.line.key === line && one.cell.start === start)
    if (found === undefined) return []
    const { amount, cell } = found
    const key = `${of.revision}:${start}:${basis}:${threshold}:${n}:${line}`
    const data = {
      line,
      name: cell.line.name,
      from: start,
      to: CalendarDate.addDays(cell.end, -1),
      threshold,
      basis,
      currency: of.currency,
      amount: Decimal.fromUnits(amount, of.digits),
      budget: Decimal.fromUnits(cell.amount + cell.carriedIn, of.digits)
    }
    const told = { key, subjectId: of.enrichmentId, data }
    return [
      budgetEvents["budget.threshold"].planned(told),
      ...(on ? [] : [budgetEvents["budget.recovered"].planned({ ...told, key: `${key}:recovered` })])
    ]
  })

const isFact = ({ basis }: Crossing) => basis === "fact"

export const thresholdFinding = "budget_threshold"

/** What a person should look at: of each line and period the highest threshold that is crossed, spent or to be expected. */
export const crossingFindings = (
  all: ReadonlyArray<Crossing>,
  watched: ReadonlyArray<Watched>,
  of: { readonly enrichmentId: string; readonly currency: Currency; readonly digits: number }
): ReadonlyArray<PlannedFinding> =>
  watched.flatMap(({ basis, cell }): ReadonlyArray<PlannedFinding> => {
    const { amount, carriedIn, end, line, start } = cell
    const own = all.filter((one) => one.on && one.line === line.key && one.start === start)
    const said = own.filter((one) => one.basis === basis).toSorted((a, b) => Decimal.compare(b.threshold, a.threshold))
    const highest = said[0]
    if (highest === undefined) return []
    const spent = own.filter(isFact).toSorted((a, b) => Decimal.compare(b.threshold, a.threshold))[0]
    // What was spent already need not be expected as well.
    if (basis === "projection" && spent !== undefined && Decimal.compare(spent.threshold, highest.threshold) >= 0) {
      return []
    }
    const budget = Decimal.fromUnits(amount + carriedIn, of.digits)
    const percent = Decimal.fromUnits(Decimal.toUnits(highest.threshold, 12), 10)
    const name = [...line.name].slice(0, 100).join("")
    const what = basis === "fact" ? "of the budget is spent" : "of the budget will probably be spent"
    const nothing = amount + carriedIn <= 0n
    return [
      {
        key: `${start}:${basis}:${line.key}`,
        kind: thresholdFinding,
        title: nothing
          ? `${name} from ${start}: nothing is budgeted, and money ${isFact(highest) ? "is" : "will probably be"} spent`
          : `${name} from ${start}: ${percent} % ${what} (${amountText(budget, of.currency)})`,
        subject: { kind: "enrichment", id: of.enrichmentId },
        data: {
          line: line.key,
          from: start,
          to: CalendarDate.addDays(end, -1),
          basis,
          threshold: highest.threshold,
          budget,
          currency: of.currency
        }
      }
    ]
  })

export const unconvertedFinding = "budget_unconverted"

/** Amounts of the period that runs which have no rate: they are in no sum. */
export const unconvertedFindings = (
  row: PeriodRow | undefined,
  enrichmentId: string
): ReadonlyArray<PlannedFinding> => {
  if (row === undefined || row.unconverted.length === 0) return []
  const byCurrency = Map.groupBy(row.unconverted, ([, currency]) => currency)
  return Array.from(byCurrency, ([currency, some]) => ({
    key: `${row.start}:unconverted:${currency}`,
    kind: unconvertedFinding,
    title: `Amounts in ${currency} are not counted: there is no rate`,
    subject: { kind: "enrichment", id: enrichmentId },
    data: { from: row.start, currency, lines: some.map(([line, , records, amount]) => ({ line, records, amount })) }
  }))
}
