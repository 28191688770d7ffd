/**
 * Around every request: its id, the checks before the handler, the time limit, the envelope for whatever
 * goes wrong, the headers of every answer and the access log.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerError from "effect/http/HttpServerError"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import type * as Types from "effect/Types"
import { credentialOf } from "@millrace/core/access"
import { CurrentConnectAddresses } from "@millrace/core/bank"
import { Ids, Timestamp } from "@millrace/core"
import { CurrentPsu } from "@millrace/core/provider"
import type { StorageUnavailable } from "@millrace/core/storage"
import * as Errors from "../answer/errors.ts"
import { AccessLog } from "./AccessLog.ts"
import * as BodyMemory from "./BodyMemory.ts"
import { compressed, Compressor, type Compress } from "./Compression.ts"
import { begin, CurrentRequest, type RequestState } from "../request/CurrentRequest.ts"
import { inTime, type Timed } from "./Deadline.ts"
import { makeAdmission } from "./Gate.ts"
import { psuOf, TrustedProxies } from "../request/Person.ts"
import { Refused } from "../answer/Refused.ts"
import { shapeAnswer } from "../answer/SchemaFaults.ts"
import type { Route } from "../request/Routes.ts"
import { type Answer, answerOf, defect, timedOut } from "@millrace/core/operation"

/** How long finding out who calls may take, and then the operation; reading the body is bounded by the server. */
export const RequestDeadline = Context.Reference<Duration.Duration>("@millrace/http/middleware/RequestDeadline", {
  defaultValue: () => Duration.seconds(30)
})

const requestIdForm = /^[A-Za-z0-9._-]{1,128}$/
/** What servers log for a client that went away. */
const clientClosed = 499

const routeNotFound: Answer = { status: 404, code: "ROUTE_NOT_FOUND", message: "No such operation" }
const unreadable: Answer = { status: 400, code: "INVALID_REQUEST", message: "Request could not be read" }

/** The answer to a failure, `undefined` for one that nobody foresaw. */
const foreseen = (error: unknown, target: string): Answer | undefined => {
  if (error instanceof Refused) return error.answer
  if (HttpServerError.isHttpServerError(error)) {
    if (error.reason._tag === "RouteNotFound") return routeNotFound
    if (error.reason._tag === "RequestParseError") return unreadable
  }
  return shapeAnswer(error, target)
}

const isStorageUnavailable = (error: unknown): error is StorageUnavailable =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "StorageUnavailable"

const answerCause = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>, { target }: RequestState) {
  if (Cause.hasInterruptsOnly(cause)) return yield* Effect.failCause(cause as Cause.Cause<never>)
  for (const reason of cause.reasons) {
    const error = reason._tag === "Fail" ? reason.error : reason._tag === "Die" ? reason.defect : undefined
    const answer = foreseen(error, target)
    if (answer !== undefined) return yield* Errors.respond(answer)
    if (isStorageUnavailable(error)) {
      yield* Effect.logError("storage unavailable", cause)
      return yield* Errors.respond(answerOf(error))
    }
  }
  yield* Effect.logError("request died", cause)
  return yield* Errors.respond(defect)
})

/** Documents for people and generators: they hold nothing of anybody, and nothing of theirs comes from elsewhere. */
const reference = {
  "cache-control": "public, max-age=300",
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src 'self' data: blob:; " +
    "font-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

const documentHeaders: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  docs: reference,
  "docs/": reference,
  "docs/scalar.js": { "cache-control": "public, max-age=86400" },
  "docs/start.js": { "cache-control": "public, max-age=300" },
  "favicon.ico": { "cache-control": "public, max-age=86400" },
  "openapi.json": { "cache-control": "public, max-age=300" }
}

const common = { "cache-control": "no-store", "x-content-type-options": "nosniff" }

/** Where browsers reach us by https, they never use http again for this name: a year. */
const overHttps = { "strict-transport-security": "max-age=31536000" }

const dress = (
  response: HttpServerResponse.HttpServerResponse,
  { id, rateLimit, route }: RequestState,
  { isHttps }: Setting
) =>
  HttpServerResponse.setHeaders(response, {
    ...common,
    ...(isHttps ? overHttps : {}),
    ...(route === undefined || response.status !== 200 ? {} : documentHeaders[route.id]),
    "x-request-id": id,
    ...(rateLimit === undefined
      ? {}
      : { "x-ratelimit-limit": String(rateLimit), "x-ratelimit-policy": `${rateLimit};w=60` })
  })

const log = (write: AccessLog, request: HttpServerRequest, state: RequestState, started: number, status: number) =>
  Effect.flatMap(Clock.currentTimeMillis, (ended) =>
    write({
      time: Timestamp.fromMillis(started),
      requestId: state.id,
      method: request.method,
      path: state.target.split("?", 1)[0]!,
      operation: state.route?.id,
      status,
      code: state.code,
      durationMs: ended - started,
      workspaceId: state.principal?.workspace.id,
      credential: state.principal === undefined ? undefined : credentialOf(state.principal)
    })
  )

type App = Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled>

/** Taken when the layer is built: requests run with the server's context, not with ours. */
interface Setting {
  readonly admit: Effect.Success<ReturnType<typeof makeAdmission>>
  readonly bodies: BodyMemory.BodyMemory
  readonly newId: Effect.Effect<string>
  /** Of what is asked of storage before a handler, and then of the handler. */
  readonly deadline: Duration.Duration
  readonly write: AccessLog
  readonly compress: Compress | undefined
  readonly isProxy: typeof TrustedProxies.Service
  readonly isHttps: boolean
  /** What the framework may ask for on the way to a handler. */
  readonly own: Context.Context<never>
}

/** What the framework gives to each request, beside all that the server has. */
type OfRequest = Context.Context<HttpServerRequest | Scope.Scope>

/** The services that are none of ours. */
const ownOf = (services: Context.Context<never>): Context.Context<never> =>
  Context.makeUnsafe(new Map([...services.mapUnsafe].filter(([key]) => !key.startsWith("@millrace/"))))

/**
 * An operation on the way through the framework. That copies whatever stands around it, which are some two hundred services,
 * so it is shown its own. The handler has all of them again (`RequestState.services`).
 */
const narrowed = (app: App, { own }: Setting, state: RequestState, of: (all: OfRequest) => OfRequest): App =>
  Effect.updateContext(app, (around: OfRequest) => {
    const all = of(around)
    state.services = all
    const shown = Context.add(
      Context.add(Context.add(own, CurrentRequest, state), HttpServerRequest, Context.get(all, HttpServerRequest)),
      Scope.Scope,
      Context.get(all, Scope.Scope)
    )
    const span = Context.getOrUndefined(all, Tracer.ParentSpan)
    return (span === undefined ? shown : Context.add(shown, Tracer.ParentSpan, span)) as Context.Context<never>
  }) as App

const answer = Effect.fnUntraced(function* (
  setting: Setting,
  app: App,
  request: HttpServerRequest,
  state: RequestState,
  timed: Timed
) {
  const admitted = yield* setting.admit(request, state, timed)
  if (HttpServerResponse.isHttpServerResponse(admitted)) return admitted
  if (state.route?.operation === undefined) {
    return yield* timed(admitted === request ? app : Effect.provideService(app, HttpServerRequest, admitted))
  }
  return yield* timed(
    narrowed(app, setting, state, (all) => {
      const asked = admitted === request ? all : Context.add(all, HttpServerRequest, admitted)
      // Anyone who has a key is a program: its address is no person's.
      const isPerson = state.principal?.kind === "user"
      return isPerson ? Context.add(asked, CurrentPsu, psuOf(request, setting.isProxy)) : asked
    })
  )
})

const around = Effect.fnUntraced(function* (setting: Setting, app: App) {
  const request = yield* HttpServerRequest
  const started = yield* Clock.currentTimeMillis
  const asked = request.headers["x-request-id"]
  const id = asked !== undefined && requestIdForm.test(asked) ? asked : yield* setting.newId
  const state = begin(id, request.url)
  return yield* inTime(
    setting.deadline,
    (timed) => answer(setting, app, request, state, timed),
    () => Errors.respond(timedOut)
  ).pipe(
    Effect.catchCause((cause) => answerCause(cause, state)),
    Effect.flatMap((response) =>
      compressed(dress(response, state, setting), request.headers["accept-encoding"], setting.compress)
    ),
    Effect.onExit((exit) => {
      const told = log(setting.write, request, state, started, Exit.isSuccess(exit) ? exit.value.status : clientClosed)
      return state.bodyRoom === 0 ? told : Effect.andThen(setting.bodies.release(state.bodyRoom), told)
    }),
    Effect.provideService(CurrentRequest, state)
  )
})

/** Applies to every route of the router it is built with; `routes` are those that there are. */
export const layer = (routes: ReadonlyArray<Route>, bodies: BodyMemory.BodyMemory) =>
  HttpRouter.middleware(
    Effect.gen(function* () {
      const setting: Setting = {
        admit: yield* makeAdmission(routes, bodies),
        isProxy: yield* TrustedProxies,
        isHttps: (yield* CurrentConnectAddresses)?.base.startsWith("https:") === true,
        newId: (yield* Ids).next("request"),
        write: yield* AccessLog,
        deadline: yield* RequestDeadline,
        compress: yield* Compressor,
        own: ownOf(yield* Effect.context<never>()),
        bodies
      }
      // The types do not foresee a middleware that leaves nothing unhandled; this one does not.
      return (app: App) =>
        around(setting, app) as Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled, HttpServerRequest>
    }),
    { global: true }
  )
