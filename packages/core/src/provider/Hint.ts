/** How long an upstream asks to wait: said in many ways, and not always sensibly. */

/** A day: no upstream is left alone for longer because of a hint. */
export const longestHint = 86_400

/** What is waited where a hint is useless. */
const unknownHint = 60

/**
 * Whole seconds from 1 to a day. What is negative, no number or missing says nothing, and becomes a minute; what is more
 * than a day, such as an instant that was taken for seconds, becomes a day.
 */
export const hintSeconds = (hint: number | undefined): number =>
  hint === undefined || Number.isNaN(hint) || hint < 0
    ? unknownHint
    : Math.min(longestHint, Math.max(1, Math.ceil(hint)))

/** Seconds in `Retry-After`, which has seconds or a date; `undefined` where it says nothing that can be read. `now` in milliseconds. */
export const retryAfterSeconds = (
  headers: Readonly<Record<string, string>>,
  now: number | undefined
): number | undefined => {
  const text = headers["retry-after"]?.trim()
  if (text === undefined || text === "") return undefined
  if (/^-?\d{1,12}(\.\d{1,6})?$/.test(text)) return hintSeconds(Number(text))
  const at = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN
  return now === undefined || Number.isNaN(at) ? undefined : hintSeconds(Math.max(0, at - now) / 1000)
}
