/** The fields of one record that a compiled set of rules reads and writes. */
import type { CalendarDate } from "../shared/CalendarDate.ts"
import { Work } from "../shared/Work.ts"
import type { Reading } from "./Closures.ts"
import type { CellValue, RowValues } from "./FilterField.ts"
import { ownValue } from "./ValueTest.ts"
import { periodOf, type Period, type RelativeDate } from "./RelativeDate.ts"

/** Units of work for each character of a value that is compared with that of another field. */
const comparedWork = 4

/**
 * One set of cells belongs to one compiled configuration and is filled again for every record, so that rules see
 * what earlier rules wrote while the record stays as it is. Not for use by two evaluations at a time.
 */
export class Cells {
  readonly names: Array<string> = []
  private readonly slots = new Map<string, number>()
  private readonly values: Array<CellValue> = []
  private readonly known: Array<boolean> = []
  private row: RowValues = {}
  private today = "" as CalendarDate
  /** What is done with the record is counted here. */
  work: Work = new Work()
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

  /** Starts on a record. `today` is the same for a whole run. */
  load(row: RowValues, { today, work }: { readonly today: CalendarDate; readonly work: Work }): void {
    this.row = row
    this.work = work
    const { known } = this
    for (let slot = 0; slot < known.length; slot++) known[slot] = false
    if (today !== this.today) {
      this.today = today
      this.periods.clear()
    }
  }

  private period(token: RelativeDate): Period {
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

  /** How conditions read the cells; only while compiling. Records have no relations. */
  readonly reading: Reading<Cells> = {
    value: (field) => {
      const slot = this.slot(field)
      return (cells) => {
        const value = cells.value(slot)
        // Anyone who reads it looks at its characters, and compares it with another.
        cells.work.spend(typeof value === "string" ? 1 + comparedWork * value.length : 1)
        return value
      }
    },
    ask: (field, { text, other, work }) => {
      const slot = this.slot(field)
      return (cells) => {
        const value = cells.value(slot)
        if (typeof value !== "string") {
          cells.work.spend(1)
          return other(value)
        }
        cells.work.spend(1 + work * value.length)
        return text(value)
      }
    },
    related: () => () => [],
    periods: (token) => this.period(token)
  }
}
