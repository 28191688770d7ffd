/**
 * Language models behind `POST {base}/chat/completions`: hosted ones, and those that people run themselves (Ollama, llama.cpp,
 * vLLM, LM Studio), as the `LanguageModel` of effect. Requests leave by the one outbound client.
 *
 * The provider packages of effect need another version of it than ours, so this is a provider of its own. Nothing is streamed,
 * no tool is offered, and nothing that the provider writes in an error is repeated: it may quote the request.
 */
import { limits } from "@millrace/core"
import { Outbound, type OutboundFailure, type OutboundResponse } from "@millrace/core/outbound"
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as OpenAiStructuredOutput from "effect/ai/OpenAiStructuredOutput"
import type * as Response from "effect/ai/Response"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

export interface OpenAiEndpoint {
  /** Up to and without `/chat/completions`, such as `https://api.openai.com/v1` or `http://127.0.0.1:11434/v1`. */
  readonly baseUrl: string
  /** As the provider names it. */
  readonly model: string
  /** Own servers often need none. */
  readonly apiKey?: Redacted.Redacted | undefined
  /** What the bound of the answer is called; hosted models that think need the second (`max_tokens` unless given). */
  readonly tokensField?: "max_tokens" | "max_completion_tokens" | undefined
  /** 0 unless given; `null` sends none, for models that take no temperature. */
  readonly temperature?: number | null | undefined
}

/** Most tokens that an answer may have. */
export class AnswerTokens extends Context.Reference<number>("@millrace/adapters/model/AnswerTokens", {
  defaultValue: () => 1_400
}) {}

/** Bytes of an answer: room for many more answers than are asked for at once. */
const answerBytes = Math.min(limits.outboundBytes, 1_048_576)
const seed = 1

const count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000_000 }))
const Completion = Schema.Struct({
  choices: Schema.NonEmptyArray(
    Schema.Struct({
      message: Schema.Struct({ content: Schema.NullOr(Schema.String) }),
      finish_reason: Schema.optional(Schema.NullOr(Schema.String))
    })
  ),
  usage: Schema.optional(
    Schema.NullOr(Schema.Struct({ prompt_tokens: count, completion_tokens: Schema.optional(Schema.NullOr(count)) }))
  )
})
const readCompletion = Schema.decodeUnknownOption(Schema.fromJsonString(Completion))
const Refusal = Schema.Struct({ error: Schema.Struct({ code: Schema.optional(Schema.NullOr(Schema.String)) }) })
const readRefusal = Schema.decodeUnknownOption(Schema.fromJsonString(Refusal))
const utf8 = new TextDecoder("utf-8")

const failure = (reason: AiError.AiErrorReason): AiError.AiError =>
  AiError.make({ module: "OpenAiLanguageModel", method: "generateText", reason })

/** What was never sent has cost nothing. */
const unsent = (host: string, { message, sent }: OutboundFailure): AiError.AiError =>
  failure(
    new AiError.NetworkError({
      reason: sent ? "TransportError" : "InvalidUrlError",
      method: "POST",
      url: host,
      description: message
    })
  )

/** Seconds, as servers give them; a date is taken for nothing said. */
const retryAfterOf = ({ headers }: OutboundResponse): Duration.Duration | undefined => {
  const seconds = Number(headers["retry-after"] ?? "")
  return Number.isFinite(seconds) && seconds > 0 ? Duration.seconds(seconds) : undefined
}

const refusalOf = (host: string, answer: OutboundResponse): AiError.AiError => {
  const { status } = answer
  const code = Option.getOrUndefined(readRefusal(utf8.decode(answer.body)))?.error.code ?? ""
  if (status === 402 || (status === 429 && code === "insufficient_quota")) {
    return failure(new AiError.QuotaExhaustedError({}))
  }
  if (status === 429) return failure(new AiError.RateLimitError({ retryAfter: retryAfterOf(answer) }))
  if (status === 401 || status === 403) {
    const kind = status === 401 ? "InvalidKey" : "InsufficientPermissions"
    return failure(new AiError.AuthenticationError({ kind, description: `${host} refused the key (${status})` }))
  }
  if (status >= 500) {
    return failure(new AiError.InternalProviderError({ description: `${host} answered with status ${status}` }))
  }
  return failure(
    new AiError.InvalidRequestError({
      description: `${host} refused the request with status ${status}: check model and URL`
    })
  )
}

const messagesOf = ({ prompt }: LanguageModel.ProviderOptions) =>
  prompt.content.map((message) => ({
    role: message.role,
    content:
      typeof message.content === "string"
        ? message.content
        : message.content.map((part) => (part.type === "text" ? part.text : "")).join("")
  }))

const formatOf = ({ responseFormat }: LanguageModel.ProviderOptions) =>
  responseFormat.type === "text"
    ? {}
    : {
        response_format: {
          type: "json_schema",
          json_schema: {
            name: responseFormat.objectName,
            strict: true,
            schema: OpenAiStructuredOutput.toCodecOpenAI(responseFormat.schema).jsonSchema
          }
        }
      }

/** The model at an endpoint. Asks at temperature 0 and with a fixed seed, so that the same question has the same answer where it can. */
export const make = Effect.fnUntraced(function* (
  endpoint: OpenAiEndpoint
): Effect.fn.Return<LanguageModel.LanguageModel, never, Outbound> {
  const { request } = yield* Outbound
  const { apiKey, baseUrl, model, temperature = 0, tokensField = "max_tokens" } = endpoint
  const url = `${baseUrl.replace(/\/+$/u, "")}/chat/completions`
  const host = URL.parse(url)?.host ?? "the model"
  const headers = {
    "content-type": "application/json",
    ...(apiKey === undefined ? {} : { authorization: Redacted.make(`Bearer ${Redacted.value(apiKey)}`) })
  }
  return yield* LanguageModel.make({
    codecTransformer: OpenAiStructuredOutput.toCodecOpenAI,
    generateText: Effect.fnUntraced(function* (options) {
      const body = JSON.stringify({
        model,
        messages: messagesOf(options),
        ...(temperature === null ? {} : { temperature }),
        seed,
        stream: false,
        [tokensField]: yield* AnswerTokens,
        ...formatOf(options)
      })
      const answer = yield* Effect.mapError(
        request({ url, method: "POST", headers, body, maxBytes: answerBytes }),
        (error) => unsent(host, error)
      )
      if (answer.status < 200 || answer.status > 299) return yield* refusalOf(host, answer)
      const completion = Option.getOrUndefined(readCompletion(utf8.decode(answer.body)))
      if (completion === undefined) {
        return yield* failure(
          new AiError.InvalidResponseError({ description: `${host} sent something else than a chat completion` })
        )
      }
      const { message } = completion.choices[0]
      const used = completion.usage ?? undefined
      const parts: Array<Response.PartEncoded> = [
        { type: "text", text: message.content ?? "" },
        {
          type: "finish",
          reason: "stop",
          usage: {
            inputTokens: {
              total: used?.prompt_tokens,
              uncached: undefined,
              cacheRead: undefined,
              cacheWrite: undefined
            },
            outputTokens: { total: used?.completion_tokens ?? undefined, text: undefined, reasoning: undefined }
          }
        }
      ]
      return parts
    }),
    streamText: () =>
      Stream.fail(failure(new AiError.InvalidRequestError({ description: "answers of this model are not streamed" })))
  })
})
