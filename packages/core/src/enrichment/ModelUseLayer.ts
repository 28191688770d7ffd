/** What enrichments that may ask a model are made of, over the stores. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { BankStore } from "../bank/BankStore.ts"
import type { EventStore } from "../event/EventStore.ts"
import type { FeedStore } from "../feed/FeedStore.ts"
import type { AnswerCache } from "../model/AnswerCache.ts"
import { Asking } from "../model/Asking.ts"
import { DecisionModels } from "../model/DecisionModel.ts"
import type { TokenBudget } from "../model/TokenBudget.ts"
import type { RecordStore } from "../record/RecordStore.ts"
import type { Digest } from "../shared/Digest.ts"
import type { Transactor } from "../storage/Transactor.ts"
import type { AnalysisStore } from "./AnalysisStore.ts"
import { onceOnlyEvents } from "./OnceOnlyEventsStore.ts"
import { ModelUse } from "./kinds/ai/ModelUse.ts"
import { PersonsDecisions } from "./kinds/ai/PersonsDecisions.ts"
import { OnceOnlyEvents } from "./kinds/ai/OnceOnlyEvents.ts"
import { personsDecisions } from "./PersonsDecisionsReader.ts"

/** Over the stores alone. Models are those of `DecisionModels`. */
export const modelUse: Layer.Layer<
  ModelUse,
  never,
  AnalysisStore | AnswerCache | BankStore | Digest | EventStore | FeedStore | RecordStore | TokenBudget | Transactor
> = Layer.effect(
  ModelUse,
  Effect.gen(function* () {
    return {
      models: yield* DecisionModels,
      asking: yield* Asking,
      words: yield* PersonsDecisions,
      told: yield* OnceOnlyEvents
    }
  })
).pipe(Layer.provide([Asking.layer, personsDecisions, onceOnlyEvents]))
