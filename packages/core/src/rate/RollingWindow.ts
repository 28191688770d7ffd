/**
 * Admission by a rolling 60-second window in which refused requests count too (specification 8).
 *
 * Since refusals count, the last `limit` arrivals are all there is to know: a request is admitted exactly
 * when the oldest of them is 60 s old. So a window is a ring of `limit` instants: O(1), fixed memory.
 */
export const windowMillis = 60_000

export interface Window {
  /** Arrival times in milliseconds; -Infinity where none was yet. */
  readonly stamps: Float64Array
  /** Place of the oldest arrival. */
  next: number
}

export interface Decision {
  readonly admitted: boolean
  readonly limit: number
  /** Whole seconds until one request would be admitted if nothing else came, 1 to 60; 0 when admitted. */
  readonly retryAfter: number
}

export const make = (limit: number): Window => ({
  stamps: new Float64Array(limit).fill(-Infinity),
  next: 0
})

/** Records an arrival and decides it. A clock that goes back cannot admit more than a standing one would. */
export const arrive = (window: Window, now: number): Decision => {
  const { stamps } = window
  const limit = stamps.length
  const oldest = stamps[window.next]!
  const newest = stamps[(window.next + limit - 1) % limit]!
  const at = Math.max(now, newest)
  const admitted = at - oldest >= windowMillis
  stamps[window.next] = at
  window.next = (window.next + 1) % limit
  if (admitted) return { admitted, limit, retryAfter: 0 }
  // What will be the oldest when the next request comes.
  const blocking = stamps[window.next]!
  return { admitted, limit, retryAfter: Math.min(60, Math.max(1, Math.ceil((blocking + windowMillis - at) / 1000))) }
}
