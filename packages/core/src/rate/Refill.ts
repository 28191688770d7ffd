/**
 * A refill bucket, kept as one instant: when the next request may go.
 *
 * A small burst may go at once; then requests are spread evenly, so that no 60 seconds ever see more of them
 * than the budget. Whoever asks is given a place in the line, and waits until then.
 */

export interface Refill {
  /** Requests that may go at once after a rest. */
  readonly burst: number
  /** Seconds between two places. */
  readonly interval: number
}

/** The bucket of a budget of requests per minute; at least 1. */
export const refillOf = (perMinute: number): Refill => {
  const burst = Math.max(1, Math.floor(perMinute / 10))
  return { burst, interval: 60 / (perMinute - burst + 1) }
}

/** Instants in milliseconds. `nextAt` after it is what to keep; it has not moved when there was no place. */
export const place = (
  nextAt: number,
  now: number,
  refill: Refill,
  patienceSeconds: number
): { readonly nextAt: number; readonly wait: number; readonly granted: boolean } => {
  const step = refill.interval * 1000
  const at = Math.max(nextAt, now - (refill.burst - 1) * step)
  // Whole milliseconds, but none for what sums of fractions leave.
  const wait = Math.max(0, Math.ceil(at - now - 1e-6)) / 1000
  const granted = wait <= patienceSeconds
  return { granted, wait, nextAt: granted ? at + step : nextAt }
}
