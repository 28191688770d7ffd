import { describe, expect, it } from "@effect/vitest"
import { Seeded } from "@millrace/testing/model"
import { EventLoop } from "@millrace/verification/simulation/EventLoop"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

const at = (loop: EventLoop) => loop.now - new EventLoop().now

/** In which order eight fibers that can all run do. */
const orderOf = (seed: number): string => {
  const loop = new EventLoop(new Seeded(seed))
  const order: Array<number> = []
  const all = Array.from({ length: 8 }, (_, n) =>
    Effect.andThen(
      Effect.yieldNow,
      Effect.sync(() => order.push(n))
    )
  )
  loop.complete(Effect.all(all, { concurrency: "unbounded" }), Infinity)
  return order.join("")
}

describe("an event loop", () => {
  it("wakes sleepers in the order of their time, whatever order they went to sleep in", () => {
    const loop = new EventLoop()
    const woken: Array<string> = []
    const sleepers = [30, 10, 20, 10].map((millis, n) =>
      Effect.sync(() => woken.push(`${at(loop)}:${n}`)).pipe(Effect.delay(millis))
    )
    const exit = loop.complete(
      Effect.provideService(Effect.all(sleepers, { concurrency: "unbounded" }), Clock.Clock, loop.clock()),
      Infinity
    )
    expect([exit !== undefined && Exit.isSuccess(exit), woken]).toEqual([true, ["10:1", "10:3", "20:2", "30:0"]])
  })

  it("gives up on what does not end in time, and lets it go on later", () => {
    const loop = new EventLoop()
    const until = loop.now + 50
    let ended = false
    const sleeper = Effect.andThen(
      loop.sleep(80),
      Effect.sync(() => {
        ended = true
      })
    )
    expect([loop.complete(sleeper, until), ended, loop.now]).toEqual([undefined, false, until])
    loop.run(until + 30)
    expect(ended).toBe(true)
  })

  it("does not wake whoever was interrupted", () => {
    const loop = new EventLoop()
    const raced = Effect.raceFirst(Effect.as(loop.sleep(10), "first"), Effect.as(loop.sleep(1_000), "second"))
    expect(loop.complete(raced, Infinity)).toEqual(Exit.succeed("first"))
    expect(loop.next).toBeUndefined()
  })

  it("wakes everybody late after a stride", () => {
    const loop = new EventLoop()
    const woken: Array<number> = []
    loop.at(loop.now + 5, () => woken.push(at(loop)))
    loop.at(loop.now + 90, () => woken.push(at(loop)))
    let strode = false
    loop.run(
      loop.now + 100,
      () => false,
      () => {
        if (strode) return undefined
        strode = true
        return loop.now + 60
      }
    )
    expect(woken).toEqual([60, 90])
  })

  it("lets a seed decide who of those who can run is first", () => {
    expect(orderOf(1)).toBe(orderOf(1))
    expect(new Set([1, 2, 3, 4, 5].map(orderOf)).size).toBeGreaterThan(3)
  })
})
