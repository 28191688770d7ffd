/** Ports: what plans of sets depend on besides records, people and time (enrichments A5, A12.4, A12.5). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type BusinessCalendar, standardWeek } from "../../shared/BusinessCalendar.ts"
import { noRates, type RateTable } from "../../shared/RateTable.ts"
import type { WorkspaceId } from "../../workspace/Workspace.ts"

/**
 * Daily mid rates. There are none unless a program provides them: amounts of other currencies then stay unconverted, and are
 * listed as such.
 */
export const Rates = Context.Reference<{ readonly read: Effect.Effect<RateTable> }>("@millrace/core/enrichment/Rates", {
  defaultValue: () => ({ read: Effect.succeed(noRates) })
})

/** The business days of a workspace; Monday to Friday unless a program says otherwise. */
export const BusinessCalendars = Context.Reference<{ readonly of: (workspaceId: WorkspaceId) => BusinessCalendar }>(
  "@millrace/core/enrichment/BusinessCalendars",
  { defaultValue: () => ({ of: () => standardWeek }) }
)
