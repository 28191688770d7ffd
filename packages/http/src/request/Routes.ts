/**
 * Which operation a path means, by our own strict rules: case matters, a trailing or doubled slash is
 * another path, fixed segments win over parameters (decisions 1.11 and 2.9). The router is asked only for
 * what matched here, so it cannot be more lenient.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type { Operation } from "@millrace/core/access"
import type { AnyDefinition } from "@millrace/core/operation"

export interface Route {
  readonly id: string
  readonly method: string
  readonly segments: ReadonlyArray<string>
  /** Its entry in the catalogue; `undefined` beside the API. */
  readonly operation: Operation | undefined
  /** Where it takes a cursor, beside which most of the request does not count. */
  readonly paged: { readonly query: boolean; readonly body: boolean }
}

/** Routes beside the API: the page at the root, probes and documents. */
const outside: ReadonlyArray<string> = [
  "/",
  "/livez",
  "/readyz",
  "/openapi.json",
  "/docs",
  "/docs/",
  "/docs/scalar.js",
  "/docs/start.js",
  "/favicon.ico"
]

/** Pages for people who connect a bank or upload files: `connect/ConnectPages`, `connect/UploadPage`. */
const pages: ReadonlyArray<readonly [method: string, path: string]> = [
  ["GET", "/connect/attempt"],
  ["POST", "/connect/attempt/choose"],
  ["POST", "/connect/attempt/token"],
  ["POST", "/connect/attempt/result"],
  ["POST", "/connect/attempt/cancel"],
  ["POST", "/connect/attempt/again"],
  ["GET", "/connect/callback/:provider_instance_id"],
  ["GET", "/connect/demo"],
  ["GET", "/connect/upload"],
  ["POST", "/connect/upload"],
  ["GET", "/connect/upload/end"]
]

/** The Model Context Protocol: `mcp/Mcp`. */
const protocol: ReadonlyArray<readonly [method: string, path: string]> = [
  ["POST", "/mcp"],
  ["GET", "/mcp"],
  ["DELETE", "/mcp"],
  ["POST", "/"]
]

const split = (path: string): ReadonlyArray<string> => path.slice(1).split("/")

const hasCursor = (schema: Schema.Top): boolean =>
  SchemaAST.isObjects(schema.ast) && schema.ast.propertySignatures.some(({ name }) => name === "cursor")

const notPaged: Route["paged"] = { query: false, body: false }

const routeOf = (operation: AnyDefinition): Route => ({
  id: operation.id,
  method: operation.method,
  segments: split(operation.path),
  operation,
  paged: {
    query: "cursor" in operation.query,
    body: Schema.isSchema(operation.payload) && hasCursor(operation.payload)
  }
})

/** The routes of these operations, and of what is served beside the API. */
export const routesOf = (operations: Readonly<Record<string, AnyDefinition>>): ReadonlyArray<Route> => {
  const routes: Array<Route> = Object.values(operations).map(routeOf)
  for (const [method, path] of [...outside.map((one) => ["GET", one] as const), ...pages, ...protocol]) {
    routes.push({ id: path.slice(1), method, segments: split(path), operation: undefined, paged: notPaged })
  }
  return routes
}

const isParameter = (segment: string): boolean => segment.startsWith(":")

export interface Match {
  /** The route of the method; undefined: the path exists with other methods only. */
  readonly route: Route | undefined
  /** Methods of the path, for `Allow`. */
  readonly allow: string
}

/** Where the segments of a path lead to. */
interface Branch {
  readonly fixed: Map<string, Branch>
  parameter: Branch | undefined
  /** What ends here. */
  readonly routes: Array<Route>
  readonly matches: Map<string, Match>
  other: Match | undefined
}

const branch = (): Branch => ({
  fixed: new Map(),
  parameter: undefined,
  routes: [],
  matches: new Map(),
  other: undefined
})

const grown = (routes: ReadonlyArray<Route>): Branch => {
  const root = branch()
  const ends = new Set<Branch>()
  for (const route of routes) {
    let at = root
    for (const segment of route.segments) {
      let next = isParameter(segment) ? at.parameter : at.fixed.get(segment)
      if (next === undefined) {
        next = branch()
        if (isParameter(segment)) at.parameter = next
        else at.fixed.set(segment, next)
      }
      at = next
    }
    at.routes.push(route)
    ends.add(at)
  }
  for (const end of ends) {
    const methods = new Set(end.routes.map(({ method }) => method))
    if (methods.has("GET")) methods.add("HEAD")
    methods.add("OPTIONS")
    const allow = [...methods].join(", ")
    end.other = { route: undefined, allow }
    for (const route of end.routes.toReversed()) end.matches.set(route.method, { route, allow })
    const get = end.matches.get("GET")
    if (get !== undefined) end.matches.set("HEAD", get)
  }
  return root
}

/** The earlier a segment is fixed where another path of the same length has a parameter, the better it fits. */
const endOf = (at: Branch, segments: ReadonlyArray<string>, n: number): Branch | undefined => {
  if (n === segments.length) return at.other === undefined ? undefined : at
  const segment = segments[n]!
  const fixed = at.fixed.get(segment)
  const found = fixed === undefined ? undefined : endOf(fixed, segments, n + 1)
  if (found !== undefined || at.parameter === undefined || segment === "") return found
  return endOf(at.parameter, segments, n + 1)
}

/** Finds the route of a method and path. `undefined`: there is no such path. */
export const matcher = (routes: ReadonlyArray<Route>): ((method: string, path: string) => Match | undefined) => {
  const root = grown(routes)
  return (method, path) => {
    const end = endOf(root, split(path), 0)
    return end === undefined ? undefined : (end.matches.get(method) ?? end.other)
  }
}

const longestSegment = 100

/** A percent sign must begin a valid UTF-8 sequence. */
const isDecodable = (segment: string): boolean =>
  !segment.includes("%") || Result.isSuccess(Result.try(() => decodeURIComponent(segment)))

/** No id or name in a path has a capital letter; the router takes `PROVIDERS` for the fixed segment of another route. */
const isForeign = (segment: string): boolean => /[A-Z]/.test(segment.replaceAll(/%[0-9A-Fa-f]{2}/g, ""))

/** Whether the path is as the router takes it, whatever is a parameter in it. */
const isPlain = (path: string): boolean => path.length <= longestSegment && /^[a-z0-9/_.~-]*$/.test(path)

/**
 * The path for the router: parameters that can be no id anyway (too long, broken escapes, capital letters) become `-`, so
 * that they reach the operation and get its 404 instead of the router's, or the answer of another operation.
 */
export const routable = (route: Route, path: string): string => (isPlain(path) ? path : checked(route, path))

const checked = (route: Route, path: string): string =>
  `/${split(path)
    .map((segment, at) =>
      isParameter(route.segments[at] ?? "") &&
      (segment.length > longestSegment || !isDecodable(segment) || isForeign(segment))
        ? "-"
        : segment
    )
    .join("/")}`
