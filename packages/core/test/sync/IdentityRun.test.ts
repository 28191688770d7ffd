/** The scenes of identity in memory. */
import * as Effect from "effect/Effect"
import { playAll, sceneRates, serve } from "./IdentityScenes.ts"
import { memoryScene } from "./MemoryScene.ts"

playAll((title, body) => {
  memoryScene(title, { model: "upsertByKey", rates: sceneRates }, (simulation) =>
    Effect.provide(body(simulation), serve(simulation))
  )
})
