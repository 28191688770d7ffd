/** What a TriggerSyncBody asks for, by data type (decisions 7.5). */
import * as Effect from "effect/Effect"
import { InvalidInput, Unprocessable } from "../failure/Failure.ts"
import type { Feed } from "../feed/Feed.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import type { Finding } from "./Finding.ts"
import { plans } from "../workspace/Plan.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import type { Job, SyncOptions } from "./Job.ts"
import type { TriggerSync } from "./Jobs.ts"

/** An end date without a start reaches this far back. */
const openStartDays = 90

export interface SyncPlan {
  readonly mode: Job["mode"]
  readonly options: SyncOptions
  /** What was asked for reaches further back than the plan of the workspace. */
  readonly clamped: Finding | undefined
}

const refused = (option: string, what: string) =>
  new Unprocessable({
    code: "SYNC_OPTIONS_INVALID",
    message: `${option} cannot be used with ${what}`,
    details: [{ field: option, message: `cannot be used with ${what}` }]
  })

export const planSync = Effect.fnUntraced(function* (
  feed: Feed,
  workspace: Workspace,
  request: TriggerSync,
  today: CalendarDate.CalendarDate
) {
  const { endDate, startDate } = request
  const flags = {
    forceCancelActive: request.forceCancelActive ?? false,
    resetCursors: request.resetCursors ?? false,
    skipDedup: request.skipDedup ?? false
  }
  if (startDate !== undefined && endDate !== undefined && startDate > endDate) {
    return yield* new InvalidInput({
      code: "INVALID_DATE_RANGE",
      message: "startDate must not be after endDate",
      details: [{ field: "startDate", message: "must not be after endDate" }]
    })
  }
  if (startDate !== undefined && startDate > today) {
    return yield* new InvalidInput({
      code: "INVALID_DATE_RANGE",
      message: "startDate must not be in the future",
      details: [{ field: "startDate", message: "must not be in the future" }]
    })
  }
  const named = startDate !== undefined ? "startDate" : endDate !== undefined ? "endDate" : undefined
  if (named === undefined) {
    return { mode: flags.resetCursors ? "full" : "incremental", options: flags, clamped: undefined } satisfies SyncPlan
  }
  if (feed.source !== "sync") return yield* refused(named, `${feed.source} feeds`)
  if (feed.dataType !== "transactions" && feed.dataType !== "trades") return yield* refused(named, feed.dataType)
  // It would leave a gap after the end that no later run fills.
  if (flags.resetCursors && endDate !== undefined) return yield* refused("endDate", "resetCursors")

  const end = CalendarDate.min(endDate ?? today, today)
  const asked = startDate ?? CalendarDate.addDays(end, -openStartDays)
  const days = plans[workspace.plan].historyDays
  const earliest = days === undefined ? asked : CalendarDate.addDays(today, -days)
  const start = CalendarDate.max(asked, earliest)
  const clamped: Finding | undefined =
    start === asked
      ? undefined
      : {
          severity: "warning",
          category: "validation",
          code: "RANGE_CLAMPED",
          message: `The plan keeps ${days} days of history: the sync begins on ${start}`
        }
  return (
    flags.resetCursors
      ? { mode: "full", options: { ...flags, startDate: start }, clamped }
      : { mode: "range", options: { ...flags, startDate: start, endDate: CalendarDate.max(start, end) }, clamped }
  ) satisfies SyncPlan
})
