/** The scenes of identity in memory. */
import * as Effect from "effect/Effect"
import { playAll, serve } from "./IdentityScenes.ts"
import { memoryScene } from "./MemoryScene.ts"

playAll((title, body) => {
  memoryScene(title, { model: "upsertByKey" }, (simulation) => Effect.provide(body(simulation), serve(simulation)))
})
