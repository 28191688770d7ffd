/** The request budgets of one process, in its memory. */
import { RateLimiter, RollingWindow } from "@millrace/core/rate"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const newestOf = ({ stamps, next }: RollingWindow.Window): number => stamps[(next + stamps.length - 1) % stamps.length]!

/** The window for another limit, with the newest arrivals that both know. */
const resized = (window: RollingWindow.Window, limit: number): RollingWindow.Window => {
  const { stamps, next } = window
  const oldestFirst = [...stamps.subarray(next), ...stamps.subarray(0, next)]
  const other = RollingWindow.make(limit)
  const kept = oldestFirst.slice(-limit)
  other.stamps.set(kept, limit - kept.length)
  return other
}

export const layer: Layer.Layer<RateLimiter> = Layer.sync(RateLimiter, () => {
  // In the order of the last arrival, so that idle windows gather at the front.
  const windows = new Map<string, RollingWindow.Window>()

  const dropIdle = (now: number): void => {
    for (const [key, window] of windows) {
      if (now - newestOf(window) < RollingWindow.windowMillis) return
      windows.delete(key)
    }
  }

  return RateLimiter.of({
    arrive: (key, limit) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const held = windows.get(key)
        const window =
          held === undefined ? RollingWindow.make(limit) : held.stamps.length === limit ? held : resized(held, limit)
        windows.delete(key)
        windows.set(key, window)
        const decision = RollingWindow.arrive(window, now)
        dropIdle(now)
        return decision
      })
  })
})
