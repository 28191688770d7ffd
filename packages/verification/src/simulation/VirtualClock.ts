/** Time that passes when somebody sleeps, and at no cost: for runs that nothing else happens beside. */
import { Timestamp } from "@millrace/core"
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** When a scenario begins, unless it says otherwise. */
export const epoch = Timestamp.toMillis(Timestamp.make("2026-11-21T09:30:00.000Z"))

export class VirtualClock implements Clock.Clock {
  now = epoch
  currentTimeMillisUnsafe = () => this.now
  currentTimeMillis = Effect.sync(() => this.now)
  monotonicTimeNanosUnsafe = () => BigInt(this.now) * 1_000_000n
  monotonicTimeNanos = Effect.sync(() => BigInt(this.now) * 1_000_000n)
  currentTimeNanosUnsafe = this.monotonicTimeNanosUnsafe
  currentTimeNanos = this.monotonicTimeNanos
  sleep = (duration: Duration.Duration) => Effect.sync(() => this.pass(Duration.toMillis(duration) / 1000))

  pass(seconds: number): void {
    this.now += Math.round(seconds * 1000)
  }
}
