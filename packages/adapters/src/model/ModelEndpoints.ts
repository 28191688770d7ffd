/** The endpoints of models that an operator has named, as the kernel uses them. */
import type { DecisionModel } from "@millrace/core/model"
import { DecisionModels } from "@millrace/core/model"
import { Outbound } from "@millrace/core/outbound"
import type { WorkspaceId } from "@millrace/core/workspace"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { OpenAiEndpoint } from "./OpenAiLanguageModel.ts"

export interface ModelEndpoint extends OpenAiEndpoint {
  /** How configurations of enrichments name it. */
  readonly name: string
  /** The workspaces that may ask it; all of them unless given. */
  readonly workspaces?: ReadonlyArray<WorkspaceId> | undefined
  /** Most tokens of a month, for each workspace and for all of them. */
  readonly monthlyTokens?:
    | { readonly perWorkspace?: number | undefined; readonly total?: number | undefined }
    | undefined
}

/** What is kept of answers is kept by this name: another place or model gives others. */
const idOf = ({ baseUrl, model }: ModelEndpoint): string => `${baseUrl.replace(/\/+$/u, "")} ${model}`

/** The library is loaded with the first question: a program that asks no model does not pay for it. */
const endpointModel = Effect.fnUntraced(function* (endpoint: ModelEndpoint) {
  const outbound = yield* Outbound
  const model = yield* Effect.cached(
    Effect.gen(function* () {
      const [decisions, languages] = yield* Effect.promise(() =>
        Promise.all([import("./LanguageDecisions.ts"), import("./OpenAiLanguageModel.ts")])
      )
      const language = yield* languages.make(endpoint).pipe(Effect.provideService(Outbound, outbound))
      return decisions.make(language, { id: idOf(endpoint), name: endpoint.name })
    })
  )
  return {
    id: idOf(endpoint),
    budget: { endpoint: endpoint.name, ...endpoint.monthlyTokens },
    ...(endpoint.workspaces === undefined ? {} : { workspaces: new Set(endpoint.workspaces) }),
    decide: (request) => Effect.flatMap(model, ({ decide }) => decide(request))
  } satisfies DecisionModel as DecisionModel
})

/** In the order in which they are given: the first that a workspace may ask is its default. */
export const layer = (endpoints: ReadonlyArray<ModelEndpoint>): Layer.Layer<never, never, Outbound> =>
  Layer.effect(
    DecisionModels,
    Effect.gen(function* () {
      const models = new Map<string, DecisionModel>()
      for (const endpoint of endpoints) models.set(endpoint.name, yield* endpointModel(endpoint))
      return models
    })
  )
