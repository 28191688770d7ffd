/** One simulated scenario: everything in it follows from its seed. */
import { MemoryStorage } from "@millrace/adapters/memory"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as References from "effect/References"
import * as Scope from "effect/Scope"
import { Seeded } from "@millrace/testing/model"
import { engineScenario } from "./EngineScenario.ts"
import { EventLoop } from "./EventLoop.ts"
import { reportOf, type ScenarioReport } from "./ScenarioReport.ts"
import { play } from "./ScriptScenario.ts"
import { makeSimulation, type SimulationOptions } from "./Simulation.ts"
import { smallChunks } from "./SmallChunks.ts"
import { VirtualClock } from "./VirtualClock.ts"

/** What a scenario takes instead of what its seed says. */
export interface LifeChange {
  readonly model?: SimulationOptions["model"]
  /** An empty memory unless given. */
  readonly storage?: SimulationOptions["storage"]
}

/** One worker and one connection, close up. */
export const scriptScenario = (seed: number, change: LifeChange = {}): ScenarioReport => {
  const random = new Seeded(seed)
  const clock = new VirtualClock()
  const began = clock.now
  const drawn = random.pick(["upsertByKey", "idempotencyKey", "readBack", "wholeFile"] as const)
  const restore = smallChunks(random.pick([1, 3, 3, 5_000]))
  // From a generator of its own: what else a scenario draws stays as it is.
  const lagSeconds = new Seeded(seed).pick([0, 0, 1, 10])
  const simulation = makeSimulation({ storage: MemoryStorage.layer, model: drawn, clock, lagSeconds, ...change })
  const loop = new EventLoop(new Seeded(random.below(0x7fff_ffff)))
  const script = play(random.below(0x7fff_ffff), simulation, { steps: 14 })
  const exit = loop.complete(
    // Nobody takes the world down in the end: it holds nothing but memory.
    Layer.buildWithScope(simulation.layer, Scope.makeUnsafe()).pipe(
      Effect.flatMap((world) => Effect.provideContext(script, world)),
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

/** One scenario in 64 is that of a whole installation: it takes as long as nine others. */
export const live = (seed: number): ScenarioReport => (seed % 64 === 32 ? engineScenario(seed) : scriptScenario(seed))
