/**
 * An operation in one place: who may ask for it, its path, what it takes and answers, and what runs. The routes and checks of
 * the API, its document, the command line, the tools of MCP, the audit and the pages of reference are derived from it.
 */
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Caller } from "../access/Caller.ts"
import {
  type Absent,
  type Noun,
  type Operation,
  type ScopesNeeded,
  type Tool,
  type ToolAnnotations
} from "../access/Operation.ts"
import type { AuditedAs } from "../audit/Auditing.ts"
import type { NewFile } from "../upload/Uploads.ts"
import type { Role } from "../workspace/Role.ts"
import type { ErrorsOf, FurtherError, Repeats, Statuses } from "./Declared.ts"
import type { KernelError } from "./ErrorAnswer.ts"
import type { IdsOf, NamesOf } from "./PathIds.ts"
import type { Json } from "./StrictJson.ts"
import type { Success, SuccessKind } from "./Success.ts"

type Path = `/v1/${string}`
type Fields = Schema.Struct.Fields

/** A body that is one file: the part `file` of a multipart request. */
export const file = "file"
/** A body whose bytes a signature covers. */
export const raw = "raw"

type BodyKind = Schema.Top | typeof file | typeof raw

/** The callback of a provider as it came. */
export interface RawRequest {
  readonly bytes: Uint8Array
  readonly headers: Readonly<Record<string, string>>
  readonly query: URLSearchParams
}

type BodyOf<Body> = [Body] extends [never]
  ? object
  : Body extends typeof file
    ? { readonly file: NewFile }
    : Body extends typeof raw
      ? { readonly request: RawRequest }
      : Body extends Schema.Top
        ? {
            readonly body: Body["Type"]
            /** The same as it was sent, with every digit of its numbers. */
            readonly exact: Json
          }
        : never

/** What `run` is given. */
export type Asked<P extends string, Query extends Fields, Body> = {
  readonly caller: Caller
  /** The ids of the path: `feed_id` is `feed`. */
  readonly ids: IdsOf<P>
  /** What the path names otherwise than by an id. */
  readonly params: NamesOf<P>
  readonly query: Schema.Struct.Type<Query>
  /** The version that the caller has read, where it said so. */
  readonly ifVersion: number | undefined
  /** Path and query of the request. */
  readonly self: string
} & BodyOf<Body>

/** The method of a service whose calls the audit keeps. */
export interface Audits {
  readonly tag: Context.Key<never, object>
  readonly method: string
  readonly as: Omit<AuditedAs, "operation">
}

/** The audit keeps each request of the operation: its use case is a function, and leaves no entry. */
export const byItself = "by itself"

/** The audit keeps each call of this method, no matter who calls it. */
export const audits = <I, S extends object>(
  tag: Context.Key<I, S>,
  method: keyof S & string,
  as: Omit<AuditedAs, "operation"> = {}
): Audits => ({ tag: tag as unknown as Context.Key<never, object>, method, as })

/** Data of documents: each as it is sent. */
export interface Example {
  readonly body?: unknown
  /** The data of the answer; of a list, its one row. */
  readonly data?: unknown
  /** Fields of `meta` beside those that every list has. */
  readonly meta?: Readonly<Record<string, unknown>>
  /** The data of a 202. */
  readonly accepted?: unknown
}

interface Access {
  /** The weakest role of a signed-in person. */
  readonly role: Role
  /** Which resources an app of a third party reaches: all unless given. */
  readonly app?: Operation["app"]
  readonly only?: "session" | "automation"
  /** A parameter of the query that only a signed-in person may set to true. */
  readonly sessionParameter?: string
  readonly everyPlan?: boolean
  /** `none` where the request proves itself by a signature. */
  readonly credential?: "none"
}

type Located<P> =
  | { readonly get: P }
  | { readonly post: P }
  | { readonly put: P }
  | { readonly patch: P }
  | { readonly delete: P }

/** All that is said of an operation. */
export type Input<
  Id extends string,
  P extends Path,
  Query extends Fields,
  Body extends BodyKind,
  Again extends Repeats,
  A,
  K extends SuccessKind,
  Further extends FurtherError,
  Versioned extends boolean,
  R
> = Located<P> & {
  readonly noun: Noun
  /** The operationId of the API. */
  readonly id: Id
  /** What it does, in a few words. */
  readonly summary: string
  /** What it promises, in sentences. */
  readonly description: string
  readonly access: ScopesNeeded & Access
  /** `read` changes nothing; `inherent` does no more when asked again; `key` honours an idempotency key. */
  readonly repeats: Again
  /** True where it calls out or waits, so that no transaction may be held over it. */
  readonly waits?: boolean
  /** Whether a GET has an `ETag`, and a change an `If-Match`. */
  readonly versioned?: Versioned
  /** The words of the command line behind `millrace`, or why there are none. */
  readonly command: string | Absent
  /** The name of its tool, or why there is none. */
  readonly tool: string | Absent
  /** Hints of the tool that do not follow from the rest, such as that it reaches beyond this installation. */
  readonly hints?: Partial<ToolAnnotations>
  /** Parameters of the query: each a codec of text. */
  readonly query?: Query
  readonly body?: Body
  /** Whether the body may be left out. */
  readonly bodyOptional?: boolean
  readonly success: Success<A, K>
  /** Errors that do not follow from path, body, version and repeats. */
  readonly errors?: ReadonlyArray<Further>
  readonly example: Example
  /** The method that the audit keeps; without one it keeps each request that changes something. */
  readonly audits?: Audits
  readonly run: (
    asked: Asked<P, Query, Body>
  ) => Effect.Effect<NoInfer<A>, ErrorsOf<Statuses<P, Body, Again, Versioned, Further>>, R>
}

/** What surfaces read of any operation. */
export interface AnyDefinition extends Operation {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  readonly path: Path
  readonly description: string
  readonly query: Fields
  readonly payload: BodyKind | undefined
  readonly success: Success
  readonly errors: ReadonlyArray<FurtherError>
  readonly example: Example
  readonly audits: Audits | typeof byItself | undefined
  readonly run: (asked: never) => Effect.Effect<unknown, KernelError, never>
}

/** Operations by their ids, with the nouns that they are about. */
export interface Served {
  readonly operations: Readonly<Record<string, AnyDefinition>>
  /** What each noun is, in the order of documents. */
  readonly nouns: Readonly<Record<string, string>>
}

export interface Definition<
  Id extends string,
  P extends Path,
  Query extends Fields,
  Body extends BodyKind,
  A,
  K extends SuccessKind,
  R
> extends AnyDefinition {
  readonly id: Id
  readonly path: P
  readonly query: Query
  readonly "~body"?: (_: Body) => Body
  readonly success: Success<A, K>
  readonly "~services"?: (_: never) => R
}

/** The services that an operation runs on. */
export type ServicesOf<D> = D extends { readonly "~services"?: (_: never) => infer R } ? R : never

const methods = ["get", "post", "put", "patch", "delete"] as const

const locationOf = (input: object) => {
  for (const method of methods) {
    const path = (input as Readonly<Record<string, unknown>>)[method]
    if (typeof path === "string") return { method: method.toUpperCase() as AnyDefinition["method"], path: path as Path }
  }
  throw new RangeError("an operation needs a method and a path")
}

const toolOf = (
  tool: string | Absent,
  repeats: Repeats,
  method: AnyDefinition["method"],
  hints: Partial<ToolAnnotations> = {}
): Tool | Absent =>
  typeof tool === "string"
    ? {
        name: tool,
        annotations: {
          readOnlyHint: repeats === "read",
          destructiveHint: repeats !== "read" && method === "DELETE",
          idempotentHint: repeats !== "key",
          openWorldHint: false,
          ...hints
        }
      }
    : tool

const kindOfBody = (body: BodyKind | undefined, optional: boolean): Operation["body"] => {
  if (body === undefined) return "none"
  if (body === file || body === raw) return body
  return optional ? "optional" : "required"
}

/** Defines an operation (specification 4 and 5). The errors of `run` must be among those that it declares. */
export const operation = <
  const Id extends string,
  const P extends Path,
  const Query extends Fields = {},
  Body extends BodyKind = never,
  const Again extends Repeats = Repeats,
  A = unknown,
  K extends SuccessKind = SuccessKind,
  const Further extends FurtherError = never,
  const Versioned extends boolean = false,
  R = never
>(
  input: Input<Id, P, Query, Body, Again, A, K, Further, Versioned, R>
): Definition<Id, P, Query, Body, A, K, R> => {
  const {
    access,
    audits: audited,
    body,
    bodyOptional = false,
    errors,
    example,
    hints,
    id,
    noun,
    query,
    repeats
  } = input
  const { command, description, run, success, summary, tool, versioned = false, waits = false } = input
  const { app = "all", credential = "required", everyPlan = false, only, role, sessionParameter } = access
  const { method, path } = locationOf(input)
  return {
    id,
    noun,
    summary,
    description,
    scopes: "allOf" in access ? { allOf: access.allOf } : { anyOf: access.anyOf },
    role,
    app,
    only,
    sessionParameter,
    everyPlan,
    idempotency: repeats,
    waits,
    versioned,
    body: kindOfBody(body, bodyOptional),
    credential,
    tool: toolOf(tool, repeats, method, hints),
    command,
    method,
    path: path as P,
    query: query ?? ({} as Query),
    payload: body,
    success,
    errors: errors ?? [],
    example,
    audits: audited ?? (repeats === "read" || credential === "none" ? undefined : byItself),
    run: run as unknown as AnyDefinition["run"]
  }
}
