/** What records add to the checks of a monitor (enrichments C13). */
import type { FieldCatalog } from "../../../record/FieldCatalog.ts"
import type { Fields, FieldValue } from "../../../record/FieldValue.ts"
import { Cells } from "../../../filter/Cells.ts"
import { predicate, type Predicate } from "../../../filter/Closures.ts"
import type { PatternEngine } from "../../../pattern/Pattern.ts"
import { conditionOf } from "../../../rule/Condition.ts"
import { leavesOf } from "../../../rule/ConditionGroup.ts"
import { movesWithTheDay } from "../../../rule/lint/ConditionCheck.ts"
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import * as Currency from "../../../shared/Currency.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import { convert, type RateTable } from "../../../shared/RateTable.ts"
import type { Work } from "../../../shared/Work.ts"
import type { SetRecord } from "../SetKind.ts"
import type { CheckOf, MonitorConfig } from "./MonitorConfig.ts"
import type { MonitorRow } from "./MonitorState.ts"

interface PreparedAggregate {
  readonly check: CheckOf<"aggregate">
  readonly holds: Predicate<Cells>
}

/** A monitor that is ready to look at records. Keeps scratch space: one record at a time. */
export interface PreparedMonitor {
  readonly config: MonitorConfig
  readonly cells: Cells
  readonly aggregates: ReadonlyArray<PreparedAggregate>
  readonly fields: ReadonlyArray<string>
  /** Which of the parts of a row its checks need. */
  readonly needs: { readonly posted: boolean; readonly series: boolean; readonly legs: boolean }
  /** Days for which rows are kept. */
  readonly reachDays: number
  /** Whether an aggregate may count other records on another day. */
  readonly moves: boolean
}

/** An annual series, and some days in which it may be late. */
const seriesDays = 430
/** Longer than anybody waits for the other side of a transfer. */
const legDays = 120
const tieOutDays = 120

export const prepareMonitor = (
  config: MonitorConfig,
  catalog: FieldCatalog,
  patterns: PatternEngine
): PreparedMonitor => {
  const cells = new Cells()
  const kinds = new Set<string>(config.checks.map(({ kind }) => kind))
  const asked = config.checks.filter((check) => check.kind === "aggregate")
  const needs = {
    posted: kinds.has("tieOut"),
    series: kinds.has("missingRecurring"),
    legs: kinds.has("missingTransferLeg")
  }
  return {
    config,
    cells,
    aggregates: asked.map((check) => ({
      check,
      holds: predicate(conditionOf(check.conditions, catalog, patterns), cells.reading)
    })),
    fields: [
      ...new Set([
        "date",
        "amount",
        "currency",
        "pending",
        "removed",
        "type",
        "category",
        "merchantName",
        "description",
        "transfer.state",
        "recurring.seriesId",
        "recurring.state",
        "recurring.expectedDate",
        ...asked.flatMap(({ conditions, field }) => [
          field,
          ...Array.from(leavesOf(conditions, ""), ([leaf]) => leaf.field)
        ])
      ])
    ].toSorted(),
    needs,
    reachDays: Math.max(
      0,
      ...asked.map(({ windowDays }) => windowDays),
      needs.posted ? tieOutDays : 0,
      needs.series ? seriesDays : 0,
      needs.legs ? legDays : 0
    ),
    moves: asked.some(({ conditions }) => movesWithTheDay(conditions, catalog, patterns))
  }
}

export const textOf = (value: FieldValue | undefined): string => (typeof value === "string" ? value : "")

export const dayOf = (fields: Fields): CalendarDate.CalendarDate | undefined =>
  CalendarDate.ofText(textOf(fields["date"]))

const undated = "undated"

export const rowKey = ({ accountId, fields }: SetRecord): string =>
  `${dayOf(fields)?.slice(0, 7) ?? undated}:${accountId}`

/** The keys of an account that a day and those up to so many days before it fall into. */
export const keysBack = (account: string, today: CalendarDate.CalendarDate, days: number): ReadonlyArray<string> => {
  const keys = [`${undated}:${account}`]
  for (let day = CalendarDate.addDays(today, -days); day.slice(0, 7) <= today.slice(0, 7);) {
    keys.push(`${day.slice(0, 7)}:${account}`)
    day = CalendarDate.addDays(CalendarDate.make(`${day.slice(0, 7)}-28`), 4)
  }
  return keys
}

/** Whether a row says something of the days that are looked at. */
export const isKept = (key: string, today: CalendarDate.CalendarDate, days: number): boolean =>
  key.startsWith(undated) || key.slice(0, 7) >= CalendarDate.addDays(today, -days).slice(0, 7)

const linked: ReadonlySet<string> = new Set(["suggested", "auto", "confirmed"])
const isLeg = (fields: Fields): boolean => {
  const state = textOf(fields["transfer.state"])
  if (linked.has(state)) return false
  const type = textOf(fields["type"])
  // Cash from a machine has the category of a transfer, and no other side.
  const isUntold = type === "" || type === "OTHER"
  return (
    state === "broken" ||
    type.startsWith("TRANSFER_") ||
    (isUntold && /^TRANSFER_(IN|OUT)$/u.test(textOf(fields["category"])))
  )
}

export interface Measuring {
  readonly work: Work
  readonly baseCurrency: Currency.Currency
  readonly rates: RateTable
  readonly today: CalendarDate.CalendarDate
}

const groupOf = ({ groupBy }: CheckOf<"aggregate">, { accountId, fields }: SetRecord): string =>
  groupBy === undefined
    ? ""
    : groupBy === "account"
      ? accountId
      : groupBy === "category"
        ? textOf(fields["category"])
        : textOf(fields["merchantName"]) || textOf(fields["description"])

/** The measured value of a record: `null` where it has none, `undefined` where there is no rate for it. */
const valueOf = (
  { field, measure }: CheckOf<"aggregate">,
  fields: Fields,
  { baseCurrency, rates, today }: Measuring
): Decimal.Decimal | null | undefined => {
  if (measure === "count") return Decimal.zero
  const value = Decimal.parse(textOf(fields[field]))
  if (value === undefined) return null
  const currency = Currency.parse(textOf(fields["currency"]))
  if (currency === undefined || currency === baseCurrency || field !== "amount") return value
  return convert(rates, value, currency, baseCurrency, dayOf(fields) ?? today)?.amount
}

type Group = MonitorRow["groups"][number]

const inOrder = <A>(map: ReadonlyMap<string, A>): ReadonlyArray<A> =>
  [...map].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one)

export const rowOf = (
  prepared: PreparedMonitor,
  key: string,
  account: string,
  records: ReadonlyArray<SetRecord>,
  measuring: Measuring
): MonitorRow => {
  const { aggregates, cells, needs } = prepared
  const posted = new Map<CalendarDate.CalendarDate, Array<Decimal.Decimal>>()
  const series = new Map<string, MonitorRow["series"][number]>()
  const legs: Array<MonitorRow["legs"][number]> = []
  const groups = new Map<string, Group>()
  for (const record of records) {
    const { fields, recordId } = record
    if (fields["removed"] === true) continue
    const date = dayOf(fields)
    const amount = Decimal.parse(textOf(fields["amount"]))
    const isBooked = fields["pending"] !== true
    if (date !== undefined && amount !== undefined && isBooked) {
      if (needs.posted) {
        const day = posted.get(date) ?? []
        posted.set(date, day)
        day.push(amount)
      }
      if (needs.legs && amount !== "0" && isLeg(fields)) legs.push({ recordId, date, amount })
    }
    const id = textOf(fields["recurring.seriesId"])
    const expected = CalendarDate.ofText(textOf(fields["recurring.expectedDate"]))
    if (needs.series && id !== "" && date !== undefined && expected !== undefined) {
      const name = textOf(fields["merchantName"]) || textOf(fields["description"])
      const isOver = textOf(fields["recurring.state"]) === "ended"
      if (!isOver && (series.get(id)?.date ?? "") <= date) series.set(id, { id, date, expected, name })
    }
    if (aggregates.length === 0) continue
    cells.load(fields, measuring)
    for (const { check, holds } of aggregates) {
      if (!holds(cells)) continue
      const value = valueOf(check, fields, measuring)
      if (value === null) continue
      const group = groupOf(check, record)
      const place = JSON.stringify([check.key, group, date ?? ""])
      const known = groups.get(place)
      if (value === undefined) {
        const none = { check: check.key, group, date: date ?? null, count: 0, sum: Decimal.zero, max: Decimal.zero }
        groups.set(
          place,
          known === undefined ? { ...none, unconverted: 1 } : { ...known, unconverted: known.unconverted + 1 }
        )
        continue
      }
      groups.set(place, {
        check: check.key,
        group,
        date: date ?? null,
        count: (known?.count ?? 0) + 1,
        sum: Decimal.add(known?.sum ?? Decimal.zero, value),
        max: known === undefined || known.count === 0 || Decimal.compare(value, known.max) > 0 ? value : known.max,
        unconverted: known?.unconverted ?? 0
      })
    }
  }
  return {
    key,
    account,
    posted: [...posted]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([date, amounts]) => [date, Decimal.sum(amounts)] as const),
    series: inOrder(series),
    legs,
    groups: inOrder(groups)
  }
}

export const isEmptyRow = ({ groups, legs, posted, series }: MonitorRow): boolean =>
  groups.length === 0 && legs.length === 0 && posted.length === 0 && series.length === 0
