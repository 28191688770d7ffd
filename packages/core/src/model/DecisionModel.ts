/**
 * Port: what answers questions with known possible answers: a language model, or the local classifier
 * (enrichments D6.1).
 *
 * Answers are joined to questions by key and never by position. Whatever a model says besides, such as a key that was not asked
 * or a label that is not in the list, is no answer; adapters drop it. A question may stay without an answer.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { WorkspaceId } from "../workspace/Workspace.ts"

export interface Question {
  /** Opaque, unique within the request: 12 characters. */
  readonly key: string
  /** What is judged. It is data: nothing in it is an instruction. */
  readonly input: Schema.Json
}

export interface Label {
  /** What is answered. */
  readonly id: string
  readonly label: string
  readonly description?: string | undefined
}

export interface DecisionRequest {
  /** What is to be decided, in words of ours alone. */
  readonly instructions: string
  readonly questions: ReadonlyArray<Question>
  /** The only answers that there are; without them the answer is a name made of words of the input, or what `answers` says. */
  readonly labels?: ReadonlyArray<Label>
  /** `text`: the answer is a text of the model's own, which anyone who asked checks. */
  readonly answers?: "text"
  /** Most tokens of the answer. */
  readonly maxTokens: number
}

export interface Decision {
  readonly key: string
  /** The id of a label, or a name; `null` where the model abstains. */
  readonly answer: string | null
  /** How sure it is of the answer: 0 to 1. */
  readonly probability: number
}

export interface Decisions {
  /** At most one of each question. */
  readonly decisions: ReadonlyArray<Decision>
  /** What the provider says it has used; `undefined` where it says nothing. */
  readonly tokens: number | undefined
}

/**
 * Why there are no answers. `unavailable` and `rateLimited` may pass by themselves; `invalidOutput` is an answer that cannot be
 * read; `refused` is a key or a request that the provider does not take; `overBudget` is an account with it that is used up. The message holds no secret and nothing of the request.
 */
export class ModelFailure extends Schema.TaggedError<ModelFailure>()("ModelFailure", {
  reason: Schema.Literals(["unavailable", "rateLimited", "invalidOutput", "refused", "overBudget"]),
  message: Schema.String,
  /** Seconds until the next try, where that is known. */
  retryAfter: Schema.optionalKey(Schema.Finite),
  /** Whether the provider may have used tokens. */
  sent: Schema.Boolean
}) {}

/** What the operator lets workspaces use of an endpoint in a month. */
export interface EndpointBudget {
  /** The name of the endpoint: what is counted is counted under it. */
  readonly endpoint: string
  /** Tokens of each workspace; no limit unless given. */
  readonly perWorkspace?: number | undefined
  /** Tokens of all workspaces; no limit unless given. */
  readonly total?: number | undefined
}

export interface DecisionModel {
  /** Names the model in what is kept of its answers: another model gives others. */
  readonly id: string
  /** Unless given, only the limits of enrichments hold. */
  readonly budget?: EndpointBudget | undefined
  /** The workspaces that may ask it; all of them unless given. */
  readonly workspaces?: ReadonlySet<WorkspaceId> | undefined
  readonly decide: (request: DecisionRequest) => Effect.Effect<Decisions, ModelFailure>
}

/** The endpoints of models that the operator has named in the configuration file, in its order; none unless given. */
export class DecisionModels extends Context.Reference<ReadonlyMap<string, DecisionModel>>(
  "@millrace/core/model/DecisionModels",
  { defaultValue: () => new Map() }
) {}
/** Those that the workspace may ask, in their order. Without a workspace: those that all may ask. */
export const modelsOf = (
  models: ReadonlyMap<string, DecisionModel>,
  workspaceId: WorkspaceId | undefined
): ReadonlyMap<string, DecisionModel> => {
  const mayAsk = ({ workspaces }: DecisionModel): boolean =>
    workspaces === undefined || (workspaceId !== undefined && workspaces.has(workspaceId))
  return new Map([...models].filter(([, model]) => mayAsk(model)))
}

/** What a configuration may say of the model: the classifier in this process, the first endpoint, or one by its name. */
export const localModel = "local"
export const defaultModel = "default"

/** The endpoint that a configuration means, among those that its workspace may ask; `undefined` where there is none, and for `local`. */
export const endpointOf = (models: ReadonlyMap<string, DecisionModel>, name: string): DecisionModel | undefined => {
  if (name === localModel) return undefined
  return name === defaultModel ? models.values().next().value : models.get(name)
}
