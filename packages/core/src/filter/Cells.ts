/** The fields of one row that a compiled filter or set of rules reads. */
import type { CalendarDate } from "../shared/CalendarDate.ts"
import type { CellValue, RowValues } from "./FilterField.ts"
import { periodOf, type Period, type RelativeDate } from "./RelativeDate.ts"

/** The live rows that a relation of a row leads to, by the ids in its cell. */
export type RelatedRows = (relation: string, ids: ReadonlyArray<string>) => ReadonlyArray<RowValues>

const none: RelatedRows = () => []

const idsOf = (value: CellValue): ReadonlyArray<string> =>
  typeof value === "string" ? [value] : Array.isArray(value) ? value : []

/** What rows inherit from `Object.prototype` is no value of theirs. */
export const ownValue = (value: unknown): CellValue =>
  typeof value === "string" || typeof value === "boolean"
    ? value
    : Array.isArray(value)
      ? (value as ReadonlyArray<string>)
      : null

/**
 * One set of cells belongs to one compiled configuration and is filled anew for every row, so that rules see what
 * earlier rules wrote while the row stays as it is. Not for use by two evaluations at a time.
 */
export class Cells {
  readonly names: Array<string> = []
  private readonly slots = new Map<string, number>()
  private readonly values: Array<CellValue> = []
  private readonly known: Array<boolean> = []
  private row: RowValues = {}
  private relatedRows: RelatedRows = none
  private today = "" as CalendarDate
  private readonly periods = new Map<RelativeDate, Period>()

  /** The slot of a field; only while compiling. */
  slot(name: string): number {
    let slot = this.slots.get(name)
    if (slot === undefined) {
      slot = this.names.length
      this.slots.set(name, slot)
      this.names.push(name)
      this.values.push(null)
      this.known.push(false)
    }
    return slot
  }

  /** Starts on a row. `today` is the same for a whole run; filters without moving dates need none. */
  load(row: RowValues, today?: CalendarDate, relatedRows: RelatedRows = none): void {
    this.row = row
    this.relatedRows = relatedRows
    const { known } = this
    for (let slot = 0; slot < known.length; slot++) known[slot] = false
    if (today !== undefined && today !== this.today) {
      this.today = today
      this.periods.clear()
    }
  }

  readonly period = (token: RelativeDate): Period => {
    let period = this.periods.get(token)
    if (period === undefined) {
      period = periodOf(token, this.today)
      this.periods.set(token, period)
    }
    return period
  }

  value(slot: number): CellValue {
    if (!this.known[slot]!) {
      this.values[slot] = ownValue(this.row[this.names[slot]!])
      this.known[slot] = true
    }
    return this.values[slot]!
  }

  write(slot: number, value: CellValue): void {
    this.values[slot] = value
    this.known[slot] = true
  }

  /** As it stands; `""` for nothing. */
  plainText(slot: number): string {
    const value = this.value(slot)
    return typeof value === "string" ? value : value === null ? "" : String(value)
  }

  related(slot: number): ReadonlyArray<RowValues> {
    const ids = idsOf(this.value(slot))
    return ids.length === 0 ? [] : this.relatedRows(this.names[slot]!, ids)
  }
}
