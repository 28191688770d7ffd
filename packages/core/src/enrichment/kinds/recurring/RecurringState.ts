/** What is kept of series in a partition (enrichments C10). */
import * as Schema from "effect/Schema"
import { CalendarDate } from "../../../shared/CalendarDate.ts"
import { CadenceName } from "./Cadence.ts"

export const RecurringState = Schema.Struct({
  series: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      merchant: Schema.String,
      direction: Schema.Literals(["out", "in"]),
      cadence: CadenceName,
      schedule: Schema.String,
      state: Schema.Literals(["early", "mature", "late", "ended"]),
      /** As a person named it. */
      name: Schema.NullOr(Schema.String),
      first: CalendarDate,
      last: CalendarDate,
      expected: CalendarDate,
      /** By day. */
      recordIds: Schema.Array(Schema.String)
    })
  )
})
export type RecurringState = typeof RecurringState.Type
