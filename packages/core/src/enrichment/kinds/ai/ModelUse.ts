/** Port: what enrichments that may ask a model are made of. */
import * as Context from "effect/Context"
import type { Asking } from "../../../model/Asking.ts"
import type { DecisionModel } from "../../../model/DecisionModel.ts"
import type { PatternEngine } from "../../../pattern/Pattern.ts"
import type { Sha256 } from "../../../shared/DerivedId.ts"
import type { PersonsDecisions } from "./PersonsDecisions.ts"
import type { OnceOnlyEvents } from "./OnceOnlyEvents.ts"

export class ModelUse extends Context.Service<
  ModelUse,
  {
    /** The endpoints that there are, the default first; `modelsOf` tells those of a workspace. */
    readonly models: ReadonlyMap<string, DecisionModel>
    readonly asking: Asking["Service"]
    readonly words: PersonsDecisions["Service"]
    readonly told: OnceOnlyEvents["Service"]
  }
>()("@millrace/core/enrichment/ModelUse") {}

/** What a kind that may ask a model is made with. */
export interface ModelKindNeeds {
  readonly patterns: PatternEngine
  readonly sha256: Sha256
  readonly models: ModelUse["Service"]
}
