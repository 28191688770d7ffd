/** The time that a fake upstream lives by: that of the program that started it, so simulated time moves it as well. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

export interface FakeTime {
  /** Milliseconds. */
  readonly now: () => number
  readonly sleep: (millis: number) => Promise<void>
}

/** The time of the clock in whose context the fake is started: the real one, or one that a test moves. */
export const fakeTime: Effect.Effect<FakeTime> = Clock.clockWith((clock) =>
  Effect.succeed({
    now: () => clock.currentTimeMillisUnsafe(),
    sleep: (millis) => Effect.runPromise(clock.sleep(Duration.millis(millis)))
  })
)
