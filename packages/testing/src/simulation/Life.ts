/** One simulated life: everything in it follows from its seed. */
import * as MemoryStorage from "@millrace/adapters/storage/memory/MemoryStorage"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as References from "effect/References"
import { Seeded } from "../model/Seeded.ts"
import { engineLife } from "./EngineLife.ts"
import { EventLoop } from "./EventLoop.ts"
import { reportOf, type LifeReport } from "./LifeReport.ts"
import { play } from "./ScriptLife.ts"
import { makeSimulation } from "./Simulation.ts"
import { smallChunks } from "./SmallChunks.ts"
import { VirtualClock } from "./VirtualClock.ts"

/** One worker and one connection, close up. */
export const scriptLife = (seed: number): LifeReport => {
  const random = new Seeded(seed)
  const clock = new VirtualClock()
  const began = clock.now
  const model = random.pick(["upsertByKey", "readBack", "wholeFile"] as const)
  const restore = smallChunks(random.pick([1, 3, 3, 5_000]))
  const simulation = makeSimulation({ storage: MemoryStorage.layer, clock, model })
  const exit = new EventLoop(new Seeded(random.below(0x7fff_ffff))).complete(
    play(random.below(0x7fff_ffff), simulation, { steps: 14 }).pipe(
      Effect.provide(simulation.layer),
      Effect.provideService(Clock.Clock, clock),
      Effect.provideService(Random.Random, random.random),
      Effect.provideService(References.MinimumLogLevel, "None"),
      Effect.provideService(References.TracerEnabled, false)
    ),
    0
  )
  restore()
  return reportOf(seed, "script", simulation.watch, (clock.now - began) / 1000, exit)
}

/** One life in eight is that of a whole installation. */
export const kindOf = (seed: number): LifeReport["kind"] => (seed % 8 === 0 ? "engine" : "script")

export const live = (seed: number): LifeReport => (kindOf(seed) === "engine" ? engineLife(seed) : scriptLife(seed))
