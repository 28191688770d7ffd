import { retryWithBackoff } from "../../src/shared/RetryWithBackoff.ts"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"

/** Fails with each of these waits in turn, then succeeds. */
const trial = (waits: ReadonlyArray<number | undefined>, sleep: Effect.Effect<void, "woken"> = Effect.void) => {
  const slept: Array<readonly [seconds: number, wait: number | undefined, tried: number]> = []
  let tries = 0
  const effect = Effect.suspend(() => {
    const at = tries++
    return at < waits.length ? Effect.fail(waits[at]) : Effect.succeed("done")
  })
  const run = retryWithBackoff(effect, {
    retries: 2,
    longestWait: 60,
    waitAfter: (wait, tried) => Effect.succeed(wait === undefined ? undefined : wait * tried),
    sleep: (seconds, wait, tried) =>
      Effect.andThen(
        sleep,
        Effect.sync(() => void slept.push([seconds, wait, tried]))
      )
  })
  return Effect.map(Effect.result(run), (result) => ({
    result: result._tag === "Success" ? result.success : { failed: result.failure },
    slept,
    tries
  }))
}

it.effect.each([
  ["succeeds at once", [], { result: "done", slept: [], tries: 1 }],
  [
    "waits as long as each failure says, and counts its tries",
    [5, 60 / 2],
    {
      result: "done",
      slept: [
        [5, 5, 1],
        [60, 30, 2]
      ],
      tries: 3
    }
  ],
  [
    "gives up after its retries with the last error",
    [1, 2, 3],
    {
      result: { failed: 3 },
      slept: [
        [1, 1, 1],
        [4, 2, 2]
      ],
      tries: 3
    }
  ],
  ["does not wait longer than it may", [5, 31], { result: { failed: 31 }, slept: [[5, 5, 1]], tries: 2 }],
  ["does not try again where that cannot help", [undefined], { result: { failed: undefined }, slept: [], tries: 1 }]
] as const)("%s", ([, waits, expected]) => Effect.map(trial(waits), (found) => expect(found).toEqual(expected)))

it.effect("ends where its wait is ended", () =>
  Effect.map(trial([1], Effect.fail("woken" as const)), (found) =>
    expect(found).toEqual({ result: { failed: "woken" }, slept: [], tries: 1 })
  )
)
