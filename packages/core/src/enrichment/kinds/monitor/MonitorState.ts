/** What a monitor keeps: what records come to by month and account, the balances that it saw, and its cases (enrichments C13). */
import * as Schema from "effect/Schema"
import { CalendarDate } from "../../../shared/CalendarDate.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import { Timestamp } from "../../../shared/Timestamp.ts"

/** What the records of an account come to in a month. */
export const MonitorRow = Schema.Struct({
  /** The partition: month and account. */
  key: Schema.String,
  account: Schema.String,
  /** Booked sums by day. */
  posted: Schema.Array(Schema.Tuple([CalendarDate, Decimal.DecimalText])),
  /** The last payment of each series. */
  series: Schema.Array(
    Schema.Struct({ id: Schema.String, date: CalendarDate, expected: CalendarDate, name: Schema.String })
  ),
  /** Transfers without another side. */
  legs: Schema.Array(Schema.Struct({ recordId: Schema.String, date: CalendarDate, amount: Decimal.DecimalText })),
  /** Of each aggregate by group and day: how many, their sum, the largest, and how many have no rate. */
  groups: Schema.Array(
    Schema.Struct({
      check: Schema.String,
      group: Schema.String,
      /** Absent of records without a day: they count on every day. */
      date: Schema.NullOr(CalendarDate),
      count: Schema.Int,
      sum: Decimal.DecimalText,
      max: Decimal.DecimalText,
      unconverted: Schema.Int
    })
  )
})
export type MonitorRow = typeof MonitorRow.Type

/** A balance that was seen. */
const Seen = Schema.Struct({ at: Timestamp, date: CalendarDate, balance: Decimal.DecimalText })
export type Seen = typeof Seen.Type

const Explanation = Schema.Struct({
  cause: Schema.String,
  score: Schema.Number,
  recordIds: Schema.Array(Schema.String)
})
export type Cause = typeof Explanation.Type

/** One thing that is watched. Quiet ones are not kept. */
export const Case = Schema.Struct({
  check: Schema.String,
  subject: Schema.String,
  /** How often it was opened, this time included. */
  n: Schema.Int,
  state: Schema.Literals(["suspected", "open", "closed"]),
  /** Looks in a row that found it, and when the last one was. */
  looks: Schema.Int,
  lookedAt: Timestamp,
  since: Timestamp,
  /** Value and size of what is wrong when it was told last, and how often it was told to be worse. */
  toldValue: Schema.String,
  toldSize: Decimal.DecimalText,
  updates: Schema.Int,
  title: Schema.String,
  data: Schema.Record(Schema.String, Schema.Json)
})
export type Case = typeof Case.Type

const Month = Schema.Struct({ kind: Schema.Literal("month"), row: MonitorRow })
const Cases = Schema.Struct({
  kind: Schema.Literal("cases"),
  rows: Schema.Array(MonitorRow),
  /** By account, the oldest first: the last balance that the records agree with, and those after it. */
  balances: Schema.Array(
    Schema.Struct({ account: Schema.String, shifts: Schema.Array(Schema.Int), seen: Schema.Array(Seen) })
  ),
  cases: Schema.Array(Case)
})
export const MonitorState = Schema.Union([Month, Cases])
export type MonitorState = typeof MonitorState.Type
export type CasesState = typeof Cases.Type

/** The partition of what follows from everything else. */
export const casesKey = "cases"
export const mostCases = 1_000
/** Balances that are kept of an account. */
export const keptBalances = 12
