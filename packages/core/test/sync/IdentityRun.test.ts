/** The scenes of identity in memory. */
import { it } from "@effect/vitest"
import * as MemoryStorage from "@millrace/adapters/storage/memory/MemoryStorage"
import { makeSimulation } from "@millrace/testing/simulation/Simulation"
import { VirtualClock } from "@millrace/testing/simulation/VirtualClock"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { playAll, serve } from "./IdentityScenes.ts"

playAll((title, body) => {
  it.effect(title, () => {
    const clock = new VirtualClock()
    const simulation = makeSimulation({ storage: MemoryStorage.layer, clock, model: "upsertByKey" })
    return body(simulation).pipe(Effect.provide(serve(simulation)), Effect.provideService(Clock.Clock, clock))
  })
})
