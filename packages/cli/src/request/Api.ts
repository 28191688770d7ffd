/**
 * The HTTP API as the commands see it: requests in, JSON with exact numbers out. GET is tried again on 429 and
 * network errors, and so is what is posted with an idempotency key; nothing else is, because it might have been done
 * already.
 */
import { retryWithBackoff } from "@millrace/core"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import type { HttpClientError } from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type { HttpMethod } from "effect/http/HttpMethod"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import { ApiRefused, CredentialMissing, decodeEnvelope, Unreachable, UsageFault } from "../program/Failure.ts"
import { Notes } from "../program/Notes.ts"
import { program } from "../program/Program.ts"
import { Settings } from "../program/Settings.ts"
import { version } from "../program/Version.ts"

export interface Request {
  readonly method: HttpMethod
  /** From the root of the server, `/v1/banks`. */
  readonly path: string
  readonly query?: ReadonlyArray<readonly [name: string, value: string]>
  readonly headers?: Readonly<Record<string, string>>
  /** JSON text, or a file for the part `file`. */
  readonly body?: string | { readonly fileName: string; readonly bytes: Uint8Array<ArrayBuffer> }
}

export interface Answer {
  readonly status: number
  readonly contentType: string
  readonly text: string
  /** Requests per minute that the server allows, where it says so. */
  readonly rateLimit: number | undefined
}

export type ApiError = ApiRefused | Unreachable | CredentialMissing | UsageFault

export class Api extends Context.Service<
  Api,
  { readonly send: (request: Request) => Effect.Effect<Answer, ApiError> }
>()("@millrace/cli/request/Api") {}

const tries = 5
/** Nobody waits longer than this without having been asked. */
const longestPause = 300

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused; is the server running?",
  ECONNRESET: "connection was closed",
  UND_ERR_SOCKET: "connection was closed",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "the name of the host could not be looked up",
  ETIMEDOUT: "connection timed out",
  UND_ERR_CONNECT_TIMEOUT: "connection timed out",
  CERT_HAS_EXPIRED: "its certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed"
}

/** The innermost reason: fetch wraps what happened. */
export const reasonOf = (cause: unknown): string => {
  let reason = "network error"
  for (let error = cause, depth = 0; error instanceof Error && depth < 8; error = error.cause, depth++) {
    const code = "code" in error && typeof error.code === "string" ? error.code : undefined
    if (code !== undefined) reason = reasons[code] ?? code
    else if (error.cause === undefined && error.message !== "") reason = error.message
  }
  return reason
}

/** Seconds until the server wants to be asked again. */
const retryAfterOf = (header: string | undefined): number | undefined => {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header.trim())) return Number(header)
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - Date.now()) / 1_000))
}

/** Seconds before the next try: what the server says, else more each time, never in step with others. */
const pauseBefore = Effect.fnUntraced(function* (error: ApiRefused | Unreachable, tried: number) {
  if (error._tag === "ApiRefused" && error.retryAfter !== undefined) {
    return error.retryAfter + (yield* Random.nextBetween(0, 0.25))
  }
  return 0.25 * 2 ** (tried - 1) * (yield* Random.nextBetween(0.5, 1.5))
})

const isPassing = (error: ApiError): error is ApiRefused | Unreachable =>
  error._tag === "ApiRefused"
    ? error.status === 429 || error.envelope.code === "IDEMPOTENCY_IN_PROGRESS"
    : error._tag === "Unreachable" && !error.timedOut

const refusalOf = (answer: Answer, retryAfter: number | undefined): ApiRefused =>
  new ApiRefused({
    status: answer.status,
    // A proxy in between answers in a form of its own.
    envelope: Option.getOrElse(decodeEnvelope(answer.text), () => ({
      error: `The server answered ${answer.status} without saying why.`
    })),
    ...(retryAfter === undefined ? {} : { retryAfter })
  })

const messageOf = (request: Request, key: Redacted.Redacted, baseUrl: string): HttpClientRequest.HttpClientRequest => {
  const message = HttpClientRequest.make(request.method)(baseUrl + request.path).pipe(
    HttpClientRequest.appendUrlParams(request.query ?? []),
    HttpClientRequest.setHeaders({
      accept: "application/json",
      "user-agent": `millrace-cli/${version}`,
      ...request.headers,
      "x-api-key": Redacted.value(key)
    })
  )
  if (request.body === undefined) return message
  if (typeof request.body === "string") return HttpClientRequest.bodyText(message, request.body, "application/json")
  const form = new FormData()
  form.append("file", new Blob([request.body.bytes]), request.body.fileName)
  return HttpClientRequest.bodyFormData(message, form)
}

const make = Effect.gen(function* () {
  const settings = yield* Settings
  const notes = yield* Notes
  const client = yield* HttpClient.HttpClient

  const credential = Effect.gen(function* () {
    if (settings.profileNamed && !settings.profileExists && settings.apiKey === undefined) {
      return yield* new UsageFault({
        message: `There is no profile "${settings.profile}". See: ${program} profiles list`
      })
    }
    if (settings.apiKey === undefined) {
      return yield* new CredentialMissing({
        message: `No API key. Run: ${program} login   or set MILLRACE_API_KEY.`
      })
    }
    const { hostname, protocol } = new URL(settings.baseUrl)
    if (protocol === "http:" && !/^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)) {
      yield* notes.say(`warning: the API key travels to ${hostname} without encryption`)
    }
    return settings.apiKey
  })
  const checked = yield* Effect.cached(credential)

  const unreachable = (error: HttpClientError) =>
    new Unreachable({ message: `Cannot reach ${settings.baseUrl}: ${reasonOf(error)}`, timedOut: false })

  const once = Effect.fnUntraced(function* (message: HttpClientRequest.HttpClientRequest) {
    const response = yield* client.execute(message)
    const limit = Number(response.headers["x-ratelimit-limit"])
    const answer: Answer = {
      status: response.status,
      contentType: response.headers["content-type"] ?? "",
      text: yield* response.text,
      rateLimit: limit > 0 ? limit : undefined
    }
    if (answer.status < 300 || answer.status === 304) return answer
    return yield* refusalOf(answer, retryAfterOf(response.headers["retry-after"]))
  })

  const bounded = (message: HttpClientRequest.HttpClientRequest): Effect.Effect<Answer, ApiRefused | Unreachable> =>
    once(message).pipe(
      Effect.catchTag("HttpClientError", (error) => Effect.fail(unreachable(error))),
      Effect.timeoutOrElse({
        duration: settings.timeout,
        orElse: () =>
          Effect.fail(
            new Unreachable({
              message: `No answer from ${settings.baseUrl} within ${Duration.format(settings.timeout)}`,
              timedOut: true
            })
          )
      })
    )

  const repeated = (message: HttpClientRequest.HttpClientRequest) =>
    retryWithBackoff(bounded(message), {
      retries: tries - 1,
      longestWait: longestPause,
      waitAfter: (error, tried) => (isPassing(error) ? pauseBefore(error, tried) : Effect.undefined),
      sleep: (seconds, error, tried) => {
        const reason =
          error._tag === "Unreachable"
            ? error.message
            : error.status === 429
              ? "Rate limit reached"
              : "The first request with this key still runs"
        return Effect.andThen(
          notes.say(`${reason}; trying again in ${seconds.toFixed(1)} s (${tried} of ${tries} tries done)`),
          Effect.sleep(Duration.seconds(seconds))
        )
      }
    })

  return Api.of({
    send: (request) =>
      Effect.flatMap(checked, (key) => {
        const { idempotencyKey } = settings
        const isKeyed = request.method === "POST" && idempotencyKey !== undefined
        const message = messageOf(
          isKeyed ? { ...request, headers: { ...request.headers, "idempotency-key": idempotencyKey } } : request,
          key,
          settings.baseUrl
        )
        return settings.retry && (request.method === "GET" || isKeyed) ? repeated(message) : bounded(message)
      })
  })
})

export const layer = Layer.effect(Api, make).pipe(
  Layer.provide(FetchHttpClient.layer),
  // Another server that we are sent on to must not get the key.
  Layer.provideMerge(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" })),
  Layer.provideMerge(Layer.succeed(HttpClient.TracerPropagationEnabled, false))
)
