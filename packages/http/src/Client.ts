/**
 * Typed client of the /v1 API. Errors are `ApiError` values; look at their `code`. Numbers of answers pass
 * through JSON, so those beyond 15 digits lose what a double cannot hold.
 */
import type * as Effect from "effect/Effect"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Redacted from "effect/Redacted"
import { Api } from "./api/Api.ts"

export type Client = HttpApiClient.ForApi<typeof Api>

/** `baseUrl` is the origin, without `/v1`. */
export const make = (options: {
  readonly baseUrl: string
  readonly apiKey: Redacted.Redacted<string>
}): Effect.Effect<Client, never, HttpClient.HttpClient> =>
  HttpApiClient.make(Api, {
    baseUrl: options.baseUrl,
    transformClient: HttpClient.mapRequest(HttpClientRequest.setHeader("x-api-key", Redacted.value(options.apiKey)))
  })
