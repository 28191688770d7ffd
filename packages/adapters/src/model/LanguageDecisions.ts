/** A language model as one that decides: its answer is held to a closed form, and what does not fit is dropped. */
import { type Decision, type DecisionModel, type DecisionRequest, ModelFailure, promptOf } from "@millrace/core/model"
import * as AiError from "effect/ai/AiError"
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { AnswerTokens } from "./OpenAiLanguageModel.ts"

/** What the model may answer: keys that were asked, and labels of the list. */
const formOf = ({ labels, questions }: DecisionRequest) =>
  Schema.Struct({
    answers: Schema.Array(
      Schema.Struct({
        key: Schema.Literals(questions.map(({ key }) => key)),
        answer: Schema.NullOr(labels === undefined ? Schema.String : Schema.Literals(labels.map(({ id }) => id))),
        confidence: Schema.Number
      })
    )
  })

const Lenient = Schema.Struct({ answers: Schema.Array(Schema.Unknown) })
const readLenient = Schema.decodeUnknownOption(Schema.fromJsonString(Lenient))
const Row = Schema.Struct({ key: Schema.String, answer: Schema.NullOr(Schema.String), confidence: Schema.Finite })
const readRow = Schema.decodeUnknownOption(Row)

/** The object in a text: models that were not held to a form put words or marks of code around it. */
const objectIn = (text: string): string => {
  const [from, to] = [text.indexOf("{"), text.lastIndexOf("}")]
  return from < 0 || to < from ? text : text.slice(from, to + 1)
}

/** Rows that are answers; `undefined` where the text is no list of answers. */
const rowsIn = (text: string): ReadonlyArray<typeof Row.Type> | undefined =>
  Option.getOrUndefined(readLenient(objectIn(text)))?.answers.flatMap((row) => {
    const read = readRow(row)
    return Option.isSome(read) ? [read.value] : []
  })

const decisionsOf = (
  { labels, questions }: DecisionRequest,
  rows: ReadonlyArray<typeof Row.Type>
): ReadonlyArray<Decision> => {
  const open = new Set(questions.map(({ key }) => key))
  const allowed = labels === undefined ? undefined : new Set(labels.map(({ id }) => id))
  return rows.flatMap(({ answer, confidence, key }) => {
    // The first word on a key counts; what was not asked, or is no label, was never said.
    if (!open.has(key) || confidence < 0 || confidence > 1) return []
    if (answer !== null && allowed !== undefined && !allowed.has(answer)) return []
    open.delete(key)
    return [{ key, answer: answer === "" ? null : answer, probability: confidence }]
  })
}

const failed = (reason: ModelFailure["reason"], sent: boolean, message: string, retryAfter?: number): ModelFailure =>
  new ModelFailure({ reason, sent, message, ...(retryAfter === undefined ? {} : { retryAfter }) })

/** Nothing of what the provider wrote goes on: it may quote the request. */
const failureOf = (name: string, { reason }: AiError.AiError): ModelFailure => {
  switch (reason._tag) {
    case "RateLimitError": {
      const after = reason.retryAfter
      const message = `${name} has had too many requests`
      return failed("rateLimited", false, message, after === undefined ? undefined : Duration.toSeconds(after))
    }
    case "QuotaExhaustedError":
      return failed("overBudget", false, `the account with ${name} is used up`)
    case "AuthenticationError":
      return failed("refused", false, `${name}: ${reason.description ?? "the key was refused"}`)
    case "InvalidRequestError":
    case "UnsupportedSchemaError":
      return failed("refused", false, `${name}: ${reason.description ?? "the request was refused"}`)
    case "NetworkError":
      return failed(
        "unavailable",
        reason.reason === "TransportError",
        `${name}: ${reason.description ?? "no connection"}`
      )
    case "InternalProviderError":
      return failed("unavailable", true, `${name}: ${reason.description}`)
    default:
      return failed("invalidOutput", true, `${name} did not answer in the form that was asked for`)
  }
}

const nothingAsked = Effect.succeed({ decisions: [], tokens: 0 })

export interface LanguageDecisionsOptions {
  /** Names the model in what is kept of its answers. */
  readonly id: string
  /** Its name for people. */
  readonly name: string
}

/** Any `LanguageModel` of effect will do. */
export const make = (
  model: Pick<LanguageModel.LanguageModel, "generateObject">,
  { id, name }: LanguageDecisionsOptions
): DecisionModel => ({
  id,
  decide: (request) => {
    if (request.questions.length === 0) return nothingAsked
    const { system, user } = promptOf(request)
    const prompt = [
      { role: "system" as const, content: system },
      { role: "user" as const, content: [{ type: "text" as const, text: user }] }
    ]
    return model.generateObject({ prompt, schema: formOf(request), objectName: "answers" }).pipe(
      Effect.map(({ usage, value }) => {
        const { inputTokens, outputTokens } = usage
        const tokens = inputTokens.total === undefined ? undefined : inputTokens.total + (outputTokens.total ?? 0)
        return { decisions: decisionsOf(request, value.answers), tokens }
      }),
      Effect.catch((error) => {
        const text = Predicate.isTagged(error.reason, "StructuredOutputError") ? error.reason.responseText : undefined
        const rows = text === undefined ? undefined : rowsIn(text)
        return rows === undefined
          ? Effect.fail(failureOf(name, error))
          : Effect.succeed({ decisions: decisionsOf(request, rows), tokens: undefined })
      }),
      Effect.provideService(AnswerTokens, request.maxTokens)
    )
  }
})
