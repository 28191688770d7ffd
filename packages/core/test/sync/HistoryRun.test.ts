/** The scenes of short histories in memory, with a sync on every third day; `MILLRACE_LONG=1` syncs on every day. */
import * as Effect from "effect/Effect"
import { playAll } from "./HistoryScenes.ts"
import { serve } from "./IdentityScenes.ts"
import { memoryScene } from "./MemoryScene.ts"

playAll(
  (title, body) => {
    memoryScene(title, { model: "upsertByKey" }, (simulation) => Effect.provide(body(simulation), serve(simulation)))
  },
  process.env["MILLRACE_LONG"] === undefined ? { stride: 3 } : { stride: 1 }
)
