/** A range of days; both ends belong to it. */
import type { CalendarDate } from "../../shared/CalendarDate.ts"

export interface Days {
  readonly from: CalendarDate
  readonly to: CalendarDate
}
