/** A server that has no endpoint of a model. */
import * as Effect from "effect/Effect"
import type { ModelKindNeeds } from "../../../../src/enrichment/kinds/ai/ModelUse.ts"

export const noModels: Pick<ModelKindNeeds, "models"> = {
  models: {
    models: new Map(),
    asking: {
      keyOf: () => () => "",
      ask: () => Effect.succeed({ found: new Map(), exhausted: undefined, failures: [], pending: [] })
    },
    words: { read: () => Effect.succeed({ values: [], facts: [] }) },
    told: { begins: () => Effect.succeed(true), tell: () => Effect.void }
  }
}
