/** Hints that say when, and not for how long, to wait. */
import { hintSeconds } from "@millrace/core/provider"

/** Seconds until an instant that is given in seconds since 1970; `undefined` where the text is no such number. */
export const secondsUntil = (epochSeconds: string | undefined, now: number): number | undefined => {
  const text = epochSeconds?.trim() ?? ""
  return /^\d{9,11}(?:\.\d{1,6})?$/.test(text) ? hintSeconds(Math.max(0, Number(text) - now / 1000)) : undefined
}
