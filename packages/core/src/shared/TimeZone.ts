/** Names of time zones (decisions 1.2). */
import * as Result from "effect/Result"

/**
 * The one spelling of an IANA name, `undefined` for what is none: names come in any case, and what is kept for a
 * zone must not be kept for every spelling of it.
 */
export const zoneOf = (name: string): string | undefined => {
  const format = Result.try(() => new Intl.DateTimeFormat("en", { timeZone: name }))
  return Result.isSuccess(format) ? format.success.resolvedOptions().timeZone : undefined
}
