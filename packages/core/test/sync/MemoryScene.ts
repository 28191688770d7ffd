/** A test that plays in a simulation of its own, in memory and by a clock of its own. */
import { it } from "@effect/vitest"
import { MemoryStorage } from "@millrace/adapters/memory"
import { EnrichmentsOn } from "../../src/enrichment/EnrichmentsOn.ts"
import { TableSettings } from "../../src/table/RowLimit.ts"
import { makeSimulation, type Simulation, type SimulationOptions } from "@millrace/verification/simulation/Simulation"
import { VirtualClock } from "@millrace/verification/simulation/VirtualClock"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export type SceneServices = Layer.Success<Simulation["layer"]>

export const memoryScene = (
  title: string,
  {
    enrichmentsOn = true,
    tables = {},
    rates = Layer.empty,
    ...options
  }: Omit<SimulationOptions, "storage" | "clock"> & {
    readonly tables?: typeof TableSettings.Service
    readonly enrichmentsOn?: boolean
    /** The layer of `Rates`. */
    readonly rates?: Layer.Layer<never>
  },
  body: (simulation: Simulation) => Effect.Effect<void, unknown, SceneServices>
): void => {
  it.effect(title, () => {
    const clock = new VirtualClock()
    const simulation = makeSimulation({ storage: MemoryStorage.layer, clock, ...options })
    return body(simulation).pipe(
      Effect.provide(
        Layer.provide(simulation.layer, [
          rates,
          Layer.succeed(TableSettings, tables),
          Layer.succeed(EnrichmentsOn, enrichmentsOn)
        ])
      ),
      Effect.provideService(Clock.Clock, clock)
    )
  })
}
