/** A model whose answers a test writes. */
import {
  type Decision,
  type DecisionModel,
  type DecisionRequest,
  type Decisions,
  type EndpointBudget,
  ModelFailure
} from "@millrace/core/model"
import * as Effect from "effect/Effect"

export interface ScriptedModel extends DecisionModel {
  /** What it was asked, in order. */
  readonly requests: ReadonlyArray<DecisionRequest>
  /** What the next calls fail of, the first one first. */
  readonly failures: Array<ModelFailure>
}

export interface ScriptedModelOptions {
  readonly id?: string
  readonly budget?: EndpointBudget
  /** What it says of a question; `undefined` leaves it out. */
  readonly answer: (input: unknown, request: DecisionRequest) => Pick<Decision, "answer" | "probability"> | undefined
  /** Says something else than was asked: given what a well-behaved model would say. */
  readonly distort?: (said: Decisions, request: DecisionRequest) => Decisions
  /** What it claims to have used; nothing unless given. */
  readonly tokens?: (request: DecisionRequest) => number | undefined
  /** Happens before each answer, such as time that passes. */
  readonly before?: Effect.Effect<void>
}

export const makeScriptedModel = (options: ScriptedModelOptions): ScriptedModel => {
  const requests: Array<DecisionRequest> = []
  const failures: Array<ModelFailure> = []
  return {
    id: options.id ?? "scripted",
    budget: options.budget,
    requests,
    failures,
    decide: Effect.fnUntraced(function* (request) {
      requests.push(request)
      if (options.before !== undefined) yield* options.before
      const failure = failures.shift()
      if (failure !== undefined) return yield* failure
      const said = {
        decisions: request.questions.flatMap(({ input, key }) => {
          const answer = options.answer(input, request)
          return answer === undefined ? [] : [{ key, ...answer }]
        }),
        tokens: options.tokens?.(request)
      }
      return options.distort?.(said, request) ?? said
    })
  }
}
