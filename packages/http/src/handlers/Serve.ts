/**
 * From operations to handlers. A handler runs the operation and puts the envelope around its answer: ids in paths, days that
 * contradict each other, versions, repeats and the form of errors are the same for all.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Scope from "effect/Scope"
import { needSession } from "@millrace/core/access"
import { type Ids, InvalidInput, NotFound } from "@millrace/core"
import { Idempotency } from "@millrace/core/kernel"
import {
  type AnyDefinition,
  idsOf,
  type KernelError,
  makeCalls,
  type RawRequest,
  type Served
} from "@millrace/core/operation"
import type { AuditStore } from "@millrace/core/storage"
import type { AnyApi } from "../api/Api.ts"
import { envelopeOf } from "../answer/Envelope.ts"
import { answering } from "../answer/errors.ts"
import { type Success, successesOf } from "../answer/Success.ts"
import { caller, CurrentRequest, rawBody, type RequestState } from "../request/CurrentRequest.ts"
import { makeRepeatedly } from "./Repeated.ts"
import { demanded, versioned } from "./Versions.ts"

interface AnyRequest {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly payload?: unknown
}

type Ran = Effect.Effect<unknown, KernelError, HttpServerRequest>

interface AnyHandlers {
  readonly handle: (
    id: string,
    handler: (request: AnyRequest) => Effect.Effect<unknown, never, HttpServerRequest>
  ) => AnyHandlers
}

/** A window that ends before it begins. With a cursor the window is the cursor's, so nothing is wrong. */
const windowFault = ({ cursor, from, to }: Readonly<Record<string, unknown>>): InvalidInput | undefined =>
  typeof from !== "string" || typeof to !== "string" || cursor !== undefined || from <= to
    ? undefined
    : new InvalidInput({
        code: "INVALID_DATE_RANGE",
        message: "from must not be after to",
        details: [{ field: "from", message: "must not be after to" }]
      })

/** What a handler returned, as it is sent; the framework would encode it a second time. */
const sent = (success: Success | undefined, answer: unknown): unknown =>
  success === undefined || answer === undefined || HttpServerResponse.isHttpServerResponse(answer)
    ? answer
    : HttpServerResponse.text(success.write(answer), { status: success.status, contentType: "application/json" })

/** The request of an operation whose body is raw. */
const rawRequest: Effect.Effect<RawRequest, never, HttpServerRequest> = Effect.gen(function* () {
  const { headers, url } = yield* HttpServerRequest
  return { bytes: yield* rawBody, headers: { ...headers }, query: new URLSearchParams(url.split("?", 2)[1] ?? "") }
})

interface AskedRaw {
  readonly request: RawRequest
  readonly ids: Readonly<Record<string, string>>
  readonly params: Readonly<Record<string, string>>
}

/** The version of a record that was answered: the ETag. */
const versionOf = ({ id }: AnyDefinition, answer: unknown): number => {
  if (Predicate.hasProperty(answer, "version") && typeof answer.version === "number") return answer.version
  throw new RangeError(`${id} is versioned, and its record has no version`)
}

/**
 * What stands around a request, with the services that operations run on. A server has all of them around each request already;
 * copying some two hundred of them would cost more than many a request.
 */
const withServices = (
  services: Context.Context<never>,
  around: Context.Context<never>
): Context.Context<HttpServerRequest> => {
  const has = around.mapUnsafe.get(Idempotency.key) === services.mapUnsafe.get(Idempotency.key)
  return (has ? around : Context.merge(services, around)) as Context.Context<HttpServerRequest>
}

const handlerOf = (
  definition: AnyDefinition,
  call: ReturnType<Effect.Success<typeof makeCalls>>,
  services: Context.Context<never>,
  success: Success | undefined,
  repeat: ReturnType<Effect.Success<typeof makeRepeatedly>>
) => {
  const { credential, method, sessionParameter } = definition
  const tagged = definition.versioned && method === "GET"
  /** The body of the answer, or that the caller has it already. */
  const answered = (ran: Ran, request: AnyRequest, { target }: RequestState): Ran =>
    tagged
      ? Effect.flatMap(ran, (answer) =>
          versioned(
            versionOf(definition, answer),
            request.headers?.["if-none-match"],
            envelopeOf(definition, answer, target)
          )
        )
      : Effect.map(ran, (answer) => envelopeOf(definition, answer, target))
  const handle = (request: AnyRequest, state: RequestState): Ran => {
    const { headers = {}, params = {}, payload: body, query = {} } = request
    const fault = windowFault(query)
    if (fault !== undefined) return Effect.fail(fault)
    const ids = idsOf(params)
    if (ids instanceof NotFound) {
      // A caller who may not do it at all learns that before what the id names is looked at.
      return sessionParameter !== undefined && query[sessionParameter] === true
        ? Effect.flatMap(caller, (by) => Effect.andThen(needSession(by), Effect.fail(ids)))
        : Effect.fail(ids)
    }
    // There is no caller: the request proves itself otherwise.
    if (credential === "none") {
      const receive = definition.run as unknown as (asked: AskedRaw) => Ran
      return Effect.flatMap(rawRequest, (raw) => answered(receive({ ids, params, request: raw }), request, state))
    }
    const { file, json: exact, target: self } = state
    const ifVersion = demanded(headers["if-match"])
    return Effect.flatMap(caller, (by) =>
      repeat(by, answered(call({ caller: by, ids, params, query, body, exact, file, ifVersion, self }), request, state))
    )
  }
  return (request: AnyRequest) =>
    answering(
      Effect.flatMap(CurrentRequest, (state) =>
        // The whole of it: a transaction that an idempotency key opens stands around what runs.
        Effect.contextWith((own: Context.Context<never>) =>
          Effect.setContext(
            Effect.map(handle(request, state), (value) => sent(success, value)),
            withServices(services, state.services ?? own)
          )
        )
      )
    )
}

/** A layer as `Layer.fromBuildMemo` makes it: what is around its building can be chosen. */
interface Buildable {
  readonly build: (memo: Layer.MemoMap, scope: Scope.Scope) => Effect.Effect<Context.Context<never>>
}

const serveGroup = (
  api: AnyApi,
  noun: string,
  operations: ReadonlyArray<AnyDefinition>,
  successes: ReadonlyMap<string, Success>
): Layer.Layer<HttpApiGroup.Service<"millrace", string>, never, Idempotency | AuditStore | Ids> => {
  const group = Effect.gen(function* () {
    const services = yield* Effect.context<never>()
    const calls = yield* makeCalls
    const repeatedly = yield* makeRepeatedly
    const build = (handlers: AnyHandlers) =>
      operations.reduce((all, definition) => {
        const success = successes.get(definition.id)
        return all.handle(
          definition.id,
          handlerOf(definition, calls(definition), services, success, repeatedly(definition, success))
        )
      }, handlers)
    // The types of the builder go through each call of `handle`; the definitions have been checked one by one.
    return HttpApiBuilder.group(api as never, noun as never, build as never) as unknown as Buildable
  })
  // What stands around the builder is added to what stands around each request, all of it again: so nothing does.
  return Layer.fromBuildMemo((memo, scope) =>
    Effect.flatMap(Scope.provide(group, scope), (built) => Effect.setContext(built.build(memo, scope), Context.empty()))
  ) as never
}

/** The handlers of an API. `R` are the services that its operations run on. */
export const serve = <R>(
  api: AnyApi,
  { nouns, operations }: Served
): Layer.Layer<HttpApiGroup.Service<"millrace", string>, never, R | Idempotency | AuditStore | Ids> => {
  const successes = successesOf(api)
  const groups = Object.keys(nouns).flatMap((noun) => {
    const inside = Object.values(operations).filter((one) => one.noun === noun)
    return inside.length === 0 ? [] : [serveGroup(api, noun, inside, successes)]
  })
  const [first, ...others] = groups
  if (first === undefined) throw new RangeError("an API without operations cannot be served")
  return Layer.mergeAll(first, ...others)
}
