/**
 * Typed client of the /v1 API. Errors are `ApiError` values; look at their `code`. Numbers of answers pass
 * through JSON, so those beyond 15 digits lose what a double cannot hold.
 */
import type * as Effect from "effect/Effect"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as HttpClient from "effect/http/HttpClient"
import type { HttpClientError } from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"
import type { Definition, ParametersOf } from "@millrace/core/operation"
import type { definitions } from "@millrace/core/operations"
import { Api } from "./api/Api.ts"
import type { ApiError } from "./api/ApiError.ts"
import type { Envelope } from "./answer/Envelope.ts"

type Given<Name extends string, A> = object extends A ? { readonly [K in Name]?: A } : { readonly [K in Name]: A }

type ParamsOf<Path extends string> = [ParametersOf<Path>] extends [never]
  ? object
  : { readonly params: { readonly [Name in ParametersOf<Path>]: string } }

type PayloadOf<Body> = [Body] extends [never]
  ? object
  : Body extends Schema.Top
    ? { readonly payload: Body["Type"] }
    : { readonly payload: FormData }

/** A version of the record: what `If-Match` or `If-None-Match` says. */
interface Versions {
  readonly headers?: { readonly "if-match"?: string; readonly "if-none-match"?: string }
}

type Arguments<A> = object extends A ? [request?: A] : [request: A]

type MethodOf<D> =
  D extends Definition<string, infer Path, infer Query, infer Body, infer A, infer Kind, unknown>
    ? (
        ...request: Arguments<ParamsOf<Path> & Given<"query", Schema.Struct.Type<Query>> & PayloadOf<Body> & Versions>
      ) => Effect.Effect<Envelope<A, Kind>, ApiError | HttpClientError | Schema.SchemaError>
    : never

/** A method for each operation, under its id. */
export type Client = { readonly [Id in keyof typeof definitions]: MethodOf<(typeof definitions)[Id]> }

/** `baseUrl` is the origin, without `/v1`. */
export const make = (options: {
  readonly baseUrl: string
  readonly apiKey: Redacted.Redacted<string>
}): Effect.Effect<Client, never, HttpClient.HttpClient> =>
  HttpApiClient.make(Api, {
    baseUrl: options.baseUrl,
    transformClient: HttpClient.mapRequest(HttpClientRequest.setHeader("x-api-key", Redacted.value(options.apiKey)))
  }) as unknown as Effect.Effect<Client, never, HttpClient.HttpClient>
