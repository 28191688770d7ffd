/** Names of time zones (decisions 1.2). */
import * as Result from "effect/Result"

/** Spellings that were looked up, since a lookup costs as much as reading fifty rows. There are fewer than 600 zones. */
const known = new Map<string, string>()
const most = 2_000

/**
 * The one spelling of an IANA name, `undefined` for what is none: names come in any case, and what is kept for a
 * zone must not be kept for every spelling of it.
 */
export const zoneOf = (name: string): string | undefined => {
  const found = known.get(name)
  if (found !== undefined) return found
  const format = Result.try(() => new Intl.DateTimeFormat("en", { timeZone: name }))
  if (Result.isFailure(format)) return undefined
  const zone = format.success.resolvedOptions().timeZone
  if (known.size < most) known.set(name, zone)
  return zone
}
