/**
 * The checks before a handler, in the order of decisions 2.1: transport limits, credential, rate, route
 * and method, plan, scope, body. The first one that fails answers.
 */
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Result from "effect/Result"
import { authorize, callerOf, type CredentialPrincipal, type Operation } from "@millrace/core/access"
import { Audit } from "@millrace/core/audit"
import type { Arrival } from "@millrace/core/kernel"
import { limits, Recovery } from "@millrace/core"
import type { BodyMemory } from "./BodyMemory.ts"
import { bodyOf, queryOf } from "./BesideCursor.ts"
import { makeAuthentication } from "./Credentials.ts"
import type { RequestState } from "../request/CurrentRequest.ts"
import type { Timed } from "./Deadline.ts"
import { refuse } from "../answer/Refused.ts"
import { fileOf, rawOf, sizeOf, withJson } from "./RequestBody.ts"
import * as Routes from "../request/Routes.ts"
import { type Answer, answerOf } from "@millrace/core/operation"

const routeMissing: Answer = { status: 404, code: "ROUTE_NOT_FOUND", message: "No such operation" }

const methodNotAllowed = (allow: string): Answer => ({
  status: 405,
  code: "METHOD_NOT_ALLOWED",
  message: "Method not allowed",
  headers: { allow }
})

const encoder = new TextEncoder()

/** Paths of the API, which need a credential even where there is no operation. */
const isApi = (path: string): boolean => path === "/v1" || path.startsWith("/v1/")

/** A letter is three bytes at the most. */
const isLong = (target: string): boolean =>
  target.length * 3 > limits.requestTargetBytes &&
  (target.length > limits.requestTargetBytes || encoder.encode(target).length > limits.requestTargetBytes)

const transportFault = (request: HttpServerRequest, target: string): Answer | undefined => {
  if (isLong(target)) {
    return {
      status: 414,
      code: "URI_TOO_LONG",
      message: `The request target is longer than ${limits.requestTargetBytes} bytes`
    }
  }
  // Name, value, colon, space and line end.
  let size = 0
  for (const name in request.headers) size += name.length + String(request.headers[name]).length + 4
  if (size <= limits.headerBytes) return undefined
  return {
    status: 431,
    code: "HEADERS_TOO_LARGE",
    message: `The headers are longer than ${limits.headerBytes} bytes`
  }
}

/** Whether the budget allows the request, which was counted; refused ones count as well. */
const checkRate = ({ admitted, limit, retryAfter }: Arrival["decision"], state: RequestState) => {
  state.rateLimit = limit
  return admitted
    ? Effect.void
    : Effect.fail(
        refuse({
          status: 429,
          code: "RATE_LIMITED",
          message: "Rate limit exceeded",
          recovery: Recovery.retryAfter(retryAfter),
          headers: { "retry-after": String(retryAfter) }
        })
      )
}

/** Why there is no route. */
const routeFault = (found: Routes.Match | undefined): Answer =>
  found === undefined ? routeMissing : methodNotAllowed(found.allow)

/** Escapes in the query must be UTF-8 without NUL. */
const queryFault = (target: string): Answer | undefined => {
  const query = target.split("?", 2)[1] ?? ""
  if (!query.includes("%") && !query.includes("\u0000")) return undefined
  const decoded = Result.try(() => decodeURIComponent(query))
  if (Result.isSuccess(decoded) && !decoded.success.includes("\u0000")) return undefined
  return {
    status: 400,
    code: "INVALID_ENCODING",
    message: "The query is not valid UTF-8 or holds a NUL character"
  }
}

/** Room for the body, before any of it is read. */
const makeRoom = (memory: BodyMemory, bytes: number, state: RequestState) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.map(restore(memory.take(bytes)), (taken) => {
      state.bodyRoom += taken
    })
  )

const hasBody = ({ operation }: Routes.Route): boolean => (operation?.body ?? "none") !== "none"

const withBody = Effect.fnUntraced(function* (
  memory: BodyMemory,
  request: HttpServerRequest,
  route: Routes.Route,
  state: RequestState
) {
  const kind = route.operation?.body ?? "none"
  if (kind === "none") return request
  yield* makeRoom(memory, sizeOf(request, kind), state)
  switch (kind) {
    case "raw":
      state.raw = yield* rawOf(request)
      return request
    case "file":
      state.file = yield* fileOf(request)
      return request
    default: {
      const { json, plain } = yield* withJson(request, kind === "required", (body) => bodyOf(route, body))
      state.json = json
      return plain
    }
  }
})

/** `routes` are those that there are. */
export const makeAdmission = Effect.fnUntraced(function* (routes: ReadonlyArray<Routes.Route>, bodies: BodyMemory) {
  const match = Routes.matcher(routes)
  const audit = yield* Audit
  const authenticate = yield* makeAuthentication

  /** A refusal leaves an entry in the audit. What is allowed is told there by its use case, if it changes anything. */
  const checkAccess = (principal: CredentialPrincipal, operation: Operation, { id }: RequestState) => {
    const caller = callerOf(principal, id)
    return authorize(caller, operation).pipe(
      Effect.tapError(() => audit.refused(caller, operation)),
      Effect.mapError((error) => refuse(answerOf(error)))
    )
  }

  const identify = Effect.fnUntraced(function* (request: HttpServerRequest, state: RequestState) {
    const { decision, principal } = yield* authenticate(request)
    state.principal = principal
    yield* checkRate(decision, state)
    return principal
  })

  /** The request for the router, or the answer that needs no handler. What is asked of storage is bounded by `timed`. */
  const admit = Effect.fnUntraced(function* (request: HttpServerRequest, state: RequestState, timed: Timed) {
    const unfit = transportFault(request, state.target)
    if (unfit !== undefined) return yield* refuse(unfit)
    const path = state.target.split("?", 1)[0]!
    const found = match(request.method, path)
    // Preflight requests of browsers never carry a credential.
    if (request.method === "OPTIONS" && found !== undefined) {
      return HttpServerResponse.empty({ status: 204, headers: { allow: found.allow } })
    }
    const route = found?.route
    if (!isApi(path)) {
      if (route === undefined) return yield* refuse(routeFault(found))
      state.route = route
      return request
    }
    const operation = route?.operation
    const principal = operation?.credential === "none" ? undefined : yield* timed(identify(request, state))
    if (route === undefined) return yield* refuse(routeFault(found))
    if (principal !== undefined && operation !== undefined) yield* checkAccess(principal, operation, state)
    state.route = route
    const unreadable = queryFault(state.target)
    if (unreadable !== undefined) return yield* refuse(unreadable)
    const url = Routes.routable(route, path) + queryOf(route, state.target.slice(path.length))
    const plain = url === request.url ? request : request.modify({ url })
    return hasBody(route) ? yield* withBody(bodies, plain, route, state) : plain
  })

  return admit
})
