import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as BodyMemory from "../src/middleware/BodyMemory.ts"
import * as Server from "./fakes/Server.ts"

describe("room for bodies", () => {
  it.effect("is waited for a few seconds, and refused then with when to come back", () =>
    Effect.gen(function* () {
      const memory = BodyMemory.make(10_240)
      const first = yield* memory.take(8_000)
      const patient = yield* Effect.forkChild(Effect.exit(memory.take(8_000)))
      yield* TestClock.adjust("4 seconds")
      yield* memory.release(first)
      expect((yield* Fiber.join(patient))._tag).toBe("Success")
      const late = yield* Effect.forkChild(Effect.flip(memory.take(8_000)))
      yield* TestClock.adjust("5 seconds")
      expect((yield* Fiber.join(late)).answer).toMatchObject({ status: 503, code: "SERVER_BUSY" })
    })
  )

  it.effect("is had whole by a body that is larger than all of it", () =>
    Effect.gen(function* () {
      const memory = BodyMemory.make(10_240)
      expect(yield* memory.take(1_000_000)).toBe(10)
    })
  )

  it("is given back by every request, refused ones too", async () => {
    // Two of these bodies would not fit at once.
    const server = Server.make({ bodyMemory: 2_048 })
    const body = JSON.stringify({ name: "x".repeat(1_500), source: "sync", dataType: "transactions" })
    for (const _ of Array.from({ length: 4 })) {
      expect((await server.call("POST", "/v1/feeds", { body })).status).toBe(400)
      expect((await server.call("POST", "/v1/feeds", { body: "{".repeat(1_500) })).status).toBe(400)
    }
  })
})
