/** When data that was read through from upstream was true, and why it is not of now (decisions 4.1). */
import * as Schema from "effect/Schema"
import * as CalendarDate from "../shared/CalendarDate.ts"
import * as Recovery from "../failure/Recovery.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { Freshness } from "../usecase/AccountData.ts"
import { answerOf } from "./ErrorAnswer.ts"

/** Fields of `meta`. */
export const freshness = {
  asOf: Schema.optionalKey(
    Timestamp.Timestamp.annotate({ description: "When the answer was true at the bank; absent before the first read." })
  ),
  stale: Schema.Boolean.annotate({ description: "Stored data answers: the bank could not be read, or was not asked." }),
  reason: Schema.optionalKey(
    Schema.Struct({
      code: Schema.String,
      message: Schema.String,
      recovery: Schema.optionalKey(Recovery.Recovery)
    }).annotate({ description: "Why the bank could not be read." })
  )
}

/** Fields of `meta` of lists. */
export const freshList = {
  ...freshness,
  window: Schema.optionalKey(
    Schema.Struct({
      from: Schema.optionalKey(CalendarDate.CalendarDate),
      to: Schema.optionalKey(CalendarDate.CalendarDate)
    })
  ),
  /** Answers to a watermark: ids that vanished or no longer match. */
  removed: Schema.optionalKey(Schema.Array(Schema.String))
}

/** What `meta` says of an answer. */
export const freshnessOf = ({ asOf, problem, stale }: Freshness) => {
  if (problem === undefined) return { ...(asOf === undefined ? {} : { asOf }), stale }
  const { code, message, recovery } = answerOf(problem)
  const reason = { code, message, ...(recovery === undefined ? {} : { recovery }) }
  return { ...(asOf === undefined ? {} : { asOf }), stale, reason }
}
