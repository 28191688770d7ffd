/** Segments of tests. */
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import type { Segment } from "../../src/sync/Segment.ts"

/** All transactions of a connection, 90 days back, as its driver can read them; or what else is said. */
export const segmentOf = (
  own: Pick<Segment, "bank" | "session" | "accounts" | "today"> & Partial<Segment>
): Segment => ({
  account: undefined,
  dataType: "transactions",
  capability: own.session.driver.capabilities.dataTypes.transactions!,
  range: undefined,
  earliest: CalendarDate.addDays(own.today, -90),
  lookbackDays: 0,
  accountsAgree: true,
  reset: false,
  byIdOnly: false,
  ...own
})
