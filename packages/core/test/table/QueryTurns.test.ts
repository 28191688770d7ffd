import { ServerBusy } from "../../src/failure/Failure.ts"
import { makeQueryTurns } from "../../src/table/QueryTurns.ts"
import type { WorkspaceId } from "../../src/workspace/Workspace.ts"
import { expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"

const greedy = "ws_greedy" as WorkspaceId
const other = "ws_other" as WorkspaceId

it.effect("gives few turns to one workspace, whatever it asks for, and leaves the others theirs", () =>
  Effect.gen(function* () {
    const turns = makeQueryTurns()
    const end = yield* Deferred.make<void>()
    let running = 0
    let most = 0
    const slow = Effect.gen(function* () {
      most = Math.max(most, ++running)
      yield* Deferred.await(end)
      running--
    })
    const asked = yield* Effect.forEach(Array.from({ length: 20 }), () => Effect.forkChild(turns.take(greedy, slow)))
    yield* Effect.yieldNow
    expect(running).toBe(2)
    // Nobody else waits for it.
    expect(yield* turns.take(other, Effect.succeed("at once"))).toBe("at once")
    yield* Deferred.succeed(end, undefined)
    for (const fiber of asked) yield* Fiber.join(fiber)
    expect([running, most]).toEqual([0, 2])
  })
)

it.effect("tells those who do not get a turn in time to come again, and gives no turn away with them", () =>
  Effect.gen(function* () {
    const turns = makeQueryTurns()
    const end = yield* Deferred.make<void>()
    const asked = yield* Effect.forEach(Array.from({ length: 5 }), () =>
      Effect.forkChild(Effect.result(turns.take(greedy, Deferred.await(end))))
    )
    yield* Effect.yieldNow
    yield* TestClock.adjust("6 seconds")
    yield* Deferred.succeed(end, undefined)
    const results = yield* Effect.forEach(asked, Fiber.join)
    expect(results.filter((result) => result._tag === "Failure").map((result) => result.failure)).toEqual(
      Array.from({ length: 3 }, () => new ServerBusy())
    )
    for (let n = 0; n < 3; n++) expect(yield* turns.take(greedy, Effect.succeed(n))).toBe(n)
  })
)

it.effect("gives turns back of reads that fail or are given up", () =>
  Effect.gen(function* () {
    const turns = makeQueryTurns()
    for (let n = 0; n < 10; n++) {
      expect(yield* Effect.flip(turns.take(greedy, Effect.fail(n)))).toBe(n)
      const fiber = yield* Effect.forkChild(turns.take(greedy, Effect.never))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
    }
    expect(yield* turns.take(greedy, Effect.succeed("still"))).toBe("still")
  })
)
