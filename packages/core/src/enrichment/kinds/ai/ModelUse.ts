/** Port: what enrichments that may ask a model are made of. */
import * as Context from "effect/Context"
import type { Asking } from "../../../model/Asking.ts"
import type { DecisionModel } from "../../../model/DecisionModel.ts"
import type { PersonsWords } from "./PersonsWords.ts"
import type { ToldOnce } from "./ToldOnce.ts"

export class ModelUse extends Context.Service<
  ModelUse,
  {
    /** The endpoints that there are, the default first. */
    readonly models: ReadonlyMap<string, DecisionModel>
    readonly asking: Asking["Service"]
    readonly words: PersonsWords["Service"]
    readonly told: ToldOnce["Service"]
  }
>()("@millrace/core/enrichment/ModelUse") {}
