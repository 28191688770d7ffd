/**
 * A refill bucket, kept as one instant: when the next request may go.
 *
 * A burst may go at once; then requests are spread evenly. Anyone who asks is given a place in the line, and waits until then.
 */

export interface Refill {
  /** Requests that may go at once after a rest. */
  readonly burst: number
  /** Seconds between two places. */
  readonly interval: number
}

/** Instants in milliseconds. `nextAt` after it is what to keep; it has not moved when there was no place. */
export const place = (
  nextAt: number,
  now: number,
  refill: Refill,
  patienceSeconds: number
): { readonly nextAt: number; readonly wait: number; readonly granted: boolean } => {
  const at = Math.max(nextAt, now - (refill.burst - 1) * refill.interval * 1000)
  const wait = waitUntil(at, now)
  const granted = wait <= patienceSeconds
  return { granted, wait, nextAt: granted ? at + refill.interval * 1000 : nextAt }
}

/** Seconds, in whole milliseconds, but none for what sums of fractions leave. */
export const waitUntil = (at: number, now: number): number => Math.max(0, Math.ceil(at - now - 1e-6)) / 1000
