/** What set kinds would keep of what is only supposed, in a memory of its own. */
import { AnalysisStore, ScratchAnalysis } from "@millrace/core/storage"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as MemoryAnalysisStore from "./MemoryAnalysisStore.ts"
import { Memory } from "./MemoryTransactor.ts"

const own = Layer.fresh(MemoryAnalysisStore.layer.pipe(Layer.provide(Memory.layer)))

export const layer: Layer.Layer<ScratchAnalysis> = Layer.succeed(ScratchAnalysis, {
  open: Effect.map(Layer.build(own), (context) => Context.get(context, AnalysisStore))
})
