/**
 * A refill bucket, kept as one instant: when the next request may go.
 *
 * A burst may go at once; then requests are spread evenly, so that no such time ever sees more of them than the limit. Whoever asks is given a place in the line, and waits until then.
 */

export interface Refill {
  /** Requests that may go at once after a rest. */
  readonly burst: number
  /** Seconds between two places. */
  readonly interval: number
}

/** Requests of a small limit within a minute: those of one connection or account, which asks a few times in a row. */
const small = 50

/**
 * The bucket of a limit of requests within so many seconds; at least 1. Unless `burst` is given, half of them may go at once
 * where they are few or the time is longer than a minute, and a tenth of many within a minute.
 */
export const refillOf = (requests: number, seconds = 60, burst?: number): Refill => {
  const some = burst ?? (seconds <= 60 && requests > small ? Math.floor(requests / 10) : Math.ceil(requests / 2))
  const most = Math.min(requests, Math.max(1, Math.floor(some)))
  return { burst: most, interval: seconds / (requests - most + 1) }
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
