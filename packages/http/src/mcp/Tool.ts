/** A tool of the Model Context Protocol, from the definition of an operation (decisions 10.1). */
import type { ToolAnnotations } from "@millrace/core/access"
import type { AnyDefinition } from "@millrace/core/operation"
import type { Node } from "../openapi/Node.ts"
import { type Argument, type ToolInput } from "./ToolSchema.ts"

/** What a tool asks of the API. */
export interface ToolRequest {
  readonly method: string
  /** Path and query. */
  readonly target: string
  /** JSON. */
  readonly body?: string
}

/** Arguments that cannot become a request. */
export interface Unusable {
  readonly fault: { readonly field: string; readonly message: string }
}

export type Arguments = Readonly<Record<string, unknown>>

export interface Tool {
  readonly name: string
  readonly description: string
  readonly annotations: ToolAnnotations
  readonly input: Node
  readonly definition: AnyDefinition
  readonly requestOf: (given: Arguments) => ToolRequest | Unusable
}

/** Rows of a page where a caller asks for none: models read all that they get. */
const pageSize = 50

const workspace: Node = {
  type: "string",
  description: "Id of the workspace of the credential, for callers that want to be sure; any other one is an error."
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

/** Other names of arguments, which clients know. */
const otherNames: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  get_transactions: { startDate: "from", endDate: "to" },
  get_trades: { startDate: "from", endDate: "to" },
  create_feed: { destination: "destinationConfig" },
  update_feed: { destination: "destinationConfig" }
}

const withOtherNames = (tool: string, input: Node): Node => {
  const properties = input["properties"] as Node
  const others = Object.entries(otherNames[tool] ?? {}).map(([name, of]) => [name, properties[of]] as const)
  return {
    ...input,
    properties: {
      ...properties,
      ...Object.fromEntries(others),
      ...("workspaceId" in properties ? {} : { workspaceId: workspace })
    }
  }
}

const unknownArgument = (name: string, known: ReadonlyArray<string>): Unusable => ({
  fault: { field: name, message: `is not an argument of this tool; it takes ${known.join(", ") || "none"}` }
})

const missing = (name: string): Unusable => ({ fault: { field: name, message: "is required" } })

const requestOf = (
  { body: kind, method, path, query }: AnyDefinition,
  places: ReadonlyArray<Argument>,
  given: Arguments
): ToolRequest | Unusable => {
  const ids = new Map<string, string>()
  const parameters = new URLSearchParams()
  const body: Record<string, unknown> = {}
  for (const { in: place, name, sentAs } of places) {
    const value = given[name]
    if (place === "path") {
      if (typeof value !== "string" || value === "") return missing(name)
      ids.set(sentAs, encodeURIComponent(value))
    } else if (value === undefined) continue
    else if (place === "query") parameters.set(sentAs, textOf(value))
    else body[sentAs] = value
  }
  const isPaged = places.some(({ name }) => name === "cursor") && given["limit"] === undefined
  if (isPaged && "limit" in query) parameters.set("limit", String(pageSize))
  if (isPaged && places.some(({ in: place, name }) => name === "limit" && place === "body")) body["limit"] = pageSize
  const search = parameters.size === 0 ? "" : `?${parameters.toString()}`
  const target = path.replaceAll(/:(\w+)/g, (_, name: string) => ids.get(name) ?? "") + search
  return { method, target, ...(kind === "none" ? {} : { body: JSON.stringify(body) }) }
}

/** The tool under this name. */
export const toolOf = (
  definition: AnyDefinition,
  name: string,
  annotations: ToolAnnotations,
  { arguments: places, schema }: ToolInput
): Tool => {
  const input = withOtherNames(name, schema)
  const others = otherNames[name] ?? {}
  const known = new Set([...places.map((one) => one.name), ...Object.keys(others), "workspaceId"])
  return {
    name,
    description: `${definition.summary}. ${definition.description}`,
    annotations,
    input,
    definition,
    requestOf: (given) => {
      const foreign = Object.keys(given).find((one) => !known.has(one))
      if (foreign !== undefined) return unknownArgument(foreign, [...known])
      const renamed = Object.fromEntries(Object.entries(given).map(([key, value]) => [others[key] ?? key, value]))
      return requestOf(definition, places, renamed)
    }
  }
}
