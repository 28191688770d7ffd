/** Random lives of lists, in memory. */
import * as Effect from "effect/Effect"
import { memoryScene } from "../sync/MemoryScene.ts"
import { playAll, serve } from "./ListLives.ts"

const isLong = process.env["MILLRACE_LONG"] === "1"

playAll(
  (title, body) => {
    memoryScene(title, { model: "upsertByKey" }, (simulation) => Effect.provide(body(simulation), serve(simulation)))
  },
  isLong ? 200 : 12,
  isLong ? 40 : 20
)
