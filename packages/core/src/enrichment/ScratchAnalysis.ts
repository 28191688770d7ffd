/**
 * Port: a place for what set kinds would keep, where they plan what is only supposed and there is too much of it for memory.
 *
 * It is an `AnalysisStore` that is empty when it is opened, is seen by nobody else, and is gone when its scope ends or its process
 * dies. There are no facts in it.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { AnalysisStore } from "./AnalysisStore.ts"

export class ScratchAnalysis extends Context.Service<
  ScratchAnalysis,
  { readonly open: Effect.Effect<AnalysisStore["Service"], StorageUnavailable, Scope.Scope> }
>()("@millrace/core/enrichment/ScratchAnalysis") {}
