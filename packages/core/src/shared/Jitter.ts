/** Waits that differ, so that many who failed at one moment do not come back at one moment. */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"

/** Up to a quarter longer than `seconds`, and never shorter: anyone who asked for a wait is not asked again before. */
export const stretched = (seconds: number): Effect.Effect<number> =>
  Effect.map(Random.next, (part) => seconds * (1 + part / 4))

/** Anything from `least` to `least + spread` seconds. */
export const spreadOver = (least: number, spread: number): Effect.Effect<number> =>
  Effect.map(Random.next, (part) => least + spread * part)
