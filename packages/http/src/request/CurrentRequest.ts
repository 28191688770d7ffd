/** What is known of the request at hand; set by the checks before the handler, read by handlers and log. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { type Caller, callerOf, type CredentialPrincipal } from "@millrace/core/access"
import type { NewFile } from "@millrace/core/kernel"
import type { Route } from "./Routes.ts"
import type { StrictJson } from "@millrace/core/operation"

export interface RequestState {
  /** Sent as X-Request-Id and as referenceId. */
  readonly id: string
  /** Path and query as they came. */
  readonly target: string
  principal: CredentialPrincipal | undefined
  route: Route | undefined
  /** What its handler is run with. */
  services: Context.Context<HttpServerRequest> | undefined
  /** Requests per minute of the principal, once it was counted. */
  rateLimit: number | undefined
  /** The part `file` of a multipart body. */
  file: NewFile | undefined
  /** The bytes of a body whose signature is judged by them. */
  raw: Uint8Array | undefined
  /** A JSON body with all digits of its numbers, which decoded payloads do not have. */
  json: StrictJson.Json | undefined
  /** Room that its body takes, to be given back when it is answered. */
  bodyRoom: number
  /** Code of the error that was answered. */
  code: string | undefined
}

export const begin = (id: string, target: string): RequestState => ({
  id,
  target,
  principal: undefined,
  route: undefined,
  services: undefined,
  rateLimit: undefined,
  file: undefined,
  raw: undefined,
  json: undefined,
  bodyRoom: 0,
  code: undefined
})

export const CurrentRequest = Context.Reference<RequestState>("@millrace/http/request/CurrentRequest", {
  defaultValue: () => begin("req_none", "/")
})

const present = <A>(pick: (request: RequestState) => A | undefined, what: string): Effect.Effect<A> =>
  Effect.flatMap(CurrentRequest, (request) => {
    const value = pick(request)
    return value === undefined
      ? Effect.die(`the checks of this request did not set its ${what}`)
      : Effect.succeed(value)
  })

/** Who asks, for use cases. */
export const caller: Effect.Effect<Caller> = present(
  ({ id, principal: by }) => (by === undefined ? undefined : callerOf(by, id)),
  "principal"
)

/** The bytes of an operation whose body is raw. */
export const rawBody: Effect.Effect<Uint8Array> = present((request) => request.raw, "body")
