/** What a budget keeps of a period, and of all periods together (enrichments C12). */
import * as Schema from "effect/Schema"
import * as Decimal from "../../../shared/Decimal.ts"
import { CalendarDate } from "../../../shared/CalendarDate.ts"

/** Minor units of the currency of the budget, as text: sums may be of any size. */
const Units = Schema.String

/** What the records of a period come to. */
export const PeriodRow = Schema.Struct({
  /** The first day of the period, which names it. */
  start: CalendarDate,
  /** What was booked: into which period, on which line, how much. Refunds may go into earlier periods. */
  booked: Schema.Array(Schema.Tuple([CalendarDate, Schema.String, Units])),
  /** What could not be converted: line, currency, records, and the sum of their amounts as they are. */
  unconverted: Schema.Array(Schema.Tuple([Schema.String, Schema.String, Schema.Int, Decimal.DecimalText])),
  /** What no series explains, by day: line, days after the first one, how much. */
  days: Schema.Array(Schema.Tuple([Schema.String, Schema.Int, Units])),
  /** The last record of each series in the period. */
  series: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      cadence: Schema.String,
      state: Schema.String,
      date: CalendarDate,
      lines: Schema.Array(Schema.String),
      units: Units
    })
  ),
  /** Names the records that count and what each adds. */
  digest: Schema.String
})
export type PeriodRow = typeof PeriodRow.Type

/** A threshold that was crossed, for the `n`-th time; `on` until the budget recovered. */
export const Crossing = Schema.Struct({
  line: Schema.String,
  start: CalendarDate,
  threshold: Decimal.DecimalText,
  basis: Schema.Literals(["fact", "projection"]),
  n: Schema.Int,
  on: Schema.Boolean
})
export type Crossing = typeof Crossing.Type

const Period = Schema.Struct({ kind: Schema.Literal("period"), row: PeriodRow })
const Table = Schema.Struct({
  kind: Schema.Literal("table"),
  /** By first day. */
  rows: Schema.Array(PeriodRow),
  crossings: Schema.Array(Crossing)
})

export const BudgetState = Schema.Union([Period, Table])
export type BudgetState = typeof BudgetState.Type
export type TableState = typeof Table.Type

/** The partition of what follows from all periods. */
export const tableKey = "table"

/** Periods before the current one that are kept, it included. */
export const keptPeriods = 120
