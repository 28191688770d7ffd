import { describe, it } from "@effect/vitest"
import * as MemoryStorage from "@millrace/adapters/storage/memory/MemoryStorage"
import { limits } from "@millrace/core/shared/Limits"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll } from "vitest"
import { makeSimulation } from "@millrace/testing/simulation/Simulation"
import { VirtualClock } from "@millrace/testing/simulation/VirtualClock"
import { play } from "@millrace/testing/simulation/ScriptLife"

const long = process.env["MILLRACE_LONG"] !== undefined
const first = Number(process.env["MILLRACE_SEED"] ?? 1)
const scripts =
  process.env["MILLRACE_SEED"] !== undefined ? 1 : Number(process.env["MILLRACE_SCRIPTS"] ?? (long ? 20_000 : 700))

// Small chunks, so that a few rows cross their borders.
const sizes = limits as { commitChunk: number }
const { commitChunk } = limits
beforeAll(() => {
  sizes.commitChunk = 3
})
afterAll(() => {
  sizes.commitChunk = commitChunk
})

describe("sync of random lives of an account", () => {
  for (const [nth, model] of (["upsertByKey", "readBack", "wholeFile"] as const).entries()) {
    it.effect(
      `ends with exactly what the bank says, at a table and at a destination that is ${model}`,
      () => {
        const clock = new VirtualClock()
        const simulation = makeSimulation({ storage: MemoryStorage.layer, clock, model })
        return Effect.gen(function* () {
          // Other lives for each destination, unless one is asked for.
          const from = process.env["MILLRACE_SEED"] === undefined ? first + nth * 1_000_000 : first
          for (let seed = from; seed < from + scripts; seed++) {
            yield* play(seed, simulation, { steps: 14 }).pipe(
              Effect.tapCause(() =>
                Effect.sync(() => process.stderr.write(`failed: MILLRACE_SEED=${seed} (${model})\n`))
              )
            )
          }
        }).pipe(Effect.provide(simulation.layer), Effect.provideService(Clock.Clock, clock))
      },
      600_000
    )
  }
})
