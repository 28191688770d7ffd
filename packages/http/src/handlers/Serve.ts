/**
 * From a group of endpoints to its handlers. A handler is the use case and the shape of its answer: ids in paths, days
 * that contradict each other and the form of errors are the same for all. The errors that a use case can fail with are
 * compared with those that its endpoint declares by the compiler.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { type Caller, needSession, type Operation, operations } from "@millrace/core/access"
import { InvalidInput, NotFound } from "@millrace/core"
import type { Idempotency } from "@millrace/core/kernel"
import { Api } from "../api/Api.ts"
import type { Declaring } from "../api/ApiError.ts"
import { answering, type KernelError, type StatusOf } from "../answer/errors.ts"
import { type Success, successesOf } from "../answer/Success.ts"
import { caller, CurrentRequest, type RequestState } from "../request/CurrentRequest.ts"
import { makeRepeatedly } from "./Repeated.ts"
import { type Identified, type IdOf, isIdentified, unidentified } from "./Identified.ts"

type Groups = typeof Api extends HttpApi.HttpApi<string, infer Found> ? Found : never
type Name = HttpApiGroup.Identifier<Groups>
type Endpoints<Of extends Name> = HttpApiGroup.Endpoints<HttpApiGroup.WithIdentifier<Groups, Of>>
type Endpoint<Of extends Name, Op extends string> = HttpApiEndpoint.WithIdentifier<Endpoints<Of>, Op>

/** The ids of a path, each under what it names: `bank_id` is `bank`. */
type IdsOf<Params> = {
  readonly [
    Key in keyof Params as Key extends `${infer Kind extends Identified}_id` ? Kind : never
  ]: Key extends `${infer Kind extends Identified}_id` ? IdOf<Kind> : never
}

/** What a path names otherwise than by an id, as it was sent. */
type NamesOf<Params> = { readonly [Key in keyof Params as Key extends `${Identified}_id` ? never : Key]: Params[Key] }

type Asked<E extends HttpApiEndpoint.ConstraintRequest> = Omit<E["~Request"], "params"> & {
  readonly ids: IdsOf<HttpApiEndpoint.Params<E>["Type"]>
  readonly params: NamesOf<HttpApiEndpoint.Params<E>["Type"]>
  readonly caller: Caller
  /** Path and query of the request. */
  readonly self: string
}

type StatusesOf<Schemas> = Schemas extends Declaring<infer Status> ? Status : never

type Declared<E extends HttpApiEndpoint.Constraint> =
  HttpApiEndpoint.Error<E> extends Schema.toCodecJson<infer Schemas> ? StatusesOf<Schemas> : never

/** The errors of the kernel whose every status the endpoint declares. */
type Errors<E extends HttpApiEndpoint.Constraint> = {
  readonly [Tag in keyof StatusOf]: StatusOf[Tag] extends Declared<E>
    ? Extract<KernelError, { readonly _tag: Tag }>
    : never
}[keyof StatusOf]

type Answered<E extends HttpApiEndpoint.Constraint> = Effect.Success<
  ReturnType<HttpApiEndpoint.Handler<E, never, never>>
>

type Run<E> = E extends HttpApiEndpoint.ConstraintRequest
  ? (
      asked: Asked<E>
    ) => Effect.Effect<Answered<E> | HttpServerResponse.HttpServerResponse, Errors<E>, HttpServerRequest>
  : never

/** A handler for each endpoint of a group, under its id. */
type Handlers<Of extends Name> = {
  readonly [Op in HttpApiEndpoint.Identifier<Endpoints<Of>>]: Run<Endpoint<Of, Op>>
}

interface AnyRequest {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
}

type Ran = Effect.Effect<unknown, KernelError, HttpServerRequest>

/** A handler whose types were checked elsewhere. */
export type AnyRun = (asked: never) => Ran

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

const suffix = "_id"

/** What the ids of a path name, or the first that can be none. */
const idsOf = (params: Readonly<Record<string, string>>): Readonly<Record<string, string>> | NotFound => {
  const ids: Record<string, string> = {}
  for (const name in params) {
    const kind = name.slice(0, -suffix.length)
    if (!name.endsWith(suffix) || !isIdentified(kind)) continue
    const text = params[name]!
    const unknown = unidentified(kind, text)
    if (unknown !== undefined) return unknown
    ids[kind] = text
  }
  return ids
}

/** What a handler returned, as it is sent; the framework would encode it a second time. */
const sent = (success: Success | undefined, answer: unknown): unknown =>
  success === undefined || answer === undefined || HttpServerResponse.isHttpServerResponse(answer)
    ? answer
    : HttpServerResponse.text(success.write(answer), { status: success.status, contentType: "application/json" })

const handlerOf = (
  success: Success | undefined,
  run: AnyRun,
  { credential, sessionParameter }: Operation,
  repeat: ReturnType<Effect.Success<typeof makeRepeatedly>>
) => {
  // What it asks for was checked where it was given; here it is asked with all that any handler may ask for.
  const ask = run as (asked: object) => Ran
  const handle = (request: AnyRequest, state: RequestState): Ran => {
    const fault = request.query === undefined ? undefined : windowFault(request.query)
    if (fault !== undefined) return Effect.fail(fault)
    const ids = request.params === undefined ? {} : idsOf(request.params)
    if (ids instanceof NotFound) {
      // Who may not do it at all is told so before what it is about is looked at.
      return sessionParameter !== undefined && request.query?.[sessionParameter] === true
        ? Effect.flatMap(caller, (by) => Effect.andThen(needSession(by), Effect.fail(ids)))
        : Effect.fail(ids)
    }
    const self = state.target
    // Nobody is known to ask: the request proves itself otherwise, and there is no caller.
    if (credential === "none") return ask({ ...request, ids, self })
    return Effect.flatMap(caller, (by) => repeat(by, ask({ ...request, ids, caller: by, self })))
  }
  return (request: AnyRequest) =>
    answering(
      Effect.flatMap(CurrentRequest, (state) => {
        const answer = Effect.map(handle(request, state), (value) => sent(success, value))
        return state.services === undefined ? answer : Effect.setContext(answer, state.services)
      })
    )
}

const bundledSuccesses = successesOf(Api)

/** A layer as `Layer.fromBuildMemo` makes it: what is around its building can be chosen. */
interface Buildable {
  readonly build: (memo: Layer.MemoMap, scope: Scope.Scope) => Effect.Effect<Context.Context<never>>
}

/** The layer of a group of any API of ours: a handler under the id of each endpoint, with the entry of its operation. */
export const serveGroup = <Of extends string, E, R>(
  api: typeof Api,
  name: Of,
  make: Effect.Effect<Readonly<Record<string, AnyRun>>, E, R>,
  entries: Readonly<Record<string, Operation>>,
  successes: ReadonlyMap<string, Success> = successesOf(api)
): Layer.Layer<HttpApiGroup.Service<"millrace", Of>, E, R | Idempotency> => {
  const group = Effect.gen(function* () {
    const made = yield* make
    const repeatedly = yield* makeRepeatedly
    const build = (handlers: AnyHandlers) =>
      Object.entries(made).reduce((all, [id, run]) => {
        const success = successes.get(id)
        return all.handle(id, handlerOf(success, run, entries[id]!, repeatedly(entries[id]!, success)))
      }, handlers)
    // The types of the builder go through each call of `handle`; here the record has been checked as a whole.
    return HttpApiBuilder.group(api as never, name as never, build as never) as unknown as Buildable
  })
  // What stands around the builder is added to what stands around each request, all of it anew: so nothing does.
  return Layer.fromBuildMemo((memo, scope) =>
    Effect.flatMap(Scope.provide(group, scope), (built) => Effect.setContext(built.build(memo, scope), Context.empty()))
  ) as never
}

/** The layer of a bundled group whose handlers were derived. */
export const serveBundled = <Of extends Name, E, R>(
  name: Of,
  make: Effect.Effect<Readonly<Record<string, AnyRun>>, E, R>
): Layer.Layer<HttpApiGroup.Service<"millrace", Of>, E, R | Idempotency> =>
  serveGroup(Api, name, make, operations, bundledSuccesses)

/**
 * The layer of a bundled group, from the services that its handlers need. Its types are checked here, handler by handler;
 * below all groups have one type.
 */
export const serve = <Of extends Name, E, R>(
  name: Of,
  make: Effect.Effect<Handlers<Of>, E, R>
): Layer.Layer<HttpApiGroup.Service<"millrace", Of>, E, R | Idempotency> => serveBundled<Of, E, R>(name, make as never)
